import { createHash } from 'node:crypto';
import { canonicalAddress } from '../../core/query/pages/ip-address.js';
import type { ContentTitle } from '../source.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { forgetFacts, indexText, storeFacts } from '../sqlite/facts.js';
import { SCHEMA_VERSION } from '../sqlite/schema.js';
import { sql } from '../sqlite/sql.js';
import type { Document } from './document.js';
import type { Target } from './titles.js';

/** A stored page of a file or an alias. */
export interface StoredPage extends ContentTitle {
  readonly id: number;
  /** The file; for an alias, that of its target. */
  readonly path: string;
  /** See `FoundFile.stamp`; empty if the file may have changed since without a new stamp. */
  readonly stamp: string;
  /** For an alias, the full title of its target. */
  readonly alias_of: string | null;
}

/** A parsed file. */
export interface ReadPage extends ContentTitle {
  readonly path: string;
  readonly stamp: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  readonly document: Document;
  /** Problems of the file, with its path. */
  readonly problems: readonly string[];
}

/** `id`: the page id, kept after the page is removed, so that it is not reused. `path`: `NULL` for a removed page. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS markdown_page (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    path TEXT,
    stamp TEXT NOT NULL DEFAULT '',
    alias_of TEXT,
    aliases TEXT NOT NULL DEFAULT '[]',
    problems TEXT NOT NULL DEFAULT '[]',
    UNIQUE (ns, title)
  );`;

/** Replaces the stamp of a file that must be parsed again. */
const READ_ANEW = 'read anew';

/** The latest revision of a page and twenty older ones. */
const MAX_REVISIONS = 21;

/** Ids are not reused after a revision is removed. */
const LAST_REVISION = sql`max(coalesce((SELECT max(id) FROM revision), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM site WHERE name = 'last revision'), 0))`;

const sha1Of = (text: string): string => createHash('sha1').update(text).digest('hex');

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

/** The pages of a folder in a database. */
export class StoredPages {
  readonly #database: ContentDatabase;
  readonly #now: () => number;

  /**
   * @param identity - Identifies the parser and its options; pages of another identity are parsed again.
   *
   * @throws Error if the database has other content.
   */
  constructor(database: ContentDatabase, identity: string, now: () => number) {
    this.#database = database;
    this.#now = now;
    const stored = (name: string): string | undefined =>
      database.first<{ value: string }>(sql`SELECT value FROM site WHERE name = ${name}`)?.value;
    const version = stored('markdown version');
    if (version === undefined && database.first(sql`SELECT 1 FROM page LIMIT 1`) !== undefined) {
      throw new Error('The database cannot be used: it contains the pages of an export. Specify a different file.');
    }
    if (version !== undefined && version !== String(SCHEMA_VERSION)) {
      throw new Error(
        'The database cannot be used: it was created by a different version of oauth-query. Delete it to create it again.',
      );
    }
    database.exec(SCHEMA);
    if (stored('markdown') === identity) return;
    database.transaction(() => {
      database.run(sql`UPDATE markdown_page SET stamp = ${READ_ANEW}`);
      const rows = JSON.stringify({ markdown: identity, 'markdown version': String(SCHEMA_VERSION) });
      database.run(sql`INSERT OR REPLACE INTO site (name, value) SELECT key, value FROM json_each(${rows})`);
    });
  }

  /** All existing pages. */
  all(): readonly StoredPage[] {
    return this.#database.all<StoredPage>(
      sql`SELECT id, ns, title, path, stamp, alias_of FROM markdown_page WHERE path IS NOT NULL`,
    );
  }

  /** The file of a page; empty if the page was removed. */
  pathOf(id: number): string {
    return (
      this.#database.first<{ path: string | null }>(sql`SELECT path FROM markdown_page WHERE id = ${id}`)?.path ?? ''
    );
  }

  /** The problems of all files. */
  problems(): readonly string[] {
    const rows = this.#database.all<{ problems: string }>(
      sql`SELECT problems FROM markdown_page WHERE problems != '[]' ORDER BY path`,
    );
    // Only written by `write`.
    return rows.flatMap(({ problems }) => JSON.parse(problems) as string[]);
  }

  /** Removes pages whose files are gone. */
  remove(pages: readonly StoredPage[]): void {
    if (pages.length === 0) return;
    this.#database.transaction(() => {
      for (const { id, path } of pages) {
        // Another process may have assigned the title to a different file.
        const row = this.#database.first(sql`SELECT 1 FROM markdown_page WHERE id = ${id} AND path = ${path}`);
        if (row !== undefined) this.#remove(id);
      }
    });
  }

  #remove(id: number): void {
    this.#database.run(sql`INSERT OR REPLACE INTO site (name, value) SELECT 'last revision', ${LAST_REVISION}`);
    forgetFacts(this.#database, id);
    this.#database.run(sql`DELETE FROM revision WHERE page = ${id}`);
    this.#database.run(sql`DELETE FROM page WHERE id = ${id}`);
    this.#database.run(
      sql`UPDATE markdown_page SET path = NULL, stamp = '', alias_of = NULL, aliases = '[]', problems = '[]' WHERE id = ${id}`,
    );
  }

  /** Writes pages in one transaction, and returns how many have changed. */
  write(pages: readonly ReadPage[]): number {
    let changed = 0;
    this.#database.transaction(() => {
      for (const page of pages) changed += this.#write(page) ? 1 : 0;
    });
    return changed;
  }

  #write(page: ReadPage): boolean {
    const { ns, title, path, stamp, text, document, problems } = page;
    const known = this.#database.first<Omit<StoredPage, 'path'> & { readonly path: string | null }>(
      sql`SELECT id, path, stamp, alias_of FROM markdown_page WHERE ns = ${ns} AND title = ${title}`,
    );
    const isSame = known?.path === path && known.alias_of === null && known.stamp !== READ_ANEW;
    if (isSame && this.#latest(known.id)?.sha1 === sha1Of(text)) {
      this.#database.run(sql`UPDATE markdown_page SET stamp = ${stamp} WHERE id = ${known.id}`);
      return false;
    }
    if (known && known.alias_of !== null) this.#remove(known.id);
    const id = known?.id ?? this.#database.run(sql`INSERT INTO markdown_page (ns, title) VALUES (${ns}, ${title})`);
    const [aliases, said] = [JSON.stringify(document.aliases), JSON.stringify(problems)];
    this.#database.run(
      sql`UPDATE markdown_page SET path = ${path}, stamp = ${stamp}, aliases = ${aliases}, problems = ${said} WHERE id = ${id}`,
    );
    this.#store({
      ...{ id, ns, title, text, model: 'markdown', format: 'text/markdown', author: document.author },
      ...{ redirect: document.redirect, links: document.links, changed: page.changed, date: document.date },
    });
    return true;
  }

  /**
   * Writes the aliases of all files as redirects. A title of a file takes precedence.
   *
   * @returns Problems with aliases that several files have.
   */
  writeAliases(prefixed: (title: ContentTitle) => string): readonly string[] {
    const taken = new Map(this.all().map((page) => [`${page.ns}:${page.title}`, page]));
    const rows = this.#database.all<StoredPage & { readonly aliases: string }>(
      sql`SELECT id, ns, title, path, stamp, aliases FROM markdown_page WHERE path IS NOT NULL AND aliases != '[]' ORDER BY path`,
    );
    const wanted = new Map<string, ContentTitle & { readonly of: StoredPage }>();
    const problems: string[] = [];
    for (const of of rows) {
      // Only written by `#write`.
      for (const { ns, title } of JSON.parse(of.aliases) as readonly ContentTitle[]) {
        const key = `${ns}:${title}`;
        const other = wanted.get(key)?.of ?? taken.get(key);
        if (other && (other.alias_of === null || other.alias_of === undefined || wanted.has(key))) {
          if (other.id !== of.id)
            problems.push(
              `${of.path}: "${prefixed({ ns, title })}" cannot be an alias of this page: it is the title of ${other.path}.`,
            );
        } else wanted.set(key, { ns, title, of });
      }
    }
    const old = [...taken.values()].filter((page) => {
      const one = page.alias_of === null ? undefined : wanted.get(`${page.ns}:${page.title}`);
      return page.alias_of !== null && (one?.of.path !== page.path || prefixed(one.of) !== page.alias_of);
    });
    this.remove(old);
    const kept = new Set(this.all().map(({ ns, title }) => `${ns}:${title}`));
    this.#database.transaction(() => {
      for (const [key, { ns, title, of }] of wanted)
        if (!kept.has(key)) this.#writeAlias({ ns, title }, of, prefixed(of));
    });
    return problems;
  }

  #writeAlias({ ns, title }: ContentTitle, of: StoredPage, to: string): void {
    this.#database
      .run(sql`INSERT INTO markdown_page (ns, title, path, alias_of) VALUES (${ns}, ${title}, ${of.path}, ${to})
      ON CONFLICT (ns, title) DO UPDATE SET path = excluded.path, alias_of = excluded.alias_of`);
    const { id = 0 } =
      this.#database.first<{ id: number }>(sql`SELECT id FROM markdown_page WHERE ns = ${ns} AND title = ${title}`) ??
      {};
    const target = this.#database.first<{ touched: string }>(sql`SELECT touched FROM page WHERE id = ${of.id}`);
    const links = (['redirect', 'link'] as const).map((kind) => ({ kind, ns: of.ns, title: of.title }));
    this.#store({
      ...{ id, ns, title, links, text: `#REDIRECT [[${to}]]`, model: 'wikitext', format: 'text/x-wiki' },
      ...{ author: undefined, date: undefined, redirect: { ns: of.ns, title: of.title, prefixed: to, fragment: '' } },
      changed: Date.parse(target?.touched ?? '') || this.#now(),
    });
  }

  /** Stores the text of a page, as a new revision if it has changed, and its links. */
  #store(page: Writing): void {
    const { id, ns, title, text, redirect } = page;
    const random = createHash('sha256').update(`${ns}:${title}`).digest().readUInt32BE(0) >>> 1;
    forgetFacts(this.#database, id);
    this.#database.run(
      sql`INSERT INTO page (id, ns, title, random) VALUES (${id}, ${ns}, ${title}, ${random}) ON CONFLICT DO NOTHING`,
    );
    const { latest, timestamp } = this.#addRevision(page);
    this.#database.run(sql`
      UPDATE page SET latest = ${latest}, length = ${Buffer.byteLength(text)}, touched = ${timestamp}, model = ${page.model},
        redirect_to = ${redirect?.prefixed ?? null}, redirect_fragment = ${redirect?.fragment ?? ''} WHERE id = ${id}`);
    storeFacts(this.#database, { id, ns, title, timestamp }, page.links);
    indexText(this.#database, id);
  }

  #addRevision({ id, text, model, format, author, changed, date }: Writing): { latest: number; timestamp: string } {
    const sha1 = sha1Of(text);
    const known = this.#latest(id);
    if (known?.sha1 === sha1) return { latest: known.id, timestamp: known.timestamp };
    // A restored file may be older than the latest revision, and a clock may be wrong: history must not go backwards.
    const time = timeOf(Math.max(0, Math.min(known ? changed : (date ?? changed), this.#now())));
    const timestamp = known && known.timestamp > time ? known.timestamp : time;
    const user = author === undefined ? undefined : this.#user(author);
    const latest = this.#database.run(sql`
      INSERT INTO revision (id, page, parent, timestamp, user, user_id, minor, comment, size, sha1, model, format, text)
      VALUES (${LAST_REVISION} + 1, ${id}, ${known?.id ?? 0}, ${timestamp}, ${author ?? null}, ${user ?? 0}, 0, '',
        ${Buffer.byteLength(text)}, ${sha1}, ${model}, ${format}, ${text})`);
    if (known) {
      this.#database.run(sql`DELETE FROM revision WHERE page = ${id} AND id NOT IN (
        SELECT id FROM revision WHERE page = ${id} ORDER BY timestamp DESC, id DESC LIMIT ${MAX_REVISIONS})`);
    }
    return { latest, timestamp };
  }

  #latest(page: number): { readonly id: number; readonly timestamp: string; readonly sha1: string } | undefined {
    return this.#database.first(
      sql`SELECT id, timestamp, sha1 FROM revision WHERE page = ${page} ORDER BY timestamp DESC, id DESC LIMIT 1`,
    );
  }

  /** The id of an author, created with the first page. IP addresses have none. */
  #user(name: string): number {
    const id = canonicalAddress(name) === undefined ? sql`(SELECT coalesce(max(id), 0) + 1 FROM user)` : sql`0`;
    this.#database.run(sql`INSERT INTO user (name, id) VALUES (${name}, ${id}) ON CONFLICT DO NOTHING`);
    return this.#database.first<{ id: number }>(sql`SELECT id FROM user WHERE name = ${name}`)?.id ?? 0;
  }
}

interface Writing extends ContentTitle {
  readonly id: number;
  readonly text: string;
  readonly model: string;
  readonly format: string;
  readonly author: string | undefined;
  readonly redirect: Target | undefined;
  readonly links: Document['links'];
  readonly changed: number;
  readonly date: number | undefined;
}
