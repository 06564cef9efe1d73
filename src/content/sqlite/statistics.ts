import type { SiteOptions } from '../../core/query/index.js';
import { ACTIVE_MS } from '../answers/users.js';
import type { ContentDatabase } from './database.js';
import { sql } from './sql.js';

/** Counts edits, including those whose revisions are not stored. */
export const countEdits = (database: ContentDatabase, count: number): void => {
  database.run(sql`INSERT INTO site (name, value) VALUES ('edits', ${String(count)})
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)`);
};

/** Counts the statistics of the site, once at startup. */
export const statisticsOf = (database: ContentDatabase): NonNullable<SiteOptions['statistics']> => {
  const count = (query: ReturnType<typeof sql>): number => database.first<{ n: number }>(query)?.n ?? 0;
  const since = new Date(Date.now() - ACTIVE_MS).toISOString();
  return {
    pages: count(sql`SELECT count(*) AS n FROM page`),
    articles: count(sql`SELECT count(*) AS n FROM page WHERE ns = 0 AND redirect_to IS NULL
      AND EXISTS (SELECT 1 FROM link WHERE kind = 'link' AND page = page.id)`),
    edits: count(sql`SELECT coalesce((SELECT CAST(value AS INTEGER) FROM site WHERE name = 'edits'),
      (SELECT count(*) FROM revision)) AS n`),
    images: count(sql`SELECT count(*) AS n FROM page WHERE ns = 6`),
    users: count(sql`SELECT count(*) AS n FROM user WHERE id > 0`),
    activeusers: count(sql`SELECT count(DISTINCT user) AS n FROM revision WHERE timestamp >= ${since} AND user_id > 0`),
  };
};
