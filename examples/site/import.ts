import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import type { ExportedPage, ExportedRevision, ExportedSite, ExportListener, ReadProgress } from './export-reader.js';
import { readExport } from './export-reader.js';
import { forgetFacts, storeFacts } from './facts-table.js';
import { storedSite, storeSite, titleRules } from './site-facts.js';
import { sql } from './sql.js';
import { titleKey, type TitleRules } from './titles.js';
import { readWikitext } from './wikitext.js';

export interface ImportOptions {
  /** Milliseconds since the epoch, for the log. */
  readonly clock?: () => number;
  readonly onProgress?: (progress: ReadProgress & { readonly pages: number }) => void;
}

export interface Imported {
  readonly pages: number;
  readonly revisions: number;
}

/** Pages and bytes of text that are written at once: others read meanwhile what was there before. */
const BATCH_PAGES = 200;
const BATCH_BYTES = 4_000_000;

/** The name that the log gives to who brings pages from elsewhere. */
export const IMPORTER = 'Importer';

/**
 * Reads an export into the database, which may hold others already: a page of the same title gets the revisions that it
 * does not have, and an id that is taken is replaced by a free one.
 *
 * @throws BrokenExport; what came before is in the database then, in whole pages.
 */
export async function importExport(database: Database, file: string, options: ImportOptions = {}): Promise<Imported> {
  const importer = new Importer(database, options.clock ?? Date.now);
  let complete = false;
  try {
    await readExport(file, importer, (progress) =>
      options.onProgress?.({ ...progress, pages: importer.imported.pages }),
    );
    complete = true;
  } finally {
    importer.finish(complete);
  }
  return importer.imported;
}

class Importer implements ExportListener {
  readonly imported = { pages: 0, revisions: 0 };
  readonly #database: Database;
  readonly #clock: () => number;
  #rules: TitleRules;
  /** The pages of this batch, each with all its revisions: the file is read in pieces, the database written in batches. */
  #bytes = 0;
  #written = 0;
  #batch: { readonly page: ExportedPage; readonly revisions: ExportedRevision[] }[] = [];

  constructor(database: Database, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
    // An export may leave out what it says about its site.
    const site = storedSite(database) ?? { name: 'Site', database: 'site', base: '', language: 'en', namespaces: [] };
    storeSite(database, site);
    this.#rules = titleRules(site);
  }

  site(site: ExportedSite): void {
    storeSite(this.#database, site);
    this.#rules = titleRules(site);
  }

  page(page: ExportedPage): void {
    this.#batch.push({ page, revisions: [] });
  }

  revision(revision: ExportedRevision): void {
    const current = this.#batch.at(-1);
    current?.revisions.push(revision);
    this.#bytes += revision.text?.length ?? 0;
    if (!current || this.#bytes < BATCH_BYTES) return;
    // A page with a long history is written in several steps.
    this.#write();
    this.page(current.page);
  }

  pageEnd(): void {
    this.imported.pages += 1;
    if (this.#batch.length >= BATCH_PAGES) this.#write();
  }

  /** A page that was cut short is left out. */
  finish(complete: boolean): void {
    if (!complete) this.#batch.splice(this.imported.pages - this.#written);
    this.#write();
  }

  #write(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    this.#written = this.imported.pages;
    if (batch.length === 0) return;
    this.#database.transaction(() => {
      for (const { page, revisions } of batch) this.#writePage(page, revisions);
    });
  }

  #writePage({ title, ns, id }: ExportedPage, revisions: readonly ExportedRevision[]): void {
    const text = ns === 0 ? title : title.slice(title.indexOf(':') + 1);
    const key = titleKey(text, ns, this.#rules);
    const known = this.#database.first<{ id: number }>(sql`SELECT id FROM page WHERE ns = ${ns} AND title = ${key}`);
    const page = known?.id ?? this.#addPage(ns, key, id);
    const added = revisions.filter((revision) => this.#addRevision(page, revision)).length;
    if (added === 0) return;
    this.imported.revisions += added;
    if (known) forgetFacts(this.#database, page);
    this.#index(page, ns, key);
    const now = new Date(this.#clock()).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#database.run(sql`
      INSERT INTO log (type, action, page, ns, title, user, timestamp, comment, params)
      VALUES ('import', 'upload', ${page}, ${ns}, ${key}, ${IMPORTER}, ${now}, '', ${JSON.stringify({ count: added })})`);
  }

  #addPage(ns: number, key: string, wanted: number): number {
    const taken = wanted <= 0 || this.#database.first(sql`SELECT 1 FROM page WHERE id = ${wanted}`) !== undefined;
    const random = createHash('sha256').update(`${ns}:${key}`).digest().readUInt32BE(0) >>> 1;
    return this.#database.run(sql`
      INSERT INTO page (id, ns, title, random) VALUES (${taken ? null : wanted}, ${ns}, ${key}, ${random})`);
  }

  /** Whether it was not there yet. */
  #addRevision(page: number, revision: ExportedRevision): boolean {
    const { id, parent, timestamp, user, userId, minor, comment, model, format, text } = revision;
    const sha1 = createHash('sha1')
      .update(text ?? '')
      .digest('hex');
    // A page can be written and protected within a second, and ids differ between sites: neither tells by itself.
    const known = this.#database.first(sql`
      SELECT 1 FROM revision WHERE page = ${page} AND timestamp = ${timestamp} AND sha1 = ${sha1}
        AND (id = ${id} OR comment IS ${comment ?? null})`);
    if (known) return false;
    const taken = id <= 0 || this.#database.first(sql`SELECT 1 FROM revision WHERE id = ${id}`) !== undefined;
    this.#database.run(sql`
      INSERT INTO revision (id, page, parent, timestamp, user, user_id, minor, comment, size, sha1, model, format, text)
      VALUES (${taken ? null : id}, ${page}, ${parent}, ${timestamp}, ${user ?? null}, ${userId}, ${Number(minor)},
        ${comment ?? null}, ${Buffer.byteLength(text ?? '')}, ${sha1}, ${model}, ${format}, ${text ?? null})`);
    if (user !== undefined) {
      this.#database.run(sql`INSERT INTO user (name, id) VALUES (${user}, ${userId})
        ON CONFLICT (name) DO UPDATE SET id = excluded.id WHERE id = 0 AND excluded.id > 0`);
    }
    return true;
  }

  /** Looks through the latest text of a page, for everything that lists and searches go by. */
  #index(page: number, ns: number, key: string): void {
    const latest = this.#database.first<{
      id: number;
      timestamp: string;
      size: number;
      model: string;
      text: string | null;
    }>(
      sql`SELECT id, timestamp, size, model, text FROM revision WHERE page = ${page} ORDER BY timestamp DESC, id DESC LIMIT 1`,
    );
    if (!latest) return;
    const text = latest.text ?? '';
    const facts = readWikitext(latest.model === 'wikitext' ? text : '', this.#rules);
    this.#database.run(sql`
      UPDATE page SET latest = ${latest.id}, length = ${latest.size}, touched = ${latest.timestamp}, model = ${latest.model},
        redirect_to = ${facts.redirect?.to ?? null}, redirect_fragment = ${facts.redirect?.fragment ?? ''}
      WHERE id = ${page}`);
    storeFacts(this.#database, { id: page, ns, key, timestamp: latest.timestamp }, facts);
    this.#database.run(sql`
      INSERT INTO page_text (rowid, title, text) VALUES (${page}, ${key.replaceAll('_', ' ')}, ${text})`);
  }
}
