import { foldText, termsIn } from '../../core/query/index.js';
import { BREAK } from '../../core/query/toolkit.js';
import { wordsIn } from '../passage.js';
import { MAX_PHRASE } from '../search/bounds.js';
import type { ContentPage, ContentSearch, ContentSearchResult, ContentTerms } from '../source.js';

type SearchedPage = ContentPage & { readonly text: string };

/** A page as numbers of words: those of its title, a 0, those of its text. */
interface Document {
  readonly page: ContentPage;
  readonly words: Uint32Array;
  /** Where the title ends. */
  readonly titleEnd: number;
  readonly wordcount: number;
}

/** A word, or words that follow each other, as numbers. */
interface Part {
  /** The words with which it may begin: several for a prefix. */
  readonly first: Iterable<number>;
  /** The words after the first one; 0 for one that is in no page. */
  readonly others: readonly number[];
  /** The words after these, of which there must be one. */
  readonly last: ReadonlySet<number> | undefined;
  /** Whether it is one word. */
  readonly isWord: boolean;
}

/** A term of a search: a page has it if it has all its parts. */
type Term = readonly number[];

/** Which parts of a search begin with a word, by the number of the word. */
interface Marks {
  /** A place in `lists`, by the number of the word. */
  readonly of: Uint16Array;
  readonly lists: readonly (readonly number[])[];
}

/** The constants of BM25, and the weight of a title, as SQLite has them. */
const [K1, B, TITLE_WEIGHT] = [1.2, 0.75, 8];

/** The words of pages. A search reads the words of all pages once, so the number of pages is bounded. */
export class WordIndex {
  /** 0 is no word. */
  readonly #numbers = new Map<string, number>();
  readonly #documents = new Map<number, Document>();
  /** The words of pages that are there, and of those that were removed. */
  #live = 0;
  #removed = 0;

  add(page: SearchedPage): void {
    const title = wordsIn(page.title);
    const text = termsIn(page.text);
    const words = new Uint32Array(title.length + 1 + text.length);
    for (const [place, form] of title.entries()) words[place] = this.#numberOf(form);
    for (const [place, { form }] of text.entries()) words[title.length + 1 + place] = this.#numberOf(form);
    this.#documents.set(page.id, { page, words, titleEnd: title.length, wordcount: foldText(page.text).words });
    this.#live += words.length;
  }

  remove(id: number): void {
    const size = this.#documents.get(id)?.words.length ?? 0;
    this.#documents.delete(id);
    this.#live -= size;
    this.#removed += size;
    if (this.#removed > this.#live) this.#forgetWords();
  }

  /** Pages with all the terms and none of the excluded ones, by relevance (BM25). */
  search(query: ContentSearch): ContentSearchResult {
    const parts: Part[] = [];
    const wanted = this.#termsOf(query, parts);
    const excluded = this.#termsOf(query.without, parts);
    const marks = this.#marksOf(parts);
    const found: { readonly document: Document; readonly times: readonly number[] }[] = [];
    const having = wanted.map(() => 0);
    let [pages, length] = [0, 0];
    const counts = new Float64Array(parts.length);
    for (const document of this.#documents.values()) {
      if (!query.namespaces.includes(document.page.ns)) continue;
      pages += 1;
      length += document.words.length - 1;
      countParts(document, query.titles, parts, marks, counts);
      const times = wanted.map((term) => Math.min(...term.map((part) => counts[part] ?? 0)));
      for (const [index, n] of times.entries()) if (n > 0) having[index] = (having[index] ?? 0) + 1;
      const isExcluded = excluded.some((term) => term.every((part) => (counts[part] ?? 0) > 0));
      if (times.every((n) => n > 0) && !isExcluded) found.push({ document, times });
    }
    const weights = having.map((n) => Math.max(1e-6, Math.log((pages - n + 0.5) / (n + 0.5))));
    const average = length / Math.max(1, pages);
    const scored = found.map(({ document, times }) => {
      const relative = K1 * (1 - B + (B * (document.words.length - 1)) / average);
      const score = times.reduce((sum, n, index) => sum + ((weights[index] ?? 0) * n * (K1 + 1)) / (n + relative), 0);
      return { document, score };
    });
    scored.sort((a, b) => b.score - a.score || a.document.page.id - b.document.page.id);
    const rows = scored
      .slice(query.offset, query.offset + query.limit)
      .map(({ document: { page, wordcount } }) => ({ page, wordcount }));
    const next = query.offset + rows.length;
    return { rows, total: { exact: found.length }, ...(next < found.length && { next }) };
  }

  #numberOf(form: string): number {
    const known = this.#numbers.get(form);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(form, number);
    return number;
  }

  /** The terms as places in a list of parts, to which they are added. */
  #termsOf({ words, phrases, prefixes }: ContentTerms, parts: Part[]): readonly Term[] {
    const add = (part: Part): number => parts.push(part) - 1;
    const plain = (forms: readonly string[]): number => {
      const [first = 0, ...others] = forms.map((form) => this.#numbers.get(form) ?? 0);
      return add({ first: [first], others, last: undefined, isWord: others.length === 0 });
    };
    return [
      ...[...words, ...phrases].map((text) => {
        const forms = wordsIn(text);
        const rest = forms.slice(MAX_PHRASE).filter((form) => form !== BREAK);
        return [plain(forms.slice(0, MAX_PHRASE)), ...rest.map((form) => plain([form]))];
      }),
      ...prefixes.map((text) => {
        const forms = wordsIn(text).slice(-MAX_PHRASE);
        const [first, ...others] = forms.slice(0, -1).map((form) => this.#numbers.get(form) ?? 0);
        const last = this.#startingWith(forms.at(-1) ?? '');
        if (first === undefined) return [add({ first: last, others, last: undefined, isWord: true })];
        return [add({ first: [first], others, last, isWord: false })];
      }),
    ];
  }

  #startingWith(start: string): ReadonlySet<number> {
    const found = new Set<number>();
    for (const [form, number] of this.#numbers) if (form.startsWith(start)) found.add(number);
    return found;
  }

  #marksOf(parts: readonly Part[]): Marks {
    const of = new Uint16Array(this.#numbers.size + 1);
    const lists: (readonly number[])[] = [[]];
    const places = new Map<string, number>([['', 0]]);
    for (const [part, { first }] of parts.entries()) {
      for (const number of first) {
        if (number === 0) continue;
        const list = [...(lists[of[number] ?? 0] ?? []), part];
        const name = list.join();
        const place = places.get(name) ?? lists.push(list) - 1;
        places.set(name, place);
        of[number] = place;
      }
    }
    return { of, lists };
  }

  /** Words that no page has any more are forgotten, so that a folder that changes for years needs no more memory. */
  #forgetWords(): void {
    const names = [...this.#numbers.keys()];
    this.#numbers.clear();
    this.#removed = 0;
    for (const { words } of this.#documents.values()) {
      for (const [place, number] of words.entries()) {
        const name = names[number - 1];
        if (name !== undefined) words[place] = this.#numberOf(name);
      }
    }
  }
}

/** Counts how often a page has each part. A part in the title counts several times. */
const countParts = (
  { words, titleEnd }: Document,
  titles: boolean,
  parts: readonly Part[],
  { of, lists }: Marks,
  counts: Float64Array,
): void => {
  counts.fill(0);
  const end = titles ? titleEnd : words.length;
  for (let place = 0; place < end; place += 1) {
    const mark = of[words[place] ?? 0] ?? 0;
    if (mark === 0) continue;
    for (const index of lists[mark] ?? []) {
      const part = parts[index];
      if (part && (part.isWord || follows(words, place + 1, part))) {
        counts[index] = (counts[index] ?? 0) + (place < titleEnd ? TITLE_WEIGHT : 1);
      }
    }
  }
};

/** Whether the other words of a part are at a place. A title is not continued in the text, because there is a 0 between. */
const follows = (words: Uint32Array, place: number, { others, last }: Part): boolean => {
  for (const [index, number] of others.entries()) if (number === 0 || words[place + index] !== number) return false;
  return last === undefined || last.has(words[place + others.length] ?? 0);
};
