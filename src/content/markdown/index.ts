/**
 * A folder of Markdown files as content.
 *
 * @module oauth-query/content/markdown
 */

import { basename, resolve } from 'node:path';
import { CONTENT_MODELS } from '../../core/query/catalogue/value-sets.js';
import { upperFirst } from '../../core/query/pages/title.js';
import type { SiteOptions } from '../../core/query/index.js';
import { resolveSite } from '../../core/query/site/site.js';
import type { ContentSource } from '../source.js';
import { ContentDatabase } from '../sqlite/database.js';
import { sqliteModules } from '../sqlite/modules/index.js';
import { sqliteSource } from '../sqlite/source.js';
import { statisticsOf } from '../sqlite/statistics.js';
import { Folder, type MarkdownChange } from './folder.js';
import { loadPeers } from './peers.js';

export { NoDriver } from '../sqlite/database.js';
export type { MarkdownChange } from './folder.js';
export { NoParser } from './peers.js';
export { TooManyFiles } from './scan.js';

/** Options of `openMarkdown`; everything has a default. */
export interface MarkdownOptions {
  /**
   * A SQLite file that keeps what was read: the next start reads only the files that have changed, pages keep their ids, and
   * earlier texts stay. Memory unless told.
   */
  readonly database?: string;
  /** Whether changes are noticed while the content is served. Default `true`. */
  readonly watch?: boolean;
  /** What is known of the site: its name (default: that of the folder), language, main page, namespaces. */
  readonly site?: SiteOptions;
  /** Folders, at the top, whose files are pages of a namespace. Default `{ Category: 14 }`. */
  readonly namespaceFolders?: Readonly<Record<string, number>>;
  /** Bytes of one file; a larger one is left out and reported. Default 1,000,000. */
  readonly maxFileBytes?: number;
  /** Files and folders altogether. Default 100,000. */
  readonly maxFiles?: number;
  /** Called with a sentence about a file that cannot be read as it is meant, once for each. `console.warn` unless told. */
  readonly onProblem?: (sentence: string) => void;
  /** Called when changes were noticed and read. */
  readonly onChange?: (change: MarkdownChange) => void;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  readonly clock?: () => number;
}

/** A folder whose files are served. */
export interface MarkdownContent {
  /** For `contentQuery`. */
  readonly source: ContentSource;
  /** Looks for changes now. */
  refresh(): Promise<MarkdownChange>;
  /** Ends the watching and closes the database. A second time means nothing. */
  close(): Promise<void>;
}

/**
 * Reads the Markdown files of a folder, and follows their changes until it is closed.
 *
 * ```ts
 * import { contentQuery } from 'oauth-query/content';
 * import { openMarkdown } from 'oauth-query/content/markdown';
 *
 * const docs = await openMarkdown('docs', { database: 'docs.db' });
 * export const query = contentQuery(docs.source);
 * ```
 *
 * @throws NoParser when markdown-it or js-yaml is not installed, NoDriver when there is no SQLite, TooManyFiles, Error when the
 * folder or the database cannot be used.
 */
export async function openMarkdown(folder: string, options: MarkdownOptions = {}): Promise<MarkdownContent> {
  const peers = await loadPeers();
  const database = new ContentDatabase(options.database ?? ':memory:');
  let opened: Folder | undefined;
  try {
    const site = { name: nameOf(folder), contentModels: [...CONTENT_MODELS, 'markdown'], ...options.site };
    opened = new Folder(folder, database, peers, {
      site: resolveSite(site),
      namespaceFolders: options.namespaceFolders ?? { Category: 14 },
      bounds: { files: options.maxFiles ?? 100_000, fileBytes: options.maxFileBytes ?? 1_000_000 },
      clock: options.clock ?? Date.now,
      onProblem: options.onProblem ?? console.warn,
      onChange: options.onChange ?? (() => undefined),
    });
    if (options.watch !== false) opened.watch();
    await opened.refresh();
    return contentOf(opened, database, site);
  } catch (error) {
    await opened?.close();
    database.close();
    throw error;
  }
}

const contentOf = (folder: Folder, database: ContentDatabase, site: SiteOptions): MarkdownContent => ({
  source: {
    ...sqliteSource(database),
    site: { ...site, statistics: statisticsOf(database) },
    render: folder.renderer,
    markup: (model) => (model === 'markdown' ? folder.markup : undefined),
    modules: sqliteModules(database),
  },
  refresh: () => folder.refresh(),
  close: async () => {
    await folder.close();
    database.close();
  },
});

/** `docs` is the site `Docs`. */
const nameOf = (folder: string): string => upperFirst(basename(resolve(folder))) || 'Site';
