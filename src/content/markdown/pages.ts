import { canonicalAddress } from '../../core/query/toolkit.js';
import { timeOf, titleId } from '../keys.js';
import type { MemoryPage, MemoryRevision, PageStore } from '../memory/store.js';
import type { ContentLink, ContentTitle } from '../source.js';
import type { Target } from './titles.js';

/** The text of a page, from its file. */
export interface PageText extends ContentTitle {
  readonly text: string;
  readonly model: string;
  readonly format: string;
  readonly links: readonly ContentLink[];
  readonly redirect: Target | undefined;
  readonly author: string | undefined;
  /** When the first revision was written, in milliseconds since the epoch. */
  readonly date: number | undefined;
  /** When this text was written, by front matter. */
  readonly updated: number | undefined;
  /** When the file was written, in milliseconds since the epoch. */
  readonly changed: number;
  /** The file of a page in namespace 6. */
  readonly file: MemoryPage['file'];
}

/** The latest revision of a page and twenty older ones. */
const MAX_REVISIONS = 21;

/** The author of a text that names none, as in MediaWiki. */
const UNKNOWN_USER = 'Unknown user';

/** No date is before all dates. */
const dateOf = ({ date, updated }: PageText): number => date ?? updated ?? Number.MIN_SAFE_INTEGER;

/** Writes the pages of a folder into a store. Ids are never reused, and a page that returns has its own. */
export class Pages {
  readonly #store: PageStore;
  readonly #ids = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #histories = new Map<string, readonly MemoryRevision[]>();
  #lastRevision = 0;

  constructor(store: PageStore) {
    this.#store = store;
  }

  /**
   * Writes texts, and numbers them: those without a date first, then by date, and else in their order here, which is that
   * of paths. The times of files are other ones in each copy of a folder, and must not matter.
   */
  write(texts: readonly PageText[]): void {
    for (const text of [...texts].sort((a, b) => dateOf(a) - dateOf(b))) this.#write(text, this.#timeOf(text));
    this.#store.sort();
  }

  remove(title: ContentTitle): void {
    const key = titleId(title);
    this.#histories.delete(key);
    this.#store.remove(this.#ids.get(key) ?? 0);
  }

  /** The time of the next revision of a page. A history does not go backwards if an older file is restored. */
  #timeOf(text: PageText): string {
    const last = this.#histories.get(titleId(text))?.at(-1)?.timestamp;
    const time = timeOf(text.updated ?? (last === undefined ? text.date : undefined) ?? text.changed);
    return last === undefined || time > last ? time : last;
  }

  #write(page: PageText, timestamp: string): void {
    const { ns, title, text, model, format, links, redirect, author, file } = page;
    const key = titleId(page);
    const before = this.#histories.get(key) ?? [];
    const last = before.at(-1);
    const id = this.#ids.get(key) ?? this.#ids.size + 1;
    const by = { user: author ?? UNKNOWN_USER, userid: author === undefined ? 0 : this.#userId(author) };
    this.#lastRevision += 1;
    const facts = { id: this.#lastRevision, parent: last?.id ?? 0, timestamp, comment: '' };
    const history =
      last?.text === text ? before : [...before, { ...facts, text, model, format, ...by }].slice(-MAX_REVISIONS);
    const to = redirect && { to: redirect.prefixed, ...(redirect.fragment && { fragment: redirect.fragment }) };
    this.#ids.set(key, id);
    this.#histories.set(key, history);
    this.#store.remove(id);
    const given = { ns, title, text, model, links, history, ...(to && { redirect: to }), ...(file && { file }) };
    this.#store.add(given, id);
  }

  /** An address has no id. */
  #userId(author: string): number {
    if (canonicalAddress(author) !== undefined) return 0;
    const id = this.#users.get(author) ?? this.#users.size + 1;
    this.#users.set(author, id);
    return id;
  }
}
