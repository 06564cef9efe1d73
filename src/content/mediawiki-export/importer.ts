import type { Site } from '../../core/query/index.js';
import { resolveSite } from '../../core/query/toolkit.js';
import { compareKeys, FILE } from '../keys.js';
import { mediaType } from '../media-types.js';
import { placeUser } from '../placed.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { storeQueryPages } from '../sqlite/query-pages.js';
import { sql } from '../sqlite/sql.js';
import { countEdits } from '../sqlite/statistics.js';
import { countIndexWords } from '../sqlite/word-counts.js';
import { addPage, addRevision, forgetFacts, sha1Of, storeFacts, storeFile } from '../sqlite/write-pages.js';
import { readWikitext } from '../wikitext/wikitext.js';
import { BrokenExport, type ExportSource, openExport, type ReadProgress } from './bytes.js';
import { Problems } from './problems.js';
import {
  type ExportedPage,
  type ExportedRevision,
  type ExportedSite,
  type ExportedUpload,
  type ExportListener,
  type ProblemKind,
  readExport,
  shownText,
} from './reader.js';
import { forgetProgress, siteOptions, storedProgress, storedSite, storeProgress, storeSite } from './site.js';
import { formatOf, modelOf, nameForNamespace, type PlacedTitle, placeTitle } from './titles.js';

/** Options of `importExport`. */
export interface ImportOptions {
  /**
   * Called for each page and revision that is skipped or changed, with a sentence that says why, with file and line; after 100 sentences,
   * once for each kind with the number of further ones. Default: `console.warn`.
   */
  readonly onProblem?: ((sentence: string) => void) | undefined;
  /** Called while the export is read. */
  readonly onProgress?: ((progress: ReadProgress & { readonly pages: number }) => void) | undefined;
}

/** The result of an import. */
export interface Imported {
  /** Pages read, including those of an interrupted import. */
  readonly pages: number;
  /** New revisions. */
  readonly revisions: number;
  /** Pages of which nothing was imported, or only what stood before their damage. */
  readonly skippedPages: number;
  /** Revisions that were not imported because they cannot be used. */
  readonly skippedRevisions: number;
  /** Pages with another title than in the file: in its normal form, or in the namespace that its number says. */
  readonly changedTitles: number;
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
  readonly title: PlacedTitle;
  readonly content: Content;
  readonly line: number;
}

/** What belongs to a page. */
interface Content {
  /** The latest ones. */
  readonly revisions: ExportedRevision[];
  upload: ExportedUpload | undefined;
  /** The number of its revisions in the file. */
  edits: number;
  /** The latest revision that is not among them: 0 for none. */
  before: number;
}

const noContent = (): Content => ({ revisions: [], upload: undefined, edits: 0, before: 0 });

const byTime = (a: ExportedRevision, b: ExportedRevision): number =>
  compareKeys([a.timestamp, a.id], [b.timestamp, b.id]);

/** How many names of users are remembered in their canonical form. */
const MAX_NAMES = 1_000;
/** Namespaces that the site of an export may have. */
const MAX_NAMESPACES = 1_000;

class Importer implements ExportListener {
  readonly #counts = { pages: 0, revisions: 0, skippedPages: 0, skippedRevisions: 0, changedTitles: 0 };
  readonly #database: ContentDatabase;
  readonly #source: ExportSource;
  readonly #problems: Problems;
  #exported: ExportedSite;
  #site: Site;
  /** Pages written by an interrupted import of this file. */
  #done: number;
  /** The pages of the current transaction. */
  #batch: Batched[] = [];
  #bytes = 0;
  /** Pages written, and those when the words of the index were last counted. */
  #written = 0;
  #counted = 500;
  /** What the page being read has. */
  #content = noContent();
  readonly #names = new Map<string, string>();

  constructor(database: ContentDatabase, source: ExportSource, onProblem: (sentence: string) => void) {
    this.#database = database;
    this.#source = source;
    this.#problems = new Problems(source.name, onProblem);
    this.#exported = storedSite(database) ?? NO_SITE;
    this.#site = this.#use(this.#exported);
    this.#done = source.identity === undefined ? 0 : storedProgress(database, source.identity);
    database.exec('CREATE TEMP TABLE IF NOT EXISTS page_read (id INTEGER PRIMARY KEY); DELETE FROM page_read');
  }

  get imported(): Imported {
    return { ...this.#counts };
  }

  site(exported: ExportedSite | undefined, language: string): void {
    if (exported) this.#site = this.#use(exported);
    else if (this.#exported === NO_SITE) this.#site = this.#use({ ...NO_SITE, language });
  }

  problem(kind: ProblemKind, sentence: string, place: () => number): void {
    if (this.#counts.pages < this.#done) return;
    if (kind === 'pages broken off' || kind === 'pages skipped') this.#counts.skippedPages += 1;
    if (kind === 'revisions skipped') this.#counts.skippedRevisions += 1;
    if (kind === 'titles changed') this.#counts.changedTitles += 1;
    this.#problems.add(kind, sentence, place);
  }

  revision(revision: ExportedRevision): void {
    if (this.#counts.pages < this.#done) return;
    const { revisions } = this.#content;
    this.#content.edits += 1;
    revisions.push(revision);
    if (revisions.length <= MAX_REVISIONS) return;
    revisions.sort(byTime);
    this.#content.before = revisions.shift()?.id ?? 0;
  }

  upload(upload: ExportedUpload): void {
    this.#content.upload = upload;
  }

  page(page: ExportedPage | undefined, line: () => number): void {
    const content = this.#content;
    this.#content = noContent();
    const isDone = this.#counts.pages < this.#done;
    if (page && !isDone) this.#add(page, content, line);
    this.#counts.pages += 1;
    if (this.#batch.length >= BATCH_PAGES || this.#bytes >= BATCH_BYTES) this.#write();
  }

  #add(page: ExportedPage, content: Content, line: () => number): void {
    const { title, ns } = page;
    if (content.revisions.length === 0) {
      const why = 'it has no revision that can be used.';
      return this.problem('pages skipped', `The page ${shownText(title)} is skipped: ${why}`, line);
    }
    if (ns !== undefined && !this.#site.namespace(ns)) this.#addNamespace(title, ns);
    const placed = placeTitle(title, ns, this.#site);
    if (typeof placed === 'string') {
      return this.problem('pages skipped', `The page ${shownText(title)} is skipped: ${placed}`, line);
    }
    if (placed.prefixed !== title.replaceAll('_', ' ') || (ns !== undefined && ns !== placed.ns)) {
      const now = `${shownText(placed.prefixed)} in namespace ${placed.ns}`;
      this.problem('titles changed', `The title ${shownText(title)} is ${now} here.`, line);
    }
    this.#batch.push({ page, title: placed, content, line: line() });
    for (const { text } of content.revisions) this.#bytes += text?.length ?? 0;
  }

  #addNamespace(title: string, id: number): void {
    const { namespaces } = this.#exported;
    if (namespaces.length >= MAX_NAMESPACES) return;
    const namespace = { id, name: nameForNamespace(title, id, this.#site), case: 'first-letter' };
    this.#site = this.#use({ ...this.#exported, namespaces: [...namespaces, namespace] });
  }

  /** Writes the last batch, without an incomplete page. */
  finish(complete: boolean): void {
    this.#write();
    countIndexWords(this.#database);
    if (complete) storeQueryPages(this.#database);
    const { identity } = this.#source;
    if (complete && identity !== undefined) forgetProgress(this.#database, identity);
    this.#problems.finish();
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
    this.#written += batch.length;
    this.#database.transaction(() => {
      for (const one of batch) this.#writePage(one);
      const { identity } = this.#source;
      if (identity !== undefined) storeProgress(this.#database, identity, this.#counts.pages);
    });
    // For searches during an import. Each time twice as late, because all words are counted.
    if (this.#written < 2 * this.#counted) return;
    countIndexWords(this.#database);
    this.#counted = this.#written;
  }

  #writePage({ page, title: { ns, title, prefixed }, content, line }: Batched): void {
    const database = this.#database;
    const { upload, edits } = content;
    const report = (sentence: string): void => this.problem('numbers changed', sentence, () => line);
    if (upload && ns === FILE)
      storeFile(database, { ...upload, title, mime: mediaType(title) ?? 'application/octet-stream' });
    const known = database.first<{ id: number }>(sql`SELECT id FROM page WHERE ns = ${ns} AND title = ${title}`);
    const stored = { id: known?.id ?? addPage(database, { id: page.id, ns, title }), ns, title };
    if (known && this.#isRead(known.id)) report(`There is a second page ${shownText(prefixed)}: it is the same page.`);
    database.run(sql`INSERT OR IGNORE INTO page_read (id) VALUES (${stored.id})`);
    const revisions = this.#unique(content.revisions, (id) =>
      report(`A second revision ${id} of ${shownText(prefixed)} is skipped.`),
    );
    const wanted = known ? revisions.filter((revision) => !this.#isKnown(stored.id, revision)) : revisions;
    if (wanted.length === 0) return;
    if (known) forgetFacts(database, stored.id);
    for (const revision of wanted) {
      const id = this.#writeRevision(stored, revision);
      if (revision.id > 0 && id !== revision.id && this.#isOfThisFile(revision.id))
        report(
          `A revision of ${shownText(prefixed)} has the number ${id}: ${revision.id} is that of another revision.`,
        );
    }
    if (wanted.some(({ parent }) => parent === undefined)) this.#findParents(stored.id, content);
    // Only the latest revisions of a new page are stored, but all are counted.
    countEdits(database, known ? wanted.length : edits);
    this.#counts.revisions += wanted.length;
    const latest = database.first<LatestRow>(sql`
      SELECT id, timestamp, size, model, text FROM revision WHERE page = ${stored.id}
      ORDER BY timestamp DESC, id DESC LIMIT 1`);
    if (latest) {
      const text = latest.model === 'wikitext' ? (latest.text ?? '') : '';
      storeFacts(database, stored, latest, readWikitext(text, this.#site));
    }
    if (known) this.#forgetOldest(stored.id);
  }

  /** Each revision once. */
  #unique(revisions: readonly ExportedRevision[], onSecond: (id: number) => void): readonly ExportedRevision[] {
    const ids = new Set<number>();
    return revisions.filter(({ id }) => {
      if (id > 0 && ids.has(id)) {
        onSecond(id);
        return false;
      }
      ids.add(id);
      return true;
    });
  }

  #isRead(page: number): boolean {
    return this.#database.first(sql`SELECT 1 FROM page_read WHERE id = ${page}`) !== undefined;
  }

  #isOfThisFile(revision: number): boolean {
    return (
      this.#database.first(
        sql`SELECT 1 FROM revision JOIN page_read ON page_read.id = revision.page WHERE revision.id = ${revision}`,
      ) !== undefined
    );
  }

  #writeRevision(
    page: { readonly id: number; readonly ns: number; readonly title: string },
    revision: ExportedRevision,
  ): number {
    const { user, userId, parent = -1, model = modelOf(page), format = formatOf(model) } = revision;
    const name = user === undefined ? undefined : this.#userName(user, userId);
    return addRevision(this.#database, page, { ...revision, user: name, parent, model, format });
  }

  #userName(user: string, userId: number): string {
    const key = `${userId === 0 ? 0 : 1} ${user}`;
    const known = this.#names.get(key) ?? placeUser(user, userId, this.#site);
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(key, known);
    return known;
  }

  /** The parents of revisions that name none: the ones before them in time. */
  #findParents(page: number, { before }: Content): void {
    this.#database.run(sql`
      UPDATE revision SET parent = coalesce((
        SELECT earlier.id FROM revision AS earlier
        WHERE earlier.page = revision.page AND (earlier.timestamp, earlier.id) < (revision.timestamp, revision.id)
        ORDER BY earlier.timestamp DESC, earlier.id DESC LIMIT 1), ${before})
      WHERE page = ${page} AND parent < 0`);
  }

  #isKnown(page: number, { id, timestamp, comment, text }: ExportedRevision): boolean {
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
