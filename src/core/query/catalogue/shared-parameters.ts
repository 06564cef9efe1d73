import { CONTENT_FORMATS, REVISION_PROPS } from '../site/value-sets.js';

/** Parameters that many modules share. */
export const STRING = { type: 'string' } as const;
export const STRINGS = { type: 'string', multi: true } as const;
export const INTEGER = { type: 'integer' } as const;
export const INTEGERS = { type: 'integer', multi: true } as const;
export const BOOLEAN = { type: 'boolean' } as const;
export const TIMESTAMP = { type: 'timestamp' } as const;
export const DEPRECATED_STRING = { type: 'string', deprecated: true } as const;
export const DEPRECATED_BOOLEAN = { type: 'boolean', deprecated: true } as const;

/** A user in any form that identifies one account or address: the default forms of the catalogue's source. */
export const USER = { type: 'user', subtypes: ['name', 'ip', 'temp', 'interwiki', 'id'] } as const;

/** The owner of a list, by name only. */
export const OWNER = { type: 'user', subtypes: ['name'] } as const;

/** Several namespaces; `*` selects all. */
export const NAMESPACES = { type: 'namespace', multi: true, allspecifier: '*' } as const;

/** {@link NAMESPACES} with Media and Special. */
export const LINK_NAMESPACES = { ...NAMESPACES, extranamespaces: [-2, -1] } as const;

export const LIMIT = { type: 'limit', default: 10, min: 1, max: 500, highmax: 5000 } as const;
export const ASCENDING = { type: ['ascending', 'descending'], default: 'ascending' } as const;
export const OLDER = { type: ['newer', 'older'], default: 'older' } as const;
export const FILTER_REDIRECTS = { type: ['all', 'nonredirects', 'redirects'], default: 'all' } as const;

/** The limit of modules that list revisions. The default depends on the other parameters. */
export const REVISION_LIMIT = { type: 'limit', min: 1, max: 500, highmax: 5000 } as const;

/** The first parameters of every module that shows revisions. */
export const REVISION_PARAMETERS = {
  prop: {
    type: REVISION_PROPS,
    multi: true,
    default: 'ids|timestamp|flags|comment|user',
    deprecatedvalues: ['parsetree'],
  },
  slots: { type: ['main'], multi: true, allspecifier: '*' },
  expandtemplates: DEPRECATED_BOOLEAN,
  generatexml: DEPRECATED_BOOLEAN,
  parse: DEPRECATED_BOOLEAN,
  section: STRING,
  diffto: DEPRECATED_STRING,
  difftotext: DEPRECATED_STRING,
  difftotextpst: DEPRECATED_BOOLEAN,
  contentformat: { type: CONTENT_FORMATS, deprecated: true },
  'contentformat-{slot}': { type: CONTENT_FORMATS, templatevars: { slot: 'slots' } },
} as const;

/** Parameters of modules that list the pages that link to, include or use the given ones. */
export const LINKING_PAGES_PARAMETERS = {
  prop: { type: ['pageid', 'redirect', 'title'], multi: true, default: 'pageid|title|redirect' },
  namespace: NAMESPACES,
  show: { type: ['!redirect', 'redirect'], multi: true },
  limit: LIMIT,
  continue: STRING,
} as const;

/** Parameters of `backlinks` and `imageusage`. */
export const BACKLINKS_PARAMETERS = {
  title: STRING,
  pageid: INTEGER,
  continue: STRING,
  namespace: NAMESPACES,
  dir: ASCENDING,
  filterredir: FILTER_REDIRECTS,
  // With `redirect`, every result may contain further ones.
  limit: { ...LIMIT, narrowedBy: { parameter: 'redirect', max: 250, highmax: 2500 } },
  redirect: BOOLEAN,
} as const;
