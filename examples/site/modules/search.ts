import type { Site } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, pageItem, type PageRow } from '../handler.js';
import { afterPrefix, type Sql, sql } from '../sql.js';
import { localTitle, titleKey } from '../titles.js';

/** Marks around what was found, until the text between them has been escaped. */
const MARKS = { before: '\u0001', after: '\u0002' } as const;

interface SearchRow extends PageRow {
  readonly length: number;
  readonly touched: string;
  readonly text: string;
  readonly snippet: string;
  readonly titlesnippet: string;
}

/**
 * Searches titles and texts, best first. How well a page fits changes with what else there is, so nothing can be continued
 * by a key here: the parameter is called offset, and it counts.
 */
export const search =
  (database: Database): Handler<'search'> =>
  ({ params, limit, site }) => {
    const words = matchOf(params.search, params.what === 'title');
    if (params.what === 'nearmatch') return nearMatch(database, params.search, site);
    if (words === '') return { items: [], beside: { searchinfo: { totalhits: 0 } } };
    const found = sql`
      FROM page_text JOIN page ON page.id = page_text.rowid
      WHERE page_text MATCH ${words} AND page.ns IN ${namespacesOf(params.namespace)}`;
    const rows = database.all<SearchRow>(sql`
      SELECT page.id, page.ns, page.title, length, touched, page_text.text,
        snippet(page_text, 1, ${MARKS.before}, ${MARKS.after}, '…', 24) AS snippet,
        highlight(page_text, 0, ${MARKS.before}, ${MARKS.after}) AS titlesnippet
      ${found} ORDER BY rank, page.id LIMIT ${limit + 1} OFFSET ${params.offset}`);
    const totalhits = database.first<{ n: number }>(sql`SELECT count(*) AS n ${found}`)?.n ?? 0;
    return {
      items: rows.slice(0, limit).map((row) => {
        const { ns, title, pageid } = pageItem(row, site);
        const facts: Readonly<Record<string, unknown>> = {
          size: row.length,
          wordcount: row.text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
          timestamp: row.touched,
          snippet: marked(row.snippet),
          titlesnippet: marked(row.titlesnippet),
        };
        const shown = params.prop.filter((name) => name in facts).map((name) => [name, facts[name]]);
        return { ns, title, pageid, ...Object.fromEntries(shown) };
      }),
      continue: rows.length > limit ? params.offset + limit : undefined,
      beside: params.info.includes('totalhits') ? { searchinfo: { totalhits } } : {},
    };
  };

/** The title itself, if there is such a page. */
function nearMatch(database: Database, text: string, site: Site) {
  const title = localTitle(text, site);
  const { ns = 0, key = '' } = title ?? {};
  const rows = database.all<PageRow>(sql`SELECT id, ns, title FROM page WHERE ns = ${ns} AND title = ${key}`);
  return { items: rows.map((row) => pageItem(row, site)), beside: { searchinfo: { totalhits: rows.length } } };
}

/** The main one, when those that were named do not exist. */
const namespacesOf = (named: readonly number[]): readonly number[] => (named.length > 0 ? named : [0]);

/** What a person types, for the full-text index: all words, "phrases" as they stand, and not what has a minus. */
function matchOf(text: string, titleOnly: boolean): string {
  const terms = [...text.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)].flatMap(([, minus, phrase, word = '']) => {
    const bare = (phrase ?? word).replace(/^intitle:/i, '');
    if (!/[\p{L}\p{N}]/u.test(bare)) return [];
    const star = phrase === undefined && bare.endsWith('*') ? '*' : '';
    return [{ minus: minus === '-', term: `"${bare.replace(/[*"]/g, '')}"${star}` }];
  });
  const wanted = terms.filter(({ minus }) => !minus).map(({ term }) => term);
  const unwanted = terms.filter(({ minus }) => minus).map(({ term }) => ` NOT ${term}`);
  if (wanted.length === 0) return '';
  return `${titleOnly ? 'title : ' : ''}(${wanted.join(' AND ')})${unwanted.join('')}`;
}

const marked = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(MARKS.before, '<span class="searchmatch">')
    .replaceAll(MARKS.after, '</span>');

/** Titles that begin like this. Its offset counts too; the order is that of the titles. */
export const prefixsearch =
  (database: Database): Handler<'prefixsearch'> =>
  ({ params, limit, site }) => {
    const { search: text, namespace, offset } = params;
    const title = localTitle(text, site);
    const inNamespace = title !== undefined && title.ns !== 0;
    const begins = (ns: number): Sql => {
      const key = inNamespace ? title.key : titleKey(text.trim(), ns, site);
      return sql`(ns = ${ns} AND title >= ${key} AND title < ${afterPrefix(key)})`;
    };
    const namespaces = inNamespace ? [title.ns] : namespacesOf(namespace);
    const rows = database.all<PageRow>(sql`
      SELECT id, ns, title FROM page WHERE 0 ${namespaces.reduce((all, ns) => sql`${all} OR ${begins(ns)}`, sql``)}
      ORDER BY title, ns LIMIT ${limit + 1} OFFSET ${offset}`);
    return {
      items: rows.slice(0, limit).map((row) => pageItem(row, site)),
      continue: rows.length > limit ? offset + limit : undefined,
    };
  };
