import type { Site } from 'oauth-query';
import type { Database } from '../database.js';
import { byPage, type Handler, idsOf, listOf, pageItem, type PageRow, readKey } from '../handler.js';
import { LANGUAGES } from '../site-facts.js';
import { direction, type Sql, sql, when } from '../sql.js';

/** Links to other sites: `language` is 1 for the same page in another language. */
type Kind = 0 | 1;

interface ForeignRow {
  readonly page: number;
  readonly prefix: string;
  readonly title: string;
}

interface Filter {
  readonly prefix: string | undefined;
  readonly title: string | undefined;
  readonly descending: boolean;
}

function foreignLinks(
  kind: Kind,
  ids: readonly number[],
  filter: Filter,
  next: string | undefined,
  limit: number,
): Sql {
  const { order, from } = direction(filter.descending);
  const start = readKey(next, 'number', 'text', 'text');
  return sql`
    SELECT page, prefix, title FROM foreign_link WHERE language = ${kind} AND page IN ${ids}
      ${when(start, ([page, prefix, title]) => sql`AND (page, prefix, title) ${from} (${page}, ${prefix}, ${title})`)}
      ${when(filter.prefix, (prefix) => sql`AND prefix = ${prefix}`)}
      ${when(filter.title, (title) => sql`AND title = ${title}`)}
    ORDER BY page ${order}, prefix ${order}, title ${order} LIMIT ${limit + 1}`;
}

const urlOf = ({ prefix, title }: ForeignRow, site: Site): string | undefined =>
  site.interwiki.get(prefix)?.url.replace('$1', encodeURIComponent(title.replaceAll(' ', '_')));

const keyOf = ({ page, prefix, title }: ForeignRow) => [page, prefix, title];

/** The same pages in other languages. */
export const langlinks =
  (database: Database): Handler<'langlinks'> =>
  ({ params, limit, continue: next, pages, site }) => {
    const filter = { prefix: params.lang, title: params.title, descending: params.dir === 'descending' };
    const rows = database.all<ForeignRow>(foreignLinks(1, idsOf(pages), filter, next, limit));
    const wants = (prop: 'url' | 'langname' | 'autonym'): boolean => params.prop?.includes(prop) ?? false;
    return byPage(rows, {
      limit,
      key: keyOf,
      item: (row) => ({
        lang: row.prefix,
        ...(wants('url') || params.url ? { url: urlOf(row, site) } : {}),
        ...(wants('langname') ? { langname: nameIn(params.inlanguagecode, row.prefix) } : {}),
        ...(wants('autonym') ? { autonym: LANGUAGES[row.prefix] ?? '' } : {}),
        title: row.title,
      }),
    });
  };

/** A language's name in another language, if that is one. */
function nameIn(language: string, code: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(code) ?? code;
  } catch {
    return LANGUAGES[code] ?? code;
  }
}

/** Pages of other sites that are linked to. */
export const iwlinks =
  (database: Database): Handler<'iwlinks'> =>
  ({ params, limit, continue: next, pages, site }) => {
    const filter = { prefix: params.prefix, title: params.title, descending: params.dir === 'descending' };
    const rows = database.all<ForeignRow>(foreignLinks(0, idsOf(pages), filter, next, limit));
    const withUrl = params.url || (params.prop?.includes('url') ?? false);
    return byPage(rows, {
      limit,
      key: keyOf,
      item: (row) => ({ prefix: row.prefix, ...(withUrl ? { url: urlOf(row, site) } : {}), title: row.title }),
    });
  };

interface BacklinkRow extends PageRow {
  readonly prefix: string;
  readonly target: string;
}

function foreignBacklinks(kind: Kind, filter: Filter, next: string | undefined, limit: number): Sql {
  const { order, from } = direction(filter.descending);
  const start = readKey(next, 'text', 'text', 'number');
  return sql`
    SELECT page.id, ns, page.title, prefix, foreign_link.title AS target
    FROM foreign_link JOIN page ON page.id = page WHERE language = ${kind}
      ${when(start, ([prefix, title, page]) => sql`AND (prefix, foreign_link.title, page) ${from} (${prefix}, ${title}, ${page})`)}
      ${when(filter.prefix, (prefix) => sql`AND prefix = ${prefix}`)}
      ${when(filter.title, (title) => sql`AND foreign_link.title = ${title}`)}
    ORDER BY prefix ${order}, foreign_link.title ${order}, page ${order} LIMIT ${limit + 1}`;
}

const backlinkKey = ({ prefix, target, id }: BacklinkRow) => [prefix, target, id];

/** Pages that have one in another language. */
export const langbacklinks =
  (database: Database): Handler<'langbacklinks'> =>
  ({ params, limit, continue: next, site }) => {
    const filter = { prefix: params.lang, title: params.title, descending: params.dir === 'descending' };
    return listOf(database.all<BacklinkRow>(foreignBacklinks(1, filter, next, limit)), {
      limit,
      key: backlinkKey,
      item: (row) => ({
        ...pageItem(row, site),
        ...(params.prop.includes('lllang') ? { lllang: row.prefix } : {}),
        ...(params.prop.includes('lltitle') ? { lltitle: row.target } : {}),
      }),
    });
  };

/** Pages that link to another site. */
export const iwbacklinks =
  (database: Database): Handler<'iwbacklinks'> =>
  ({ params, limit, continue: next, site }) => {
    const filter = { prefix: params.prefix, title: params.title, descending: params.dir === 'descending' };
    return listOf(database.all<BacklinkRow>(foreignBacklinks(0, filter, next, limit)), {
      limit,
      key: backlinkKey,
      item: (row) => ({
        ...pageItem(row, site),
        ...(params.prop.includes('iwprefix') ? { iwprefix: row.prefix } : {}),
        ...(params.prop.includes('iwtitle') ? { iwtitle: row.target } : {}),
      }),
    });
  };
