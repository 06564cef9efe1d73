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

/** Options of `openMarkdown`. Each has a default. */
export interface MarkdownOptions {
  /**
   * A SQLite file for the content: the next start only reads changed files, pages keep their ids, and earlier revisions
   * are preserved. Default: in memory.
   */
  readonly database?: string;
  /** Whether to watch the folder for changes. Default `true`. */
  readonly watch?: boolean;
  /** The site: its name (default: that of the folder), language, main page, namespaces. */
  readonly site?: SiteOptions;
  /** Top-level folders whose files are pages of a namespace. Default `{ Category: 14 }`. */
  readonly namespaceFolders?: Readonly<Record<string, number>>;
  /** The maximum size of a file in bytes; larger ones are skipped and reported. Default 1,000,000. */
  readonly maxFileBytes?: number;
  /** The maximum number of files and folders. Default 100,000. */
  readonly maxFiles?: number;
  /** Called once for each problem with a file. Default: `console.warn`. */
  readonly onProblem?: (sentence: string) => void;
  /** Called after changes were read. */
  readonly onChange?: (change: MarkdownChange) => void;
  /** Returns milliseconds since the epoch. Default: `Date.now`. */
  readonly clock?: () => number;
}

/** An open folder of Markdown files. */
export interface MarkdownContent {
  /** The source for `contentQuery`. */
  readonly source: ContentSource;
  /** Reads changes now. */
  refresh(): Promise<MarkdownChange>;
  /** Stops watching and closes the database. Further calls have no effect. */
  close(): Promise<void>;
}

/**
 * Reads the Markdown files of a folder, and watches for changes until it is closed.
 *
 * ```ts
 * import { contentQuery } from 'oauth-query/content';
 * import { openMarkdown } from 'oauth-query/content/markdown';
 *
 * const docs = await openMarkdown('docs', { database: 'docs.db' });
 * export const query = contentQuery(docs.source);
 * ```
 *
 * @throws NoParser if markdown-it or js-yaml is not installed, NoDriver if SQLite is not available, TooManyFiles, Error if the folder or database cannot be used.
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
    ...sqliteSource(database, { bodyAt: (text, model) => (model === 'markdown' ? folder.bodyAt(text) : 0) }),
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

/** `docs` becomes the site `Docs`. */
const nameOf = (folder: string): string => upperFirst(basename(resolve(folder))) || 'Site';
