import { storeSite } from '../../../src/content/mediawiki-export/site.js';
import type { ContentLink } from '../../../src/content/source.js';
import type { ContentDatabase } from '../../../src/content/sqlite/database.js';
import { storeQueryPages } from '../../../src/content/sqlite/query-pages.js';
import { countIndexWords } from '../../../src/content/sqlite/word-counts.js';
import { addPage, addRevision, storeFacts } from '../../../src/content/sqlite/write-pages.js';

/** Numbers that look random and are the same in every run (mulberry32). */
const randomNumbers = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
};

const random = randomNumbers(1);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

const SYLLABLES = [...'hbrstlmk'].flatMap((letter) => [...'aeiou'].map((vowel) => letter + vowel));
const word = (): string => Array.from({ length: 2 + random(3) }, () => pick(SYLLABLES)).join('');
const VOCABULARY = Array.from({ length: 40_000 }, word);
const COMMON = ['the', 'of', 'and', 'harbor', 'is', 'in', 'to', 'was'];

/** Words as in a natural language: a few stand everywhere, most are rare. */
const prose = (words: number): string =>
  Array.from({ length: words }, (_, at) =>
    at % 4 === 0
      ? pick(COMMON)
      : at % 40 === 1
        ? `word${random(100_000)}`
        : (VOCABULARY[Math.floor(VOCABULARY.length ** (random(1_000_000) / 1_000_000))] ?? 'the'),
  ).join(' ');

/** Ids of pages that are unlike the others. */
export const SPECIAL = { hub: 1, megabyte: 2, oneWord: 3, links: 4, hiddenText: 5, long: 10, huge: 70 } as const;
const LONG = 60;

/** The users: the first has made half of all edits. */
const userOf = (id: number) => {
  if (id % 2 === 0) return { user: 'User 1', userId: 1 };
  if (id % 10 === 1) return { user: `192.0.${(id >> 8) % 256}.${id % 256}`, userId: 0 };
  if (id % 100 === 3) return { user: undefined, userId: 0 };
  return { user: `User ${id % 2_000}`, userId: id % 2_000 };
};

const namespaceOf = (id: number): number => {
  if (id < 200) return 0;
  if (id % 20 === 0) return 14;
  if (id % 20 === 1) return 6;
  if (id % 50 === 2) return 10;
  if (id % 20 === 3) return 1;
  return id % 50 === 4 ? 8 : 0;
};

const textOf = (id: number): string => {
  if (id === SPECIAL.megabyte) return prose(170_000).slice(0, 1_000_000);
  if (id === SPECIAL.oneWord) return 'knot '.repeat(40_000);
  if (id >= SPECIAL.long && id < SPECIAL.long + LONG) return prose(10_000);
  return prose(id % 10 === 0 ? 300 : 80);
};

const titleOf = (id: number): string => (id === SPECIAL.hub ? 'Main Page' : `Page ${String(id).padStart(7, '0')}`);

const isRedirect = (id: number): boolean => id > 200 && id % 20 === 7;

/** A link to each number, of a page with far more links than any other. */
const manyLinks = (): readonly ContentLink[] =>
  Array.from({ length: 20_000 }, (_, n): ContentLink[] => [
    { kind: 'link', ns: 0, title: titleOf(n + 200) },
    { kind: 'url', ns: 0, title: `org.example.host${n}./ https`, text: `https://host${n}.example.org/` },
    { kind: 'template', ns: 10, title: `Template ${n}` },
    { kind: 'file', ns: 6, title: `File ${n}.png` },
    { kind: 'category', ns: 14, title: `Own category ${n}` },
    { kind: 'language', ns: 0, title: `de:Seite ${n}` },
    { kind: 'interwiki', ns: 0, title: `encyclopedia:Entry ${n}` },
    { kind: 'property', ns: 0, title: `property ${n}`, text: 'x' },
  ]).flat();

const linksOf = (id: number, pages: number): readonly ContentLink[] => {
  if (isRedirect(id)) return (['redirect', 'link'] as const).map((kind) => ({ kind, ns: 0, title: 'Main Page' }));
  if (id === SPECIAL.links) return manyLinks();
  const targets = new Set(['Main Page', titleOf((id % pages) + 1), `Wanted ${id % 5_000}`]);
  for (let n = 0; n < 4; n += 1) targets.add(titleOf(1 + random(pages)));
  return [
    ...[...targets].map((title) => ({ kind: 'link' as const, ns: 0, title })),
    { kind: 'template', ns: 10, title: 'Box' },
    { kind: 'file', ns: 6, title: 'Picture.png' },
    { kind: 'category', ns: 14, title: 'Everything' },
    { kind: 'category', ns: 14, title: `Group ${id % 600}` },
    { kind: 'category', ns: 14, title: `Wanted group ${id % 20_000}` },
    { kind: 'url', ns: 0, title: `org.example./${id} ${id % 2 ? 'https' : 'http'}`, text: `https://example.org/${id}` },
    { kind: 'language', ns: 0, title: `de:Seite ${id}` },
    { kind: 'interwiki', ns: 0, title: `encyclopedia:Entry ${id}` },
    { kind: 'property', ns: 0, title: 'displaytitle', text: `Page ${id}` },
  ];
};

const timeOf = (revision: number): string =>
  new Date(Date.UTC(2020, 0, 1) + (revision < 10_000 ? 0 : revision) * 1000).toISOString().replace('.000', '');

/** Options of a large site. */
export interface LargeSite {
  readonly pages: number;
  /** The number of pages of a megabyte, besides the one that is always there. */
  readonly huge: number;
}

/** Fills an empty database with pages of every kind that is expensive to read. */
export const fillLargeSite = (database: ContentDatabase, { pages, huge }: LargeSite): void => {
  const base = 'https://large.example/wiki/Main_Page';
  storeSite(database, { name: 'Large', database: 'large', base, language: 'en', namespaces: [] });
  let revision = 0;
  const megabyte = textOf(SPECIAL.megabyte);
  for (let start = 1; start <= pages; start += 1_000) {
    database.transaction(() => {
      for (let id = start; id < start + 1_000 && id <= pages; id += 1) {
        const isHuge = id === SPECIAL.megabyte || (id >= SPECIAL.huge && id < SPECIAL.huge + huge);
        const text = isHuge ? megabyte : textOf(id);
        const count = id === SPECIAL.hub || id === SPECIAL.oneWord ? 21 : id % 3 === 0 ? 2 : 1;
        const page = { id, ns: namespaceOf(id), title: titleOf(id) };
        addPage(database, page);
        for (let n = 0; n < count; n += 1) {
          revision += 1;
          addRevision(database, page, {
            ...{ id: revision, parent: n === 0 ? 0 : revision - 1, timestamp: timeOf(revision), ...userOf(revision) },
            ...{ minor: revision % 1000 === 0, comment: 'c', model: 'wikitext', format: 'text/x-wiki' },
            text: id === SPECIAL.hiddenText ? undefined : text,
          });
        }
        const latest = { id: revision, timestamp: timeOf(revision), size: text.length, model: 'wikitext' };
        const redirect = isRedirect(id) ? { to: 'Main Page' } : undefined;
        storeFacts(database, page, latest, { links: linksOf(id, pages), redirect });
      }
    });
  }
  countIndexWords(database);
  storeQueryPages(database);
};
