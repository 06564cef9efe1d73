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

/** The values of `prop` of `action=parse`: all of MediaWiki 1.46, because programs ask for many at once. */
const PARSE_PROPS = words(
  'categories categorieshtml displaytitle encodedjsconfigvars externallinks headhtml headitems images indicators iwlinks jsconfigvars langlinks limitreportdata limitreporthtml links modules parsetree parsewarnings parsewarningshtml properties revid sections subtitle templates text tocdata wikitext',
);

/** The skins of `siteinfo`: pages here have one appearance. */
export const SKINS = ['fallback'] as const;

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
    prop: {
      type: PARSE_PROPS,
      multi: true,
      default: 'text|categories|links|sections|revid|displaytitle|tocdata|parsewarnings',
      deprecatedvalues: ['headitems', 'sections'],
    },
    wrapoutputclass: STRING,
    usearticle: BOOLEAN,
    parsoid: DEPRECATED_BOOLEAN,
    parser: { type: ['parsoid', 'default', 'legacy'] },
    effectivelanglinks: DEPRECATED_BOOLEAN,
    section: STRING,
    contentmodel: STRING,
    disablepp: DEPRECATED_BOOLEAN,
    disableeditsection: BOOLEAN,
    disablelimitreport: BOOLEAN,
    disablestylededuplication: BOOLEAN,
    disabletoc: BOOLEAN,
    preview: BOOLEAN,
    sectionpreview: BOOLEAN,
    useskin: { type: SKINS },
  },
} as const satisfies Described;

/** The parsed parameters of `action=opensearch`. */
export type OpenSearchParams = ParsedBy<typeof openSearchModule>;

/** The parsed parameters of `action=parse`. */
export type ParseParams = ParsedBy<typeof parseModule>;
