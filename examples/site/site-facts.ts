import type { Interwiki, NamespaceOptions, SiteOptions } from 'oauth-query';
import type { Database } from './database.js';
import type { ExportedSite } from './export-reader.js';
import { sql } from './sql.js';
import type { TitleRules } from './titles.js';

/** Languages that a prefix in a title may stand for, with what they call themselves. */
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

/** Prefixes that a new MediaWiki knows, and one for the sample. */
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

/** An export does not name the other sites that its prefixes lead to, so these are the usual ones. */
function interwikiOf({ base, language }: ExportedSite): Readonly<Record<string, Interwiki>> {
  const [, scheme = 'https:', host = '', path = '/wiki/'] = /^(https?:)\/\/([^/]+)(\/(?:[^/]+\/)*)/.exec(base) ?? [];
  // Where this site is called by its language, the others are beside it.
  const family = host.startsWith(`${language}.`) ? host.slice(language.length) : '.site.example';
  const languages = Object.entries(LANGUAGES).map(([code, name]): [string, Interwiki] => [
    code,
    { url: `${scheme}//${code}${family}${path}$1`, language: name },
  ]);
  const others = Object.entries(OTHER_SITES).map(([prefix, url]): [string, Interwiki] => [prefix, { url }]);
  return Object.fromEntries([...languages, ...others]);
}

/** What titles of the site mean, while it is read. */
export function titleRules(site: ExportedSite): TitleRules {
  const fold = (name: string): string =>
    name
      .replace(/[_\s]+/g, ' ')
      .trim()
      .toLowerCase();
  const names = new Map<string, number>(CANONICAL.map(([name, id]) => [fold(name), id]));
  const byId = new Map<number, { name: string; case: 'first-letter' | 'case-sensitive' }>();
  for (const [name, id] of CANONICAL) if (!byId.has(id)) byId.set(id, { name, case: 'first-letter' });
  for (const { id, name, case: letters } of site.namespaces) {
    names.set(fold(name), id);
    byId.set(id, { name, case: letters === 'case-sensitive' ? 'case-sensitive' : 'first-letter' });
  }
  names.delete('');
  return {
    interwiki: new Map(Object.entries(interwikiOf(site))),
    namespaceId: (name) => names.get(fold(name)),
    namespace: (id) => byId.get(id),
  };
}

/** Names that every site understands, whatever its language. */
const CANONICAL: readonly (readonly [name: string, id: number])[] = [
  ['Media', -2],
  ['Special', -1],
  ['Talk', 1],
  ['User', 2],
  ['User talk', 3],
  ['Project', 4],
  ['Project talk', 5],
  ['File', 6],
  ['Image', 6],
  ['File talk', 7],
  ['MediaWiki', 8],
  ['MediaWiki talk', 9],
  ['Template', 10],
  ['Template talk', 11],
  ['Help', 12],
  ['Help talk', 13],
  ['Category', 14],
  ['Category talk', 15],
];

export function storeSite(database: Database, site: ExportedSite): void {
  database.run(sql`INSERT OR REPLACE INTO site (name, value) VALUES ('site', ${JSON.stringify(site)})`);
}

export function storedSite(database: Database): ExportedSite | undefined {
  const row = database.first<{ value: string }>(sql`SELECT value FROM site WHERE name = 'site'`);
  // Written by `storeSite` alone.
  return row && (JSON.parse(row.value) as ExportedSite);
}

/** What the query API is told about the site. */
export function siteOptions(database: Database): SiteOptions {
  const site = storedSite(database);
  if (!site) return {};
  return {
    name: site.name,
    mainPage: mainPageOf(site),
    language: site.language,
    siteId: site.database,
    namespaces: namespaceOptions(site),
    interwiki: interwikiOf(site),
    statistics: statisticsOf(database),
  };
}

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

/** Counted once, when the server starts. */
function statisticsOf(database: Database): NonNullable<SiteOptions['statistics']> {
  const count = (query: ReturnType<typeof sql>): number => database.first<{ n: number }>(query)?.n ?? 0;
  return {
    pages: count(sql`SELECT count(*) AS n FROM page`),
    articles: count(sql`SELECT count(*) AS n FROM page WHERE ns = 0 AND redirect_to IS NULL
      AND EXISTS (SELECT 1 FROM link WHERE kind = 'link' AND page = page.id)`),
    edits: count(sql`SELECT count(*) AS n FROM revision`),
    images: count(sql`SELECT count(*) AS n FROM page WHERE ns = 6`),
    users: count(sql`SELECT count(*) AS n FROM user WHERE id > 0`),
    activeusers: count(sql`SELECT count(*) AS n FROM user WHERE id > 0`),
  };
}
