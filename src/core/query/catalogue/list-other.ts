import { atMostOneOf, emptyIsAll, emptyIsNone, loggedIn } from '../descriptor/rule.js';
import { continues } from '../rules/continue.js';
import { wholeTitles } from '../rules/titles.js';
import { words } from '../site/words.js';
import { ICONS } from './icons.js';
import { module } from './module.js';
import { BOOLEAN, INTEGER, INTEGERS, LIMIT, NAMESPACES, STRING, STRINGS } from './shared-parameters.js';

/** Other list modules. */

export const codexicons = module(
  { name: 'codexicons', group: 'list', prefix: '', example: { parameters: { names: 'cdxIconSearch' } } },
  {
    names: { type: ICONS, multi: true, required: true, allspecifier: '*' },
  },
);

export const gadgetcategories = module(
  { name: 'gadgetcategories', group: 'list', prefix: 'gc', continueWith: 'prop' },
  {
    prop: { type: ['members', 'name', 'title'], multi: true, default: 'name' },
    names: STRINGS,
  },
  { rules: [emptyIsAll('names')] },
);

export const gadgets = module(
  { name: 'gadgets', group: 'list', prefix: 'ga', continueWith: 'prop' },
  {
    prop: { type: ['desc', 'id', 'metadata'], multi: true, default: 'id|metadata' },
    categories: STRINGS,
    ids: STRINGS,
    allowedonly: BOOLEAN,
    enabledonly: BOOLEAN,
  },
  { rules: [emptyIsAll('categories'), emptyIsNone('ids')] },
);

export const linterrors = module(
  { name: 'linterrors', group: 'list', prefix: 'lnt', result: { omitEmpty: true }, continueWith: 'from' },
  {
    categories: {
      type: words(
        'bogus-image-options deletable-table-tag duplicate-ids empty-heading fostered fostered-transparent',
        'html5-misnesting large-tables misc-tidy-replacement-issues misnested-tag missing-end-tag',
        'missing-end-tag-in-heading multi-colon-escape multiline-html-table-in-list',
        'multiple-unclosed-formatting-tags night-mode-unaware-background-color obsolete-tag pwrap-bug-workaround',
        'self-closed-tag stripped-tag template-arg-in-extension-tag tidy-font-bug tidy-whitespace-bug',
        'unclosed-quotes-in-heading wikilink-in-extlink',
      ),
      multi: true,
      default:
        'bogus-image-options|deletable-table-tag|duplicate-ids|empty-heading|fostered|html5-misnesting|' +
        'misc-tidy-replacement-issues|misnested-tag|missing-end-tag|missing-end-tag-in-heading|multi-colon-escape|' +
        'multiline-html-table-in-list|multiple-unclosed-formatting-tags|night-mode-unaware-background-color|' +
        'obsolete-tag|pwrap-bug-workaround|self-closed-tag|stripped-tag|template-arg-in-extension-tag|tidy-font-bug|' +
        'tidy-whitespace-bug|unclosed-quotes-in-heading|wikilink-in-extlink',
    },
    limit: LIMIT,
    namespace: NAMESPACES,
    pageid: INTEGERS,
    title: STRING,
    from: INTEGER,
  },
  {
    rules: [
      atMostOneOf('pageid', 'title'),
      atMostOneOf('namespace', 'title'),
      wholeTitles('title'),
      emptyIsAll('categories'),
    ],
  },
);

export const mystashedfiles = module(
  { name: 'mystashedfiles', group: 'list', prefix: 'msf' },
  {
    prop: { type: ['size', 'type'], multi: true, default: '' },
    limit: LIMIT,
    continue: STRING,
  },
  { rules: [loggedIn('apierror-mustbeloggedin-uploadstash', 'stashnotloggedin'), continues(['integer'])] },
);

export const tags = module(
  { name: 'tags', group: 'list', prefix: 'tg' },
  {
    continue: STRING,
    limit: LIMIT,
    prop: {
      type: ['active', 'defined', 'description', 'displayname', 'hitcount', 'source'],
      multi: true,
      default: '',
    },
  },
);
