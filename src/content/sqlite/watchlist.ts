import type { Caller, Site } from '../../core/query/index.js';
import { upperFirst } from '../../core/query/toolkit.js';
import { type Handler, type Having, isDescending, listOf, readKey } from '../answers/answer.js';
import { changeList } from '../answers/changes.js';
import { Content } from '../content.js';
import type { ContentHistoryRange } from '../source.js';
import type { ContentDatabase } from './database.js';
import { historyOf, sqliteSource, watchedBy } from './source.js';
import { between, sql, when } from './sql.js';

/**
 * Whose watchlist is read: that of `owner`, whose token was checked before, or the caller's. Names in revisions begin with an
 * upper-case letter.
 */
const watcherOf = (owner: string | undefined, caller: Caller | undefined, site: Site): string =>
  upperFirst(owner ?? caller?.name ?? '', site.language);

/** Changes of the pages that a user watches: those that the user has edited. */
export const watchlist = (database: ContentDatabase): Handler<'watchlist'> => {
  const source = sqliteSource(database);
  return (request) => {
    const { params, caller, site } = request;
    const watcher = watcherOf(params.owner, caller, site);
    const history = (range: ContentHistoryRange) => historyOf(database, range, watcher);
    const content: Having<'history' | 'pages'> = new Content({ ...source, history }, site, undefined);
    // All changes count as seen, because there are no notifications.
    const unread = params.show?.includes('unread') ?? false;
    const filter = { ...params, latest: !params.allrev, type: unread ? [] : params.type };
    return changeList(content, request, filter, ({ page, revision }) =>
      params.allrev && revision ? { revid: revision.id } : { pageid: page },
    );
  };
};

/** The pages that a user watches. */
export const watchlistraw =
  (database: ContentDatabase): Handler<'watchlistraw'> =>
  ({ params, limit, continue: next, site, caller }) => {
    const content = new Content({}, site, undefined);
    const bound = (text: string | undefined) => {
      const title = text === undefined ? undefined : content.read(text);
      return title && ([title.ns, title.title] as const);
    };
    const from = readKey(next, 'number', 'text') ?? bound(params.fromtitle);
    const range = { from, to: bound(params.totitle), descending: isDescending(params.dir), limit: limit + 1 };
    const watched = watchedBy(database, watcherOf(params.owner, caller, site), sql`page.id`);
    const rows = database.all<{ ns: number; title: string }>(sql`
      SELECT ns, title FROM page WHERE 1 ${watched.condition}
        ${when(params.namespace, (list) => sql`AND ns IN ${list}`)}
        ${when(params.show?.includes('changed'), () => sql`AND 0`)}
        ${between([sql`ns`, sql`title`], range)}`);
    const more = rows[limit];
    return listOf(
      { rows: rows.slice(0, limit), next: more && [more.ns, more.title] },
      { item: (row) => ({ ns: row.ns, title: content.show(row) }) },
    );
  };
