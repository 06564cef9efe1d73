/**
 * The pages of a MediaWiki XML export as content, in a SQLite file.
 *
 * @module oauth-query/content/mediawiki-export
 */

import { emptyModules } from '../answers/empty-modules.js';
import type { ContentSource } from '../source.js';
import { contributors } from '../sqlite/contributors.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { allmessages } from '../sqlite/messages.js';
import { querypage } from '../sqlite/query-pages.js';
import { sqliteSource } from '../sqlite/source.js';
import { statisticsOf } from '../sqlite/statistics.js';
import { watchlist, watchlistraw } from '../sqlite/watchlist.js';
import { siteOptions, storedSite } from './site.js';

export { ContentDatabase, NoDriver } from '../sqlite/database.js';
export { SCHEMA_VERSION } from '../sqlite/schema.js';
export { importExport, type Imported, type ImportOptions } from './importer.js';
export { BrokenExport, type ReadProgress } from './bytes.js';
export { LANGUAGES } from './site.js';

/**
 * The content source of imported exports.
 *
 * @throws Error if the database contains none.
 */
export const exportContent = (database: ContentDatabase): ContentSource => {
  const site = storedSite(database);
  if (!site) throw new Error('There is no site in this database yet. Call importExport first.');
  return {
    ...sqliteSource(database),
    site: { ...siteOptions(site), statistics: statisticsOf(database) },
    modules: {
      allmessages: allmessages(database),
      contributors: contributors(database),
      querypage: querypage(database),
      watchlist: watchlist(database),
      watchlistraw: watchlistraw(database),
      ...emptyModules,
    },
  };
};
