import type { QueryOptions } from 'oauth-query';
import type { Database } from './database.js';
import { moduleHandlers } from './modules/index.js';
import { findPages } from './pages.js';
import { LANGUAGES, siteOptions, storedSite, titleRules } from './site-facts.js';

export { Database, NoDriver } from './database.js';
export { BrokenExport } from './export-reader.js';
export { importExport, type Imported, type ImportOptions } from './import.js';

/** The `query` option for the content of a database: what the site is called, what its titles mean, and what answers. */
export function siteQuery(database: Database): QueryOptions {
  const site = storedSite(database);
  if (!site) throw new Error('There is no site in this database yet. Import an export first.');
  return {
    site: siteOptions(database),
    pages: findPages(database, titleRules(site)),
    modules: moduleHandlers(database),
    languages: Object.fromEntries(
      Object.entries(LANGUAGES).map(([code, autonym]) => [code, { autonym, name: autonym }]),
    ),
  };
}
