import type { Database } from '../database.js';
import { byPage, type Handler, idsOf, readKey } from '../handler.js';
import { direction, sql, titleList, when } from '../sql.js';
import { localTitle, showTitle } from '../titles.js';
import type { LinkKind } from '../wikitext.js';

type LinkHandler = Handler<'links'> & Handler<'templates'> & Handler<'images'>;

interface LinkRow {
  readonly page: number;
  readonly ns: number;
  readonly title: string;
}

/** What the pages link to, include or show. */
const linksOf =
  (database: Database, kind: LinkKind): LinkHandler =>
  ({ params, limit, continue: next, pages, site }) => {
    const { titles, templates, images, namespace }: Targets = params;
    const targets = (titles ?? templates ?? images)?.flatMap((title) => localTitle(title, site) ?? []);
    const { order, from } = direction(params.dir === 'descending');
    const start = readKey(next, 'number', 'number', 'text');
    const rows = database.all<LinkRow>(sql`
      SELECT page, ns, title FROM link WHERE kind = ${kind} AND page IN ${idsOf(pages)}
        ${when(start, ([page, ns, title]) => sql`AND (page, ns, title) ${from} (${page}, ${ns}, ${title})`)}
        ${when(targets !== undefined, () => sql`AND (ns, title) IN ${titleList(targets ?? [])}`)}
        ${when(namespace, (list) => sql`AND ns IN ${list}`)}
      ORDER BY page ${order}, ns ${order}, title ${order} LIMIT ${limit + 1}`);
    return byPage(rows, {
      limit,
      key: ({ page, ns, title }) => [page, ns, title],
      item: ({ ns, title }) => ({ ns, title: showTitle(ns, title, site) }),
    });
  };

/** The three modules name their targets differently. */
interface Targets {
  readonly titles?: readonly string[];
  readonly templates?: readonly string[];
  readonly images?: readonly string[];
  readonly namespace?: readonly number[];
}

export const links = (database: Database): Handler<'links'> => linksOf(database, 'link');
export const templates = (database: Database): Handler<'templates'> => linksOf(database, 'template');
export const images = (database: Database): Handler<'images'> => linksOf(database, 'file');
