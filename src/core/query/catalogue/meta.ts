import { defineModule } from '../descriptor/descriptor.js';
import { emptyIsNone, loggedIn } from '../descriptor/rule.js';
import { languageCode, oldForms, onlyWith, onlyWithout, parsedTitle, unreadByDefault } from '../rules/lists.js';
import { words } from '../site/words.js';
import { BOOLEAN, STRING, STRINGS } from './shared-parameters.js';

/** Modules about the site or the caller. */

export const allmessages = defineModule(
  {
    name: 'allmessages',
    group: 'meta',
    prefix: 'am',
    result: { contentKey: 'content', list: true },
    continueWith: 'from',
    parameters: {
      messages: { type: 'string', multi: true, default: '*' },
      prop: { type: ['default'], multi: true },
      enableparser: BOOLEAN,
      nocontent: BOOLEAN,
      includelocal: BOOLEAN,
      args: { type: 'string', multi: true, allowsduplicates: true },
      filter: STRING,
      customised: { type: ['all', 'modified', 'unmodified'], default: 'all' },
      lang: STRING,
      from: STRING,
      to: STRING,
      title: STRING,
      prefix: STRING,
    },
  },
  { rules: [languageCode, parsedTitle, emptyIsNone('messages')] },
);

export const authmanagerinfo = defineModule({
  name: 'authmanagerinfo',
  group: 'meta',
  prefix: 'ami',
  readrights: false,
  parameters: {
    securitysensitiveoperation: STRING,
    requestsfor: {
      type: words('change create create-continue link link-continue login login-continue remove unlink'),
    },
    mergerequestfields: BOOLEAN,
    messageformat: { type: ['html', 'none', 'raw', 'wikitext'], default: 'wikitext' },
  },
});

export const filerepoinfo = defineModule({
  name: 'filerepoinfo',
  group: 'meta',
  prefix: 'fri',
  result: { key: 'repos', list: true },
  continueWith: 'prop',
  parameters: {
    prop: {
      type: words('canUpload displayname favicon initialCapital local name rootUrl scriptDirUrl thumbUrl url'),
      multi: true,
      default: 'canUpload|displayname|favicon|initialCapital|local|name|rootUrl|scriptDirUrl|thumbUrl|url',
    },
  },
});

export const languageinfo = defineModule({
  name: 'languageinfo',
  group: 'meta',
  prefix: 'li',
  parameters: {
    prop: {
      type: ['autonym', 'bcp47', 'code', 'dir', 'fallbacks', 'name', 'variantnames', 'variants'],
      multi: true,
      default: 'code',
    },
    code: { type: 'string', multi: true, default: '*' },
    continue: STRING,
  },
});

export const linterstats = defineModule({ name: 'linterstats', group: 'meta', prefix: 'lntrst', parameters: {} });

export const notifications = defineModule(
  {
    name: 'notifications',
    group: 'meta',
    prefix: 'not',
    parameters: {
      filter: { type: ['!read', 'read'], multi: true, default: 'read|!read' },
      prop: { type: ['count', 'list', 'seenTime'], multi: true, default: 'list' },
      sections: { type: ['alert', 'message'], multi: true, default: 'alert|message' },
      groupbysection: BOOLEAN,
      format: { type: ['flyout', 'html', 'model', 'special'] },
      limit: { type: 'limit', default: 20, min: 1, max: 50, highmax: 500 },
      continue: STRING,
      unreadfirst: BOOLEAN,
      titles: STRINGS,
      bundle: BOOLEAN,
      notifiertypes: { type: ['email', 'web'], multi: true, default: 'web' },
      alertcontinue: STRING,
      alertunreadfirst: BOOLEAN,
      messagecontinue: STRING,
      messageunreadfirst: BOOLEAN,
    },
  },
  {
    rules: [
      loggedIn('apierror-mustbeloggedin-generic', 'login-required'),
      oldForms('format', 'flyout', 'html'),
      onlyWith('groupbysection', 'alertcontinue', 'alertunreadfirst', 'messagecontinue', 'messageunreadfirst'),
      onlyWithout('groupbysection', 'continue', 'unreadfirst'),
      unreadByDefault,
    ],
  },
);

export const siteinfo = defineModule({
  name: 'siteinfo',
  group: 'meta',
  prefix: 'si',
  result: {
    place: 'merged',
    contentKey: { namespaces: 'name', namespacealiases: 'alias', languages: 'name' },
    explicitFalse: ['variantarticlepath'],
  },
  continueWith: 'prop',
  parameters: {
    prop: {
      type: words(
        'autocreatetempuser autopromote autopromoteonce clientlibraries copyuploaddomains dbrepllag defaultoptions',
        'doubleunderscores extensions extensiontags fileextensions functionhooks general interwikimap languages',
        'languagevariants libraries magicwords namespacealiases namespaces protocols restrictions rightsinfo sbom',
        'showhooks skins specialpagealiases statistics uploaddialog usergroups variables',
      ),
      multi: true,
      default: 'general',
    },
    filteriw: { type: ['!local', 'local'] },
    showalldb: BOOLEAN,
    numberingroup: BOOLEAN,
    inlanguagecode: STRING,
  },
});

export const tokens = defineModule({
  name: 'tokens',
  group: 'meta',
  prefix: '',
  readrights: false,
  parameters: {
    type: {
      type: ['createaccount', 'csrf', 'login', 'patrol', 'rollback', 'userrights', 'watch'],
      multi: true,
      default: 'csrf',
      allspecifier: '*',
    },
  },
});

export const unreadnotificationpages = defineModule(
  {
    name: 'unreadnotificationpages',
    group: 'meta',
    prefix: 'unp',
    parameters: {
      grouppages: BOOLEAN,
      limit: { type: 'limit', default: 10, min: 1, max: 10000 },
    },
  },
  { rules: [loggedIn('apierror-mustbeloggedin-generic', 'login-required')] },
);

export const userinfo = defineModule({
  name: 'userinfo',
  group: 'meta',
  prefix: 'ui',
  continueWith: 'prop',
  parameters: {
    prop: {
      type: words(
        'acceptlang blockinfo cancreateaccount centralids changeablegroups editcount email groupmemberships groups',
        'hasmsg implicitgroups latestcontrib options ratelimits realname registrationdate rights',
        'theoreticalratelimits unreadcount watchlistlabels',
      ),
      multi: true,
      allspecifier: '*',
    },
    attachedwiki: STRING,
  },
});
