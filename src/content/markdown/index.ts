/**
 * A folder of Markdown files as content.
 *
 * @module oauth-query/content/markdown
 */

import { basename, resolve } from 'node:path';
import type { SiteOptions } from '../../core/query/index.js';
import { printable, resolveSite, upperFirst } from '../../core/query/toolkit.js';
import { emptyModules } from '../answers/empty-modules.js';
import { storedContent } from '../memory/index.js';
import type { ContentSource } from '../source.js';
import { Folder, type MarkdownChange } from './folder.js';
import { markdownMarkup } from './markup.js';
import { loadPeers } from './peers.js';

export type { MarkdownChange } from './folder.js';
export { NoParser } from './peers.js';
export { TooManyFiles } from './scan.js';

/** Options of `markdownFolder`. Each has a default. */
export interface MarkdownOptions {
  /** Whether to watch the folder for changes. Default `true`. */
  readonly watch?: boolean | undefined;
  /** The site: its name (default: that of the folder), language (default `en`), main page, namespaces. */
  readonly site?: SiteOptions | undefined;
  /** Top-level folders whose files are pages of a namespace. Default `{ Category: 14 }`. */
  readonly namespaceFolders?: Readonly<Record<string, number>> | undefined;
  /** Whether to serve drafts: `draft: true`, `published: false`, and folders named `_drafts`. Default `false`. */
  readonly drafts?: boolean | undefined;
  /**
   * The URL at which your server serves the folder, absolute or a path: images in pages, and the URLs of files, start
   * with it. Default `/files/`.
   */
  readonly fileUrl?: string | undefined;
  /** The maximum size of a Markdown file in bytes; larger ones are skipped and reported. Default 1,000,000. */
  readonly maxFileBytes?: number | undefined;
  /** The maximum number of files and folders. Each search reads the words of all pages. Default 20,000. */
  readonly maxFiles?: number | undefined;
  /** Called once for each problem with a file. Default: `console.warn`. */
  readonly onProblem?: ((sentence: string) => void) | undefined;
  /** Called after changes were read. */
  readonly onChange?: ((change: MarkdownChange) => void) | undefined;
}

/** A folder of Markdown files, as a source for `contentQuery`. */
export interface MarkdownFolder extends ContentSource {
  /** Reads changes now. */
  refresh(): Promise<MarkdownChange>;
  /** Stops watching. Further calls have no effect. */
  close(): Promise<void>;
}

/**
 * Reads the Markdown files of a folder into memory, and watches for changes until it is closed.
 *
 * ```ts
 * import { contentQuery } from 'oauth-query/content';
 * import { markdownFolder } from 'oauth-query/content/markdown';
 *
 * export const query = contentQuery(await markdownFolder('docs'));
 * ```
 *
 * @throws NoParser if markdown-it or js-yaml is not installed, TooManyFiles, Error if the folder cannot be read.
 */
export async function markdownFolder(folder: string, options: MarkdownOptions = {}): Promise<MarkdownFolder> {
  const peers = await loadPeers();
  const { onProblem = console.warn, fileUrl = '/files/' } = options;
  const site: SiteOptions = {
    ...{
      name: nameOf(folder, options.site?.language ?? 'en'),
      language: 'en',
      namespaces: { 0: { defaultContentModel: 'markdown' } },
    },
    ...options.site,
  };
  const opened = new Folder(folder, peers, {
    site: resolveSite(site),
    namespaceFolders: options.namespaceFolders ?? { Category: 14 },
    bounds: { files: options.maxFiles ?? 20_000, fileBytes: options.maxFileBytes ?? 1_000_000 },
    drafts: options.drafts ?? false,
    fileUrl: fileUrl.endsWith('/') ? fileUrl : `${fileUrl}/`,
    onProblem: (sentence) => onProblem(printable(sentence)),
    onChange: options.onChange ?? (() => undefined),
  });
  if (options.watch !== false) opened.watch();
  try {
    await opened.refresh();
  } catch (error) {
    await opened.close();
    throw error;
  }
  const markup = markdownMarkup(peers);
  return {
    ...storedContent(opened.store),
    site: { ...site, statistics: { ...opened.statistics, ...site.statistics } },
    render: opened.renderer,
    markup: (model) => (model === 'markdown' ? markup : undefined),
    modules: emptyModules,
    refresh: () => opened.refresh(),
    close: () => opened.close(),
  };
}

/** `docs` becomes the site `Docs`. */
const nameOf = (folder: string, language: string): string => upperFirst(basename(resolve(folder)), language) || 'Site';
