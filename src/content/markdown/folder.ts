import { realpathSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Render, Site, SiteOptions } from '../../core/query/index.js';
import { prefixedTitle } from '../../core/query/toolkit.js';
import { compareText, FILE, timeOf, titleId } from '../keys.js';
import { PageStore } from '../memory/store.js';
import type { ContentTitle } from '../source.js';
import { type Document, readDocument, wikiTarget } from './document.js';
import { decodeText } from './encoding.js';
import { Pages, type PageText } from './pages.js';
import type { Peers } from './peers.js';
import { rendererOf } from './render.js';
import { type Bounds, type ScanResult, type FoundFile, type ReadFile, readFound, scan } from './scan.js';
import { SETTLE_MS, Settling } from './settling.js';
import { fileAddress, rankOf, type Target, Titles } from './titles.js';
import { Watcher } from './watcher.js';

/** The changes found in the folder. */
export interface MarkdownChange {
  /** The number of new and changed pages. */
  readonly written: number;
  /** The number of removed pages. */
  readonly removed: number;
}

interface FolderOptions {
  readonly site: Site;
  readonly namespaceFolders: Readonly<Record<string, number>>;
  readonly bounds: Bounds;
  /** Whether drafts are served. */
  readonly drafts: boolean;
  /** The URL of the folder, absolute or a path, with a slash at the end. */
  readonly fileUrl: string;
  readonly onProblem: (sentence: string) => void;
  readonly onChange: (change: MarkdownChange) => void;
}

/** The files with a title: its text, and the image, sound or video of a page in namespace 6. */
interface Named {
  readonly title: Target;
  readonly text: FoundFile | undefined;
  readonly media: FoundFile | undefined;
}

/** A page of a file. */
interface FilePage {
  readonly title: Target;
  readonly path: string;
  /** See `FoundFile.stamp`; empty if the file may have changed since without a new stamp. */
  readonly stamp: string;
  readonly text: string;
  readonly aliases: Document['aliases'];
  readonly date: Document['date'];
  readonly wiki: Document['wiki'];
  readonly hasCode: boolean;
  /** Problems of the file, with its path. */
  readonly problems: readonly string[];
}

/** What was read of a file: its page if it has changed, or that it is a draft. */
type Reading = { readonly file: FilePage; readonly page?: PageText } | 'draft';

/** The number of files after which other work runs. Meanwhile, requests read the previous content. */
const PIECE = 50;

/** A file that changed this recently may change again without a new modification time. */
const COARSE_MS = 2_000;

/** The maximum number of problems to report. */
const MAX_PROBLEMS = 100;

/** Keeps a store up to date with a folder of files. */
export class Folder {
  readonly root: string;
  readonly renderer: Render;
  readonly store = new PageStore();
  readonly #pages = new Pages(this.store);
  readonly #titles: Titles;
  readonly #peers: Peers;
  readonly #options: FolderOptions;
  #files: ReadonlyMap<string, FilePage> = new Map();
  /** The titles of aliases, with those of their targets. */
  #aliases: ReadonlyMap<string, PageText> = new Map();
  /** The paths of drafts that are not served. */
  #drafts: ReadonlySet<string> = new Set();
  readonly #settling = new Settling();
  /** Whether short names may mean others than before the refresh that is running. */
  #titlesChanged = false;
  #watcher: Watcher | undefined;
  #told: ReadonlySet<string> = new Set();
  #refreshing: Promise<MarkdownChange> | undefined;
  #isClosed = false;

  /** @throws Error if it is not a folder. */
  constructor(folder: string, peers: Peers, options: FolderOptions) {
    this.root = realpathSync(folder);
    if (!statSync(this.root).isDirectory()) throw new Error(`${folder} is a file, not a folder.`);
    this.#peers = peers;
    this.#options = options;
    this.#titles = new Titles(options.site, options.namespaceFolders);
    const pathOf = (id: number): string => {
      const page = this.store.page(id);
      return (page && this.#files.get(titleId(page))?.path) ?? '';
    };
    this.renderer = rendererOf(this.#titles, peers, { pathOf, fileUrl: options.fileUrl });
  }

  /** Starts watching at the next refresh. */
  watch(): void {
    const rescan = async (): Promise<void> => {
      try {
        const change = await this.#inTurn('settled');
        if (change.written + change.removed > 0) this.#options.onChange(change);
      } catch (error) {
        this.#tell([`${this.root} could not be read again: ${reasonOf(error)}. The previous content is still served.`]);
      }
    };
    this.#watcher = new Watcher(this.root, rescan, this.#options.onProblem);
  }

  /** The statistics of the site, counted once at startup, as those of an export. */
  get statistics(): NonNullable<SiteOptions['statistics']> {
    const pages = [...this.store.pages];
    const articles = pages.filter(({ ns, redirect }) => ns === 0 && !redirect).length;
    const images = pages.filter(({ ns }) => ns === FILE).length;
    return { pages: pages.length, articles, edits: this.store.revisions.size, images, users: this.store.userIds.size };
  }

  /** Reads the changes in the folder, as the files are now. */
  refresh(): Promise<MarkdownChange> {
    return this.#inTurn('all');
  }

  /** Concurrent calls run one after the other. */
  async #inTurn(changes: 'all' | 'settled'): Promise<MarkdownChange> {
    while (this.#refreshing) await this.#refreshing.catch(() => undefined);
    this.#refreshing = this.#refresh(changes);
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

  async #refresh(which: 'all' | 'settled'): Promise<MarkdownChange> {
    let found: ScanResult | undefined;
    try {
      found = await scan(this.root, this.#options.bounds, (path) => this.#watcher?.enter(path));
    } finally {
      this.#watcher?.scanned(found !== undefined);
    }
    const { files: served, held } =
      which === 'all' ? this.#settling.take(found.files) : this.#settling.hold(found.files, performance.now());
    if (held.size > 0) this.#watcher?.again(SETTLE_MS);
    const problems = [...found.problems];
    const files = new Map<string, FilePage>();
    const changed: PageText[] = [];
    const drafts = new Set<string>();
    const wanted = this.#named(served, problems);
    this.#titlesChanged = this.#titles.know(
      [...wanted.values()].flatMap(({ title, text, media }) => {
        const path = media?.path ?? text?.path ?? '';
        return this.#isDraftPath(path) ? [] : [{ title, path }];
      }),
    );
    for (const [index, [key, named]] of [...wanted].entries()) {
      if (index % PIECE === PIECE - 1) await setImmediate();
      if (this.#isClosed) return { written: 0, removed: 0 };
      const known = this.#files.get(key);
      const isHeld = named.text !== undefined && held.has(named.text.path);
      const read = isHeld ? this.#kept(named, known) : this.#read(named, known, problems);
      if (read === 'draft') drafts.add(named.text?.path ?? '');
      if (!read || read === 'draft') continue;
      files.set(key, read.file);
      if (read.page) changed.push(read.page);
    }
    this.#drafts = drafts;
    if (drafts.size > 0) {
      problems.push(
        `${this.root}: ${drafts.size === 1 ? 'one draft is' : `${drafts.size} drafts are`} not served. To serve drafts, set drafts: true.`,
      );
    }
    problems.push(...[...files.values()].flatMap((file) => file.problems));
    const coded = [...files.values()].filter(({ hasCode }) => hasCode).length;
    if (coded > 0)
      problems.push(`${this.root}: Shortcodes, Liquid and MDX are shown as text. Files with them: ${coded}.`);
    const aliases = this.#aliasesOf(files, changed, problems);
    return this.#replace(files, changed, aliases, problems);
  }

  /** The files by title. If several have the same title, the first wins, and Markdown before others. */
  #named(found: readonly FoundFile[], problems: string[]): ReadonlyMap<string, Named> {
    const wanted = new Map<string, Named>();
    for (const file of found) {
      const kind = file.mime === undefined ? 'text' : 'media';
      const title = kind === 'text' ? this.#titles.ofFile(file.path) : this.#titles.ofMedia(file.path);
      if ('reason' in title) {
        problems.push(`${file.path}: The file is skipped, because its name is not a valid title. ${title.reason}`);
        continue;
      }
      const others = wanted.get(titleId(title)) ?? { title, text: undefined, media: undefined };
      const taken = others[kind];
      const isBetter = taken !== undefined && rankOf(file.path) < rankOf(taken.path);
      if (!taken || isBetter) wanted.set(titleId(title), { ...others, title, [kind]: file });
      if (taken) {
        const [kept, skipped] = isBetter ? [file, taken] : [taken, file];
        problems.push(
          `${skipped.path}: The file is skipped, because ${kept.path} already has the title "${title.prefixed}". Rename one of them.`,
        );
      }
    }
    return wanted;
  }

  #isDraftPath(path: string): boolean {
    return !this.#options.drafts && path.split('/').includes('_drafts');
  }

  /** Whether the wiki links of a page lead where they led. */
  #leadsOn({ wiki }: FilePage): boolean {
    return !this.#titlesChanged || wiki.every(({ href, ns, to }) => wikiTarget(href, ns, this.#titles) === to);
  }

  /** What was served of a file that is changing. */
  #kept({ text }: Named, known: FilePage | undefined): Reading | undefined {
    if (this.#drafts.has(text?.path ?? '')) return 'draft';
    return known?.path === text?.path ? known && { file: known } : undefined;
  }

  /** Reads a file: its page, if it has changed. `undefined` if it cannot be read, `draft` if it is not served. */
  #read({ title, text: source, media }: Named, known: FilePage | undefined, problems: string[]): Reading | undefined {
    const path = (source ?? media)?.path ?? '';
    if (source && this.#isDraftPath(path)) return 'draft';
    const stamps = [source?.stamp, media?.stamp].join();
    const isSame = known?.path === path && known.stamp === stamps;
    const leadsOn = known !== undefined && this.#leadsOn(known);
    if (isSame && leadsOn) return { file: known };
    const now = Date.now();
    const found = source ? readFound(this.root, source, this.#options.bounds) : NO_TEXT;
    if (typeof found === 'string') problems.push(`${path}: ${found}`);
    if (typeof found !== 'object') return undefined;
    // It is being written; the next refresh reads it.
    if (source && known && found.stamp !== source.stamp) return this.#kept({ title, text: source, media }, known);
    const decoded = decodeText(found.bytes);
    if ('reason' in decoded) problems.push(`${path}: ${decoded.reason}`);
    if ('reason' in decoded) return undefined;
    const { text, problem } = decoded;
    const document = readDocument(text, path, this.#titles, this.#peers);
    if (document.isDraft && !this.#options.drafts) return 'draft';
    const encoding = problem && `${path}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`;
    const file = {
      ...{ title, path, text },
      aliases: document.aliases,
      date: document.date ?? document.updated,
      wiki: document.wiki,
      hasCode: document.hasCode,
      stamp: found.settledAt < now - COARSE_MS ? stamps : '',
      problems: [...document.problems, ...(encoding === undefined ? [] : [encoding])],
    };
    if (known?.path === path && known.text === text && !media && leadsOn) return { file };
    const page = {
      ...document,
      ns: title.ns,
      title: title.title,
      text,
      model: 'markdown',
      format: 'text/markdown',
      changed: source ? found.changed : (media?.changed ?? now),
      file: media && {
        url: fileAddress(this.#options.fileUrl, media.path),
        size: media.size,
        mime: media.mime ?? '',
        timestamp: timeOf(media.changed),
      },
    };
    return { file, page };
  }

  /** The aliases of all files, as redirects. The title of a file takes precedence. */
  #aliasesOf(
    files: ReadonlyMap<string, FilePage>,
    changed: readonly PageText[],
    problems: string[],
  ): ReadonlyMap<string, PageText> {
    const times = new Map(changed.map((page) => [titleId(page), page.updated ?? page.date ?? page.changed]));
    const owners = new Map<string, FilePage>();
    const aliases = new Map<string, PageText>();
    for (const file of [...files.values()].sort((a, b) => compareText(a.path, b.path))) {
      const { ns, title, prefixed } = file.title;
      const id = titleId(file.title);
      for (const alias of file.aliases) {
        const key = titleId(alias);
        const other = files.get(key) ?? owners.get(key);
        if (other && other !== file) {
          const name = prefixedTitle(alias.ns, alias.title, this.#options.site);
          problems.push(`${file.path}: "${name}" cannot be an alias of this page: it is the title of ${other.path}.`);
        }
        if (other) continue;
        owners.set(key, file);
        aliases.set(key, {
          ...alias,
          ...{ text: `#REDIRECT [[${prefixed}]]`, model: 'wikitext', format: 'text/x-wiki' },
          links: (['redirect', 'link'] as const).map((kind) => ({ kind, ns, title })),
          redirect: { ns, title, prefixed, fragment: '' },
          author: undefined,
          date: file.date,
          updated: undefined,
          file: undefined,
          changed: times.get(id) ?? Date.parse(this.store.byTitle.get(id)?.touched ?? ''),
        });
      }
    }
    return aliases;
  }

  /** Replaces the content, while no request runs. */
  #replace(
    files: ReadonlyMap<string, FilePage>,
    changed: readonly PageText[],
    aliases: ReadonlyMap<string, PageText>,
    problems: readonly string[],
  ): MarkdownChange {
    const titles = new Map<string, ContentTitle>(this.#aliases);
    for (const [key, { title }] of this.#files) titles.set(key, title);
    for (const [key, title] of titles) if (!files.has(key) && !aliases.has(key)) this.#pages.remove(title);
    const redirects = [...aliases].filter(([key, { text }]) => this.#aliases.get(key)?.text !== text);
    this.#pages.write([...changed, ...redirects.map(([, alias]) => alias)]);
    const removed = [...this.#files.keys()].filter((key) => !files.has(key)).length;
    this.#files = files;
    this.#aliases = aliases;
    this.#tell(problems);
    return { written: changed.length, removed };
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

/** The text of a page that only has an image, sound or video. */
const NO_TEXT: ReadFile = { bytes: Buffer.alloc(0), stamp: '', changed: 0, settledAt: 0 };

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
