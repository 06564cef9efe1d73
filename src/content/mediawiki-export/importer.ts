import { parseTitle, printable, resolveSite, type Site } from '../../core/query/index.js';
import { compareKeys, FILE } from '../keys.js';
import { mediaType } from '../media-types.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { storeQueryPages } from '../sqlite/query-pages.js';
import { sql } from '../sqlite/sql.js';
import { countEdits } from '../sqlite/statistics.js';
import {
  addPage,
  addRevision,
  forgetFacts,
  type NewRevision,
  sha1Of,
  storeFacts,
  storeFile,
} from '../sqlite/write-pages.js';
import { readWikitext } from '../wikitext/wikitext.js';
import {
  BrokenExport,
  type ExportedPage,
  type ExportedSite,
  type ExportedUpload,
  type ExportListener,
  type ExportSource,
  openExport,
  readExport,
  type ReadProgress,
  shownText,
} from './reader.js';
import { forgetProgress, siteOptions, storedProgress, storedSite, storeProgress, storeSite } from './site.js';

/** Options of `importExport`. */
export interface ImportOptions {
  /** Called for each page and revision that is skipped, with a sentence that says why. Default: `console.warn`. */
  readonly onProblem?: (sentence: string) => void;
  /** Called while the export is read. */
  readonly onProgress?: (progress: ReadProgress & { readonly pages: number }) => void;
}

/** The result of an import. */
export interface Imported {
  /** Pages read, including those of an interrupted import. */
  readonly pages: number;
  /** New revisions. */
  readonly revisions: number;
}

/** Pages and bytes per transaction. Meanwhile, requests read the previous content. */
const BATCH_PAGES = 200;
const BATCH_BYTES = 4_000_000;

/** The latest revision of a page and twenty older ones. */
const MAX_REVISIONS = 21;

/**
 * Imports an export into the database, which may already contain others: new revisions are added to pages with the same
 * title, and ids that are taken are replaced. The latest 21 revisions of a page are stored. An interrupted import of
 * the same file continues after the last page written. Pages and revisions without a usable title, number or time are skipped.
 *
 * @param input - A file, plain or gzipped, or the XML as a stream, such as `process.stdin`.
 * @throws BrokenExport if it is not an export, or is damaged. Complete pages before the damage are in the database.
 */
export async function importExport(
  database: ContentDatabase,
  input: string | NodeJS.ReadableStream,
  options: ImportOptions = {},
): Promise<Imported> {
  const source = await openExport(input);
  const importer = new Importer(database, source, options.onProblem ?? console.warn);
  let complete = false;
  try {
    await readExport(source, importer, (progress) =>
      options.onProgress?.({ ...progress, pages: importer.imported.pages }),
    );
    complete = true;
  } finally {
    importer.finish(complete);
  }
  return importer.imported;
}

interface Batched {
  readonly page: ExportedPage;
  readonly revisions: NewRevision[];
  upload: ExportedUpload | undefined;
  /** The number of its revisions in the file. */
  edits: number;
}

const byTime = (a: NewRevision, b: NewRevision): number => compareKeys([a.timestamp, a.id], [b.timestamp, b.id]);

class Importer implements ExportListener {
  readonly imported = { pages: 0, revisions: 0 };
  readonly #database: ContentDatabase;
  readonly #source: ExportSource;
  readonly #onProblem: (sentence: string) => void;
  #exported: ExportedSite;
  #site: Site;
  /** Pages written by an interrupted import of this file. */
  #done: number;
  /** The pages of the current transaction. */
  #batch: Batched[] = [];
  #bytes = 0;
  /** The page being read; `undefined` if it was already imported. */
  #current: Batched | undefined;

  constructor(database: ContentDatabase, source: ExportSource, onProblem: (sentence: string) => void) {
    this.#database = database;
    this.#source = source;
    this.#onProblem = onProblem;
    // An export need not contain its site.
    this.#exported = storedSite(database) ?? NO_SITE;
    this.#site = this.#use(this.#exported);
    this.#done = source.identity === undefined ? 0 : storedProgress(database, source.identity);
  }

  site(site: ExportedSite): void {
    this.#site = this.#use(site);
  }

  page(page: ExportedPage): void {
    const isDone = this.imported.pages < this.#done;
    this.#current = isDone ? undefined : { page, revisions: [], upload: undefined, edits: 0 };
    if (this.#exported.namespaces.some(({ id }) => id === page.ns) || this.#site.namespace(page.ns)) return;
    const [name = ''] = page.title.split(':');
    const namespace = { id: page.ns, name, case: 'first-letter' };
    this.#site = this.#use({ ...this.#exported, namespaces: [...this.#exported.namespaces, namespace] });
  }

  skipped(sentence: string): void {
    if (this.imported.pages >= this.#done) this.#onProblem(printable(`${this.#source.name}: ${sentence}`));
  }

  revision(revision: NewRevision): void {
    if (!this.#current) return;
    const { revisions } = this.#current;
    this.#current.edits += 1;
    revisions.push(revision);
    if (revisions.length > MAX_REVISIONS) revisions.sort(byTime).shift();
  }

  upload(upload: ExportedUpload): void {
    if (this.#current?.page.ns === FILE) this.#current.upload = upload;
  }

  pageEnd(): void {
    this.imported.pages += 1;
    if (!this.#current) return;
    const { page, revisions } = this.#current;
    if (revisions.length > 0 && this.#isUsable(page)) {
      this.#batch.push(this.#current);
      for (const { text } of revisions) this.#bytes += text?.length ?? 0;
    }
    this.#current = undefined;
    if (this.#batch.length >= BATCH_PAGES || this.#bytes >= BATCH_BYTES) this.#write();
  }

  #isUsable({ title }: ExportedPage): boolean {
    const parsed = parseTitle(title, this.#site);
    if (parsed.kind !== 'invalid') return true;
    this.skipped(`The page ${shownText(title)} is skipped: ${parsed.reason}`);
    return false;
  }

  /** Writes the last batch, without an incomplete page. */
  finish(complete: boolean): void {
    this.#write();
    if (complete) storeQueryPages(this.#database);
    const { identity } = this.#source;
    if (complete && identity !== undefined) forgetProgress(this.#database, identity);
  }

  /** @throws BrokenExport if the namespaces of the site are invalid. */
  #use(site: ExportedSite): Site {
    try {
      const resolved = resolveSite(siteOptions(site));
      storeSite(this.#database, site);
      this.#exported = site;
      return resolved;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new BrokenExport(`${this.#source.name} is damaged: its siteinfo is invalid.`);
    }
  }

  #write(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    this.#database.transaction(() => {
      for (const one of batch) this.#writePage(one);
      const { identity } = this.#source;
      if (identity !== undefined) storeProgress(this.#database, identity, this.imported.pages);
    });
  }

  #writePage({ page, revisions, upload, edits }: Batched): void {
    const database = this.#database;
    const { ns } = page;
    const title = this.#titleOf(page);
    if (upload) storeFile(database, { ...upload, title, mime: mediaType(title) ?? 'application/octet-stream' });
    const known = database.first<{ id: number }>(sql`SELECT id FROM page WHERE ns = ${ns} AND title = ${title}`);
    const stored = { id: known?.id ?? addPage(database, { id: page.id, ns, title }), ns, title };
    const wanted = known ? revisions.filter((revision) => !this.#isKnown(stored.id, revision)) : revisions;
    if (wanted.length === 0) return;
    if (known) forgetFacts(database, stored.id);
    for (const revision of wanted) addRevision(database, stored, revision);
    // Only the latest revisions of a new page are stored, but all are counted.
    countEdits(database, known ? wanted.length : edits);
    this.imported.revisions += wanted.length;
    const latest = database.first<LatestRow>(sql`
      SELECT id, timestamp, size, model, text FROM revision WHERE page = ${stored.id}
      ORDER BY timestamp DESC, id DESC LIMIT 1`);
    if (latest) {
      const text = latest.model === 'wikitext' ? (latest.text ?? '') : '';
      storeFacts(database, stored, latest, readWikitext(text, this.#site));
    }
    if (known) this.#forgetOldest(stored.id);
  }

  /** The title without the namespace, whatever its name. */
  #titleOf({ title, ns }: ExportedPage): string {
    const parsed = parseTitle(title, this.#site);
    if (parsed.kind === 'local' && parsed.ns === ns) return parsed.text;
    return (ns === 0 ? title : title.slice(title.indexOf(':') + 1)).replaceAll('_', ' ');
  }

  #isKnown(page: number, { id, timestamp, comment, text }: NewRevision): boolean {
    // Two revisions can have the same time and text, and ids differ between sites: so the id or the comment must match too.
    const known = this.#database.first(sql`
      SELECT 1 FROM revision WHERE page = ${page} AND timestamp = ${timestamp} AND sha1 = ${sha1Of(text)}
        AND (id = ${id} OR comment IS ${comment ?? null})`);
    return known !== undefined;
  }

  #forgetOldest(page: number): void {
    this.#database.run(sql`
      DELETE FROM revision WHERE page = ${page} AND id NOT IN (
        SELECT id FROM revision WHERE page = ${page} ORDER BY timestamp DESC, id DESC LIMIT ${MAX_REVISIONS})`);
  }
}

interface LatestRow {
  readonly id: number;
  readonly timestamp: string;
  readonly size: number;
  readonly model: string;
  readonly text: string | null;
}

const NO_SITE: ExportedSite = { name: 'Site', database: 'site', base: '', language: 'en', namespaces: [] };
