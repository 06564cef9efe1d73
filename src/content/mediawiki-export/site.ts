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
function interwikiOf({ base, language }: ExportedSite): Readonly<Record<string, Interwiki>> {
  const [, scheme = 'https:', host = '', path = '/wiki/'] = /^(https?:)\/\/([^/]+)(\/(?:[^/]+\/)*)/.exec(base) ?? [];
  // If the host starts with the language, the other languages have sibling hosts.
  const family = host.startsWith(`${language}.`) ? host.slice(language.length) : '.site.example';
  const languages = Object.entries(LANGUAGES).map(([code, name]): [string, Interwiki] => [
    code,
    { url: `${scheme}//${code}${family}${path}$1`, language: name },
  ]);
  const others = Object.entries(OTHER_SITES).map(([prefix, url]): [string, Interwiki] => [prefix, { url }]);
  return Object.fromEntries([...languages, ...others]);
}

export function storeSite(database: ContentDatabase, site: ExportedSite): void {
  database.run(sql`INSERT OR REPLACE INTO site (name, value) VALUES ('site', ${JSON.stringify(site)})`);
}

export function storedSite(database: ContentDatabase): ExportedSite | undefined {
  const row = database.first<{ value: string }>(sql`SELECT value FROM site WHERE name = 'site'`);
  // Only written by `storeSite`.
  return row && (JSON.parse(row.value) as ExportedSite);
}

/** The number of pages of a file that are written; `undefined` if its import was not started, or is complete. */
export function storedProgress(database: ContentDatabase, identity: string): number | undefined {
  const row = database.first<{ value: string }>(sql`SELECT value FROM site WHERE name = ${`import ${identity}`}`);
  return row && Number(row.value);
}

export function storeProgress(database: ContentDatabase, identity: string, pages: number): void {
  const name = `import ${identity}`;
  database.run(sql`INSERT OR REPLACE INTO site (name, value) VALUES (${name}, ${String(pages)})`);
}

export function forgetProgress(database: ContentDatabase, identity: string): void {
  database.run(sql`DELETE FROM site WHERE name = ${`import ${identity}`}`);
}

/** The site options of the query API. */
export const siteOptions = (site: ExportedSite): SiteOptions => ({
  name: site.name,
  mainPage: mainPageOf(site),
  language: site.language,
  namespaces: namespaceOptions(site),
  interwiki: interwikiOf(site),
});

function mainPageOf({ base }: ExportedSite): string {
  const last = base.split('/').at(-1) ?? '';
  try {
    return last === '' ? 'Main Page' : decodeURIComponent(last).replaceAll('_', ' ');
  } catch {
    return 'Main Page';
  }
}

function namespaceOptions({ namespaces }: ExportedSite): Record<number, NamespaceOptions> {
  const options: Record<number, NamespaceOptions> = {};
  for (const { id, name, case: letters } of namespaces) {
    options[id] = {
      name,
      case: letters === 'case-sensitive' ? 'case-sensitive' : 'first-letter',
      ...(id > 15 ? { canonical: name, subpages: id % 2 === 1 } : {}),
    };
  }
  return options;
}
