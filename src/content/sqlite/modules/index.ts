import type { ModuleHandlers } from '../../../core/query/index.js';
import type { ContentDatabase } from '../database.js';
import { contributors } from './contributors.js';
import { allmessages } from './messages.js';
import { withoutContent } from './none.js';
import { querypage } from './query-page.js';
import { watchlist, watchlistraw } from './watchlist.js';

/** What can be read off the tables beyond the functions of a source, and what a site made of them never has. */
export const sqliteModules = (database: ContentDatabase): ModuleHandlers => ({
  allmessages: allmessages(database),
  contributors: contributors(database),
  querypage: querypage(database),
  watchlist: watchlist(database),
  watchlistraw: watchlistraw(database),
  ...withoutContent,
});
