import type { SiteOptions } from '../../core/query/index.js';
import type { ContentDatabase } from './database.js';
import { sql } from './sql.js';

/** Counts the statistics of the site, once at startup. */
export function statisticsOf(database: ContentDatabase): NonNullable<SiteOptions['statistics']> {
  const count = (query: ReturnType<typeof sql>): number => database.first<{ n: number }>(query)?.n ?? 0;
  return {
    pages: count(sql`SELECT count(*) AS n FROM page`),
    articles: count(sql`SELECT count(*) AS n FROM page WHERE ns = 0 AND redirect_to IS NULL
      AND EXISTS (SELECT 1 FROM link WHERE kind = 'link' AND page = page.id)`),
    edits: count(sql`SELECT count(*) AS n FROM revision`),
    images: count(sql`SELECT count(*) AS n FROM page WHERE ns = 6`),
    users: count(sql`SELECT count(*) AS n FROM user WHERE id > 0`),
    activeusers: count(sql`SELECT count(*) AS n FROM user WHERE id > 0`),
  };
}
