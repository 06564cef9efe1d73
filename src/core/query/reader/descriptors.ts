import { BOOLEAN, DEPRECATED_BOOLEAN, INTEGER, LIMIT, NAMESPACES, STRING } from '../catalogue/shared-parameters.js';
import type { Described, ParsedBy } from '../parameters/parse.js';
import { words } from '../site/words.js';

/** `action=opensearch`: search suggestions for browsers. */
export const openSearchModule = {
  name: 'opensearch',
  group: 'action',
  prefix: '',
  parameters: {
    search: { type: 'string', required: true },
    namespace: { ...NAMESPACES, default: 0 },
    limit: LIMIT,
    suggest: DEPRECATED_BOOLEAN,
    redirects: { type: ['return', 'resolve'], default: 'return' },
    warningsaserror: BOOLEAN,
  },
} as const satisfies Described;

/** The values of `prop` of `action=parse`. */
const PARSE_PROPS = words(
  'categories displaytitle externallinks images langlinks links revid sections templates text wikitext',
);

/** `action=parse`: the content of one page, or a text as if it were one. */
export const parseModule = {
  name: 'parse',
  group: 'action',
  prefix: '',
  // The text of a page; its length is checked by the action.
  uncleaned: ['text'],
  parameters: {
    title: STRING,
    text: STRING,
    page: STRING,
    pageid: INTEGER,
    oldid: INTEGER,
    redirects: BOOLEAN,
    prop: { type: PARSE_PROPS, multi: true, default: 'text|categories|links|sections|revid|displaytitle' },
    section: STRING,
    contentmodel: STRING,
    disableeditsection: BOOLEAN,
    disablelimitreport: BOOLEAN,
    disabletoc: BOOLEAN,
  },
} as const satisfies Described;

/** The parsed parameters of `action=opensearch`. */
export type OpenSearchParams = ParsedBy<typeof openSearchModule>;

/** The parsed parameters of `action=parse`. */
export type ParseParams = ParsedBy<typeof parseModule>;
