/** A browser, as far as its `User-Agent` names it. */
export interface NamedBrowser {
  /** Such as `Firefox`; absent if it is none of those that are known. */
  readonly browser?: string;
  /** The operating system or the device, such as `Windows`; absent like the browser. */
  readonly system?: string;
}

/** The characters of a `User-Agent` that are read: those of browsers are far shorter. */
const MAX_READ = 500;

/** What a `User-Agent` contains, and the name for it. Of several, the first counts: most browsers also name those that they descend from. */
type Names = readonly (readonly [mark: string, name: string])[];

const BROWSERS: Names = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['OPT/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Vivaldi/', 'Vivaldi'],
  ['YaBrowser/', 'Yandex Browser'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['Ddg/', 'DuckDuckGo'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chromium/', 'Chromium'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

const SYSTEMS: Names = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];

const nameIn = (text: string, names: Names): string | undefined => names.find(([mark]) => text.includes(mark))?.[1];

/** The browser that a `User-Agent` names (RFC 9110 §10.1.5). Any program can send any name: it helps its owner to recognise it, and decides nothing. */
export const browserOf = (userAgent: string | undefined): NamedBrowser => {
  const read = userAgent?.slice(0, MAX_READ) ?? '';
  return namedBrowser(nameIn(read, BROWSERS), nameIn(read, SYSTEMS));
};

/** A name that this or another version has stored. */
const isName = (given: unknown): given is string => typeof given === 'string' && /^[A-Za-z\d .-]{1,30}$/.test(given);

/** A browser as it was stored. */
export const namedBrowser = (browser: unknown, system: unknown): NamedBrowser => ({
  ...(isName(browser) && { browser }),
  ...(isName(system) && { system }),
});
