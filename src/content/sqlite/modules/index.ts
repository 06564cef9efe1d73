import type { ModuleHandlers } from '../../../core/query/index.js';
import { emptyModules } from '../../answers/empty-modules.js';
import type { ContentDatabase } from '../database.js';
import { contributors } from './contributors.js';
import { allmessages } from './messages.js';
import { querypage } from './query-page.js';
import { watchlist, watchlistraw } from './watchlist.js';

/** Modules that are answered directly from the tables, and modules that are always empty. */
export const sqliteModules = (database: ContentDatabase): ModuleHandlers => ({
  allmessages: allmessages(database),
  contributors: contributors(database),
  querypage: querypage(database),
  watchlist: watchlist(database),
  watchlistraw: watchlistraw(database),
  ...emptyModules,
});
