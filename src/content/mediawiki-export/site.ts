import type { Interwiki, NamespaceOptions, SiteOptions } from '../../core/query/index.js';
import type { ContentDatabase } from '../sqlite/database.js';
import { sql } from '../sqlite/sql.js';
import type { ExportedSite } from './reader.js';

/** Languages of interlanguage prefixes, with their own names. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  ar: 'العربية',
  bg: 'български',
  ca: 'català',
  cs: 'čeština',
  da: 'dansk',
  de: 'Deutsch',
  el: 'Ελληνικά',
  en: 'English',
  eo: 'Esperanto',
  es: 'español',
  et: 'eesti',
  eu: 'euskara',
  fa: 'فارسی',
  fi: 'suomi',
  fr: 'français',
  gl: 'galego',
  he: 'עברית',
  hi: 'हिन्दी',
  hr: 'hrvatski',
  hu: 'magyar',
  id: 'Bahasa Indonesia',
  it: 'italiano',
  ja: '日本語',
  ko: '한국어',
  lt: 'lietuvių',
  nl: 'Nederlands',
  no: 'norsk',
  pl: 'polski',
  pt: 'português',
  ro: 'română',
  ru: 'русский',
  sk: 'slovenčina',
  sl: 'slovenščina',
  sr: 'српски',
  sv: 'svenska',
  th: 'ไทย',
  tr: 'Türkçe',
  uk: 'українська',
  vi: 'Tiếng Việt',
  zh: '中文',
};

/** Interwiki prefixes of a new MediaWiki, and one for the sample. */
const OTHER_SITES: Readonly<Record<string, string>> = {
  commons: 'https://commons.wikimedia.org/wiki/$1',
  meta: 'https://meta.wikimedia.org/wiki/$1',
  mw: 'https://www.mediawiki.org/wiki/$1',
  wikibooks: 'https://en.wikibooks.org/wiki/$1',
  wikidata: 'https://www.wikidata.org/wiki/$1',
  wikipedia: 'https://en.wikipedia.org/wiki/$1',
  wikisource: 'https://wikisource.org/wiki/$1',
  wiktionary: 'https://en.wiktionary.org/wiki/$1',
  encyclopedia: 'https://encyclopedia.example/wiki/$1',
};

/** The default interwiki prefixes, because an export does not contain any. */
const interwikiOf = ({ base, language }: ExportedSite): Readonly<Record<string, Interwiki>> => {
  const [, scheme = 'https:', host = '', path = '/wiki/'] = /^(https?:)\/\/([^/]+)(\/(?:[^/]+\/)*)/.exec(base) ?? [];
  // If the host starts with the language, the other languages have sibling hosts.
  const family = host.startsWith(`${language}.`) ? host.slice(language.length) : '.site.example';
  const languages = Object.entries(LANGUAGES).map(
    ([code, name]) => [code, { url: `${scheme}//${code}${family}${path}$1`, language: name }] as const,
  );
  const others = Object.entries(OTHER_SITES).map(([prefix, url]) => [prefix, { url }] as const);
  return Object.fromEntries([...languages, ...others]);
};

const valueOf = (database: ContentDatabase, name: string): string | undefined =>
  database.first<{ value: string }>(sql`SELECT value FROM site WHERE name = ${name}`)?.value;

const storeValue = (database: ContentDatabase, name: string, value: string): void =>
  void database.run(sql`INSERT OR REPLACE INTO site (name, value) VALUES (${name}, ${value})`);

export const storeSite = (database: ContentDatabase, site: ExportedSite): void =>
  storeValue(database, 'site', JSON.stringify(site));

export const storedSite = (database: ContentDatabase): ExportedSite | undefined => {
  const value = valueOf(database, 'site');
  // Only written by `storeSite`.
  return value === undefined ? undefined : (JSON.parse(value) as ExportedSite);
};

/** The number of pages of a file that an interrupted import has written. */
export const storedProgress = (database: ContentDatabase, identity: string): number =>
  Number(valueOf(database, `import ${identity}`) ?? 0);

export const storeProgress = (database: ContentDatabase, identity: string, pages: number): void =>
  storeValue(database, `import ${identity}`, String(pages));

export const forgetProgress = (database: ContentDatabase, identity: string): void =>
  void database.run(sql`DELETE FROM site WHERE name = ${`import ${identity}`}`);

/** The site options of the query API. */
export const siteOptions = (site: ExportedSite): SiteOptions => ({
  name: site.name,
  ...(/^[\w-]{1,64}$/.test(site.database) && { id: site.database }),
  mainPage: mainPageOf(site),
  language: site.language,
  namespaces: namespaceOptions(site),
  interwiki: interwikiOf(site),
});

const mainPageOf = ({ base }: ExportedSite): string => {
  const last = base.split('/').at(-1) || 'Main Page';
  try {
    return decodeURIComponent(last).replaceAll('_', ' ');
  } catch {
    return 'Main Page';
  }
};

const namespaceOptions = ({ namespaces }: ExportedSite): Readonly<Record<number, NamespaceOptions>> =>
  Object.fromEntries(
    namespaces.map(({ id, name, case: letters, aliases }): [number, NamespaceOptions] => [
      id,
      {
        name,
        case: letters === 'case-sensitive' ? letters : 'first-letter',
        ...(aliases && { aliases }),
        ...(id > 15 && { canonical: name, subpages: id % 2 === 1 }),
      },
    ]),
  );
