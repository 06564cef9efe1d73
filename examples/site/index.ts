import { contentQuery } from 'oauth-query/content';
import { type ContentDatabase, exportContent, LANGUAGES } from 'oauth-query/content/mediawiki-export';
import type { QueryOptions } from 'oauth-query/query';

export { BrokenExport, ContentDatabase, importExport, NoDriver } from 'oauth-query/content/mediawiki-export';

/** The `query` option for the content of a database. */
export const siteQuery = (database: ContentDatabase): QueryOptions =>
  contentQuery(exportContent(database), {
    languages: Object.fromEntries(
      Object.entries(LANGUAGES).map(([code, autonym]) => [code, { autonym, name: autonym }]),
    ),
  });
