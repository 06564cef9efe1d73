import { CONTENT_FORMATS, REVISION_PROPS } from './value-sets.js';

/** Parameters that many modules declare alike. */
export const STRING = { type: 'string' } as const;
export const STRINGS = { type: 'string', multi: true } as const;
export const INTEGER = { type: 'integer' } as const;
export const INTEGERS = { type: 'integer', multi: true } as const;
export const BOOLEAN = { type: 'boolean' } as const;
export const TIMESTAMP = { type: 'timestamp' } as const;
export const DEPRECATED_STRING = { type: 'string', deprecated: true } as const;
export const DEPRECATED_BOOLEAN = { type: 'boolean', deprecated: true } as const;

/**
 * A user in any form that names one account or address. Where the catalogue's source names no forms it means these,
 * as it does where it names them for the first time.
 */
export const USER = { type: 'user', subtypes: ['name', 'ip', 'temp', 'interwiki', 'id'] } as const;

/** The user whose list is asked for: by name only. */
export const OWNER = { type: 'user', subtypes: ['name'] } as const;

/** Several namespaces, `*` for all. */
export const NAMESPACES = { type: 'namespace', multi: true, allspecifier: '*' } as const;

/** As {@link NAMESPACES}, with Media and Special. */
export const LINK_NAMESPACES = { ...NAMESPACES, extranamespaces: [-2, -1] } as const;

export const LIMIT = { type: 'limit', default: 10, min: 1, max: 500, highmax: 5000 } as const;
export const ASCENDING = { type: ['ascending', 'descending'], default: 'ascending' } as const;
export const OLDER = { type: ['newer', 'older'], default: 'older' } as const;
export const FILTER_REDIRECTS = { type: ['all', 'nonredirects', 'redirects'], default: 'all' } as const;

/** The limit of the modules that list revisions: how many are given without it depends on what is asked of each. */
export const REVISION_LIMIT = { type: 'limit', min: 1, max: 500, highmax: 5000 } as const;

/** What every module that shows revisions takes first. */
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

/** What the modules take that list the pages which link to, include or use the given ones. */
export const LINKING_PAGES_PARAMETERS = {
  prop: { type: ['pageid', 'redirect', 'title'], multi: true, default: 'pageid|title|redirect' },
  namespace: NAMESPACES,
  show: { type: ['!redirect', 'redirect'], multi: true },
  limit: LIMIT,
  continue: STRING,
} as const;

/** What `backlinks` and `imageusage` take: one target, and whether to go through redirects. */
export const BACKLINKS_PARAMETERS = {
  title: STRING,
  pageid: INTEGER,
  continue: STRING,
  namespace: NAMESPACES,
  dir: ASCENDING,
  filterredir: FILTER_REDIRECTS,
  // With `redirect`, every result may bring others along.
  limit: { ...LIMIT, narrowedBy: { parameter: 'redirect', max: 250, highmax: 2500 } },
  redirect: BOOLEAN,
} as const;
