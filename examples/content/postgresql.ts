/** A table of PostgreSQL as a content source. */
import type { ContentPage, ContentSource, ContentTerms } from 'oauth-query/content';

interface Database {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

export const TABLE = `CREATE TABLE article (
  id          integer PRIMARY KEY,
  ns          integer NOT NULL DEFAULT 0,
  title       text COLLATE "C" NOT NULL, -- lists are compared by code points
  redirect_to text,
  revision    integer NOT NULL, -- a new one with each change
  body        text NOT NULL,
  author      text NOT NULL,
  changed     timestamptz NOT NULL,
  words       tsvector GENERATED ALWAYS AS (to_tsvector('simple', title || ' ' || body)) STORED,
  UNIQUE (ns, title)
);
CREATE INDEX article_words ON article USING gin (words)`;

const PAGE = `id, ns, title, redirect_to, revision, octet_length(body) AS length, changed`;

interface Row {
  id: number;
  ns: number;
  title: string;
  redirect_to: string | null;
  revision: number;
  length: number;
  changed: Date;
}

const seconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const pageOf = ({ id, ns, title, redirect_to: to, revision, length, changed }: Row): ContentPage => ({
  ...{ id, ns, title, length, revid: revision, touched: seconds(changed) },
  ...(to === null ? {} : { redirect: { to } }),
});

export const articlesIn = (db: Database): ContentSource => {
  const run = async <Found>(name: string, text: string, values: unknown[]): Promise<Found[]> =>
    (await db.query({ name, text, values })).rows as Found[]; // Each statement says what its rows are.
  return {
    pages: async ({ titles, ids, revids }) => {
      const rows = await run<Row>(
        'pages',
        `SELECT ${PAGE} FROM article WHERE id = ANY($1) OR revision = ANY($2)
           OR (ns, title) IN (SELECT * FROM unnest($3::int[], $4::text[]))`,
        [ids, revids, titles.map(({ ns }) => ns), titles.map(({ title }) => title)],
      );
      return rows.map((row) => ({ ...pageOf(row), revids: revids.filter((id) => id === row.revision) }));
    },
    pageRange: async ({ ns, from, to, descending, limit, redirects }) => {
      const [order, first, last] = descending ? ['DESC', '<=', '>='] : ['ASC', '>=', '<='];
      const rows = await run<Row>(
        `page range ${order}`,
        `SELECT ${PAGE} FROM article WHERE ns = $1 AND ($2::text IS NULL OR title ${first} $2)
           AND ($3::text IS NULL OR title ${last} $3) AND ($4::boolean IS NULL OR (redirect_to IS NOT NULL) = $4)
         ORDER BY title ${order} LIMIT $5`,
        [ns, from ?? null, to ?? null, redirects ?? null, limit],
      );
      return rows.map(pageOf);
    },
    revisions: async ({ ids }) => {
      const rows = await run<Row & { body: string; author: string }>(
        'revisions',
        `SELECT ${PAGE}, body, author FROM article WHERE revision = ANY($1)`,
        [ids],
      );
      return rows.map(({ id: page, revision: id, changed, length: size, body: text, author: user }) => ({
        ...{ id, page, timestamp: seconds(changed), size, text, user, comment: '' },
      }));
    },
    search: async ({ words, phrases, prefixes, without, titles, namespaces, offset, limit }) => {
      const quoted = (text: string): string => `'${text.replace(/['\\]/g, '$&$&')}'`; // Several words are a phrase.
      const terms = (of: ContentTerms): string[] => [
        ...[...of.words, ...of.phrases].map(quoted),
        ...of.prefixes.map((start) => `${quoted(start)}:*`),
      ];
      const text = [...terms({ words, phrases, prefixes }), ...terms(without).map((term) => `!${term}`)].join(' & ');
      const rows = await run<Row & { total: string }>(
        'search',
        `SELECT ${PAGE}, count(*) OVER () AS total FROM article, to_tsquery('simple', $1) AS wanted
         WHERE words @@ wanted AND (NOT $2 OR to_tsvector('simple', title) @@ wanted) AND ns = ANY($3)
         ORDER BY ts_rank(words, wanted) DESC, id LIMIT $4 OFFSET $5`,
        [text, titles, namespaces, limit, offset],
      );
      const total = Number(rows[0]?.total ?? offset);
      const next = offset + rows.length;
      return {
        rows: rows.map((row) => ({ page: pageOf(row) })),
        total: { exact: total },
        next: next < total ? next : undefined,
      };
    },
  };
};
