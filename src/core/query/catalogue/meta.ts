import { emptyIsNone, loggedIn } from '../descriptor/rule.js';
import { languageCode, oldForms, onlyWith, onlyWithout, parsedTitle, unreadByDefault } from '../rules/lists.js';
import { words } from '../site/words.js';
import { module } from './module.js';
import { BOOLEAN, STRING, STRINGS } from './shared-parameters.js';

/** Modules about the site or the caller. */

export const allmessages = module(
  {
    name: 'allmessages',
    group: 'meta',
    prefix: 'am',
    result: { contentKey: 'content', list: true },
    continueWith: 'from',
  },
  {
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
  { rules: [languageCode, parsedTitle, emptyIsNone('messages')] },
);

export const authmanagerinfo = module(
  { name: 'authmanagerinfo', group: 'meta', prefix: 'ami', readrights: false },
  {
    securitysensitiveoperation: STRING,
    requestsfor: {
      type: words('change create create-continue link link-continue login login-continue remove unlink'),
    },
    mergerequestfields: BOOLEAN,
    messageformat: { type: ['html', 'none', 'raw', 'wikitext'], default: 'wikitext' },
  },
);

export const filerepoinfo = module(
  { name: 'filerepoinfo', group: 'meta', prefix: 'fri', result: { key: 'repos', list: true }, continueWith: 'prop' },
  {
    prop: {
      type: words('canUpload displayname favicon initialCapital local name rootUrl scriptDirUrl thumbUrl url'),
      multi: true,
      default: 'canUpload|displayname|favicon|initialCapital|local|name|rootUrl|scriptDirUrl|thumbUrl|url',
    },
  },
);

export const languageinfo = module(
  { name: 'languageinfo', group: 'meta', prefix: 'li' },
  {
    prop: {
      type: ['autonym', 'bcp47', 'code', 'dir', 'fallbacks', 'name', 'variantnames', 'variants'],
      multi: true,
      default: 'code',
    },
    code: { type: 'string', multi: true, default: '*' },
    continue: STRING,
  },
);

export const linterstats = module({ name: 'linterstats', group: 'meta', prefix: 'lntrst' }, {});

export const notifications = module(
  { name: 'notifications', group: 'meta', prefix: 'not' },
  {
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

export const siteinfo = module(
  {
    name: 'siteinfo',
    group: 'meta',
    prefix: 'si',
    result: {
      place: 'merged',
      contentKey: { namespaces: 'name', namespacealiases: 'alias', languages: 'name' },
      explicitFalse: ['variantarticlepath'],
    },
    continueWith: 'prop',
  },
  {
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
);

export const tokens = module(
  { name: 'tokens', group: 'meta', prefix: '', readrights: false },
  {
    type: {
      type: ['createaccount', 'csrf', 'login', 'patrol', 'rollback', 'userrights', 'watch'],
      multi: true,
      default: 'csrf',
      allspecifier: '*',
    },
  },
);

export const unreadnotificationpages = module(
  { name: 'unreadnotificationpages', group: 'meta', prefix: 'unp' },
  {
    grouppages: BOOLEAN,
    limit: { type: 'limit', default: 10, min: 1, max: 10000 },
  },
  { rules: [loggedIn('apierror-mustbeloggedin-generic', 'login-required')] },
);

export const userinfo = module(
  { name: 'userinfo', group: 'meta', prefix: 'ui', continueWith: 'prop' },
  {
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
);
