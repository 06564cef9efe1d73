import { realpathSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { systemTimer } from '../../core/base/system.js';
import { prefixedTitle } from '../../core/query/pages/title.js';
import type { Renderer, Site } from '../../core/query/index.js';
import type { ContentMarkup } from '../source.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { readDocument } from './document.js';
import { readFrontMatter } from './front-matter.js';
import { markdownMarkup } from './markup.js';
import { type ReadPage, StoredPages, type StoredPage } from './pages.js';
import type { Peers } from './peers.js';
import { rendererOf } from './render.js';
import { type Bounds, type FoundFile, readFound, scan } from './scan.js';
import { type Target, Titles } from './titles.js';
import { Watcher } from './watcher.js';

/** The changes found in the folder. */
export interface MarkdownChange {
  /** The number of new and changed pages. */
  readonly written: number;
  /** The number of removed pages. */
  readonly removed: number;
}

export interface FolderOptions {
  readonly site: Site;
  readonly namespaceFolders: Readonly<Record<string, number>>;
  readonly bounds: Bounds;
  readonly clock: () => number;
  readonly onProblem: (sentence: string) => void;
  readonly onChange: (change: MarkdownChange) => void;
}

/** Files and bytes per transaction. Meanwhile, requests read the previous content. */
const BATCH_FILES = 100;
const BATCH_BYTES = 2_000_000;

/** Changes are read after a quiet period of this length, but no later than the maximum delay. */
const QUIET_MS = 50;
const MAX_DELAY_MS = 1_000;

/** A file that changed this recently may change again without a new modification time. */
const COARSE_MS = 2_000;

/** The maximum number of problems to report. */
const MAX_PROBLEMS = 100;

/** Synchronizes a database with a folder of files. */
export class Folder {
  readonly root: string;
  readonly renderer: Renderer;
  readonly markup: ContentMarkup;
  readonly #pages: StoredPages;
  readonly #titles: Titles;
  readonly #peers: Peers;
  readonly #options: FolderOptions;
  #watcher: Watcher | undefined;
  #told: ReadonlySet<string> = new Set();
  #refreshing: Promise<MarkdownChange> | undefined;
  #isDirty = false;
  #isFollowing = false;
  #isClosed = false;

  /** @throws Error if it is not a folder, or the database has other content. */
  constructor(folder: string, database: ContentDatabase, peers: Peers, options: FolderOptions) {
    this.root = realpathSync(folder);
    if (!statSync(this.root).isDirectory()) throw new Error(`${folder} is a file, not a folder.`);
    this.#peers = peers;
    this.#options = options;
    this.#titles = new Titles(options.site, options.namespaceFolders);
    const { site } = options;
    const identity = JSON.stringify([READER, site.mainPage, site.namespaces, options.namespaceFolders]);
    this.#pages = new StoredPages(database, identity, options.clock);
    this.markup = markdownMarkup(peers);
    this.renderer = rendererOf(this.#titles, peers, (page) => this.#pages.pathOf(page));
  }

  /** Where the body of a text begins, after its front matter. */
  bodyAt(text: string): number {
    return text.length - readFrontMatter(text, this.#peers.yaml).body.length;
  }

  /** Starts watching at the next refresh. */
  watch(): void {
    const failed = (path: string, error: unknown): void =>
      this.#options.onProblem(
        `${path === '' ? this.root : path}: this folder cannot be watched: ${reasonOf(error)}. Restart, or call refresh().`,
      );
    this.#watcher = new Watcher(this.root, () => this.#changed(), failed);
  }

  /** Reads the changes in the folder. Concurrent calls run one after the other. */
  async refresh(): Promise<MarkdownChange> {
    while (this.#refreshing) await this.#refreshing.catch(() => undefined);
    this.#refreshing = this.#refresh();
    try {
      return await this.#refreshing;
    } finally {
      this.#refreshing = undefined;
    }
  }

  /** Stops watching; resolves when no refresh is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    await this.#refreshing?.catch(() => undefined);
  }

  #changed(): void {
    this.#isDirty = true;
    if (this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    void this.#follow().finally(() => (this.#isFollowing = false));
  }

  /** Changes during a refresh are read by the next one. */
  async #follow(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      for (let waited = 0; this.#isDirty && waited < MAX_DELAY_MS; waited += QUIET_MS) {
        this.#isDirty = false;
        await new Promise<void>((resolve) => systemTimer(resolve, QUIET_MS));
      }
      this.#isDirty = false;
      if (this.#isClosed) return;
      try {
        const change = await this.refresh();
        if (change.written + change.removed > 0) this.#options.onChange(change);
      } catch (error) {
        this.#options.onProblem(
          `${this.root} could not be read again: ${reasonOf(error)}. The previous content is still served.`,
        );
      }
    }
  }

  async #refresh(): Promise<MarkdownChange> {
    const { bounds } = this.#options;
    const found = await scan(this.root, bounds, (path, inode) => {
      if (!this.#isClosed) this.#watcher?.enter(path, inode);
    });
    this.#watcher?.keep(found.folders);
    const problems = found.problems.map(([path, message]) => `${path}: ${message}`);
    const wanted = this.#named(found.files, problems);
    const stored = new Map(this.#pages.all().map((page) => [keyOf(page), page]));
    const gone = [...stored]
      .filter(([key, page]) => page.alias_of === null && !wanted.has(key))
      .map(([, page]) => page);
    this.#pages.remove(gone);
    const changed = [...wanted].filter(([key, { file }]) => !isSame(file, stored.get(key))).map(([, one]) => one);
    const written = await this.#read(changed, problems);
    const aliases = this.#pages.writeAliases(({ ns, title }) => prefixedTitle(ns, title, this.#options.site));
    this.#tell([...problems, ...this.#pages.problems(), ...aliases]);
    return { written, removed: gone.length };
  }

  /** The files by title. If several have the same title, the first wins. */
  #named(files: readonly FoundFile[], problems: string[]): ReadonlyMap<string, Named> {
    const wanted = new Map<string, Named>();
    for (const file of files) {
      const title = this.#titles.ofFile(file.path);
      if ('reason' in title) {
        problems.push(`${file.path}: The file is skipped, because its name is not a valid title. ${title.reason}`);
        continue;
      }
      const other = wanted.get(keyOf(title));
      if (!other) wanted.set(keyOf(title), { file, title });
      else
        problems.push(
          `${file.path}: The file is skipped, because ${other.file.path} already has the title "${title.prefixed}". Rename one of them.`,
        );
    }
    return wanted;
  }

  async #read(changed: readonly Named[], problems: string[]): Promise<number> {
    let batch: ReadPage[] = [];
    let bytes = 0;
    let read = 0;
    for (const one of changed) {
      if (this.#isClosed) break;
      const page = this.#readPage(one);
      if (typeof page === 'string') problems.push(page);
      if (typeof page !== 'object') continue;
      batch.push(page);
      bytes += page.text.length;
      if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
      read += this.#pages.write(batch);
      [batch, bytes] = [[], 0];
      await setImmediate();
    }
    if (batch.length > 0) read += this.#pages.write(batch);
    return read;
  }

  #readPage({ file, title }: Named): ReadPage | string | undefined {
    const { path } = file;
    const { bounds, clock } = this.#options;
    const now = clock();
    const found = readFound(this.root, file, bounds);
    if (found === undefined) return undefined;
    if (typeof found === 'string') return `${path}: ${found}`;
    const text = UTF_8.decode(found.bytes).replaceAll('\0', '\ufffd');
    const document = readDocument(text, path, this.#titles, this.#peers);
    const said = document.problems.map(
      ({ line, message }) => `${path}${line === undefined ? '' : `:${line}`}: ${message}`,
    );
    if (text.includes('\ufffd') && !isUtf8(found.bytes))
      said.push(`${path}: The file is not valid UTF-8. Invalid bytes are replaced with U+FFFD.`);
    const { ns, title: name } = title;
    const stamp = found.settledAt < now - COARSE_MS ? found.stamp : '';
    return { ns, title: name, path, stamp, text, changed: found.changed, document, problems: said };
  }

  /** Reports new problems. */
  #tell(problems: readonly string[]): void {
    const fresh = problems.filter((problem) => !this.#told.has(problem));
    this.#told = new Set(problems);
    for (const problem of fresh.slice(0, MAX_PROBLEMS)) this.#options.onProblem(problem);
    const more = fresh.length - MAX_PROBLEMS;
    if (more > 0) this.#options.onProblem(`${this.root}: ${more} more problems.`);
  }
}

/** Incremented when the parser produces different results for the same text. */
const READER = 1;

interface Named {
  readonly file: FoundFile;
  readonly title: Target;
}

const keyOf = ({ ns, title }: { readonly ns: number; readonly title: string }): string => `${ns}:${title}`;

const isSame = (file: FoundFile, page: StoredPage | undefined): boolean =>
  page !== undefined && page.alias_of === null && page.path === file.path && page.stamp === file.stamp;

const UTF_8 = new TextDecoder();

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
