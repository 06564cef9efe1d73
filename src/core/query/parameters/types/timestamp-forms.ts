/** The accepted forms of timestamps. In `toSeconds`, fields beyond their range roll over, as in MediaWiki. */

type Groups = Readonly<Record<string, string | undefined>>;
type Form = readonly [pattern: RegExp, read: (groups: Groups, now: number) => number | undefined];

const DATE = String.raw`(?<Y>\d{4})-(?<m>\d\d)-(?<d>\d\d)`;
const TIME = String.raw`(?<H>\d\d):(?<i>\d\d):(?<s>\d\d)`;
const FRACTION = String.raw`(?:[.,]\d{1,6})?`;
const ZONE = String.raw`(?<zone>Z|[+-]\d\d(?::?\d\d)?)?`;
const WEEKDAYS = 'sun|mon|tue|wed|thu|fri|sat';
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?<M>${MONTHS.join('|')})`;
const DAY_SECONDS = 86_400;

/** Time zones of RFC 850 dates, in hours east of Greenwich: unambiguous names, and the letters of RFC 822 §5. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ UTC: 0, GMT: 0, WET: 0, WEST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3, JST: 9, KST: 9 }),
  ...Object.entries({
    EST: -5,
    EDT: -4,
    CST: -6,
    CDT: -5,
    MST: -7,
    MDT: -6,
    PST: -8,
    PDT: -7,
    AKST: -9,
    AKDT: -8,
    HST: -10,
  }),
  ...[...'ABCDEFGHIKLM'].map((letter, index) => [letter, index + 1] as const),
  ...[...'NOPQRSTUVWXY'].map((letter, index) => [letter, -index - 1] as const),
  ['Z', 0],
]);

const toSeconds = (groups: Groups): number => {
  const { Y, m, M, d, H, i, s, zone, D } = groups;
  const month = M === undefined ? Number(m) - 1 : MONTHS.indexOf(M.toLowerCase());
  const date = new Date(0);
  date.setUTCFullYear(Number(Y), month, Number(d));
  let days = Math.floor(date.getTime() / 1000 / DAY_SECONDS);
  if (D !== undefined) {
    // A different weekday moves the date forward to that weekday.
    const weekday = WEEKDAYS.split('|').indexOf(D.slice(0, 3).toLowerCase());
    days += (((weekday - date.getUTCDay()) % 7) + 7) % 7;
  }
  return days * DAY_SECONDS + Number(H) * 3600 + Number(i) * 60 + Number(s) - offset(zone);
};

const FORMS: readonly Form[] = [
  [/^(?<Y>\d{4})(?<m>\d\d)(?<d>\d\d)(?<H>\d\d)(?<i>\d\d)(?<s>\d\d)$/, toSeconds],
  [/^(?<unix>-?\d{1,13})$/, ({ unix }) => Number(unix)],
  [new RegExp(`^${DATE}[T ]${TIME}${FRACTION}${ZONE}$`), toSeconds],
  [
    new RegExp(String.raw`^(?<Y>\d{4})(?<m>\d\d)(?<d>\d\d)T(?<H>\d\d)(?<i>\d\d)(?<s>\d\d)${FRACTION}${ZONE}$`),
    toSeconds,
  ],
  [/^(?<unix>-?\d{1,13})\.\d{1,6}$/, ({ unix }) => Number(unix)],
  [new RegExp(String.raw`^(?<d>\d\d)-(?<m>\d\d)-(?<Y>\d{4}) ${TIME}\.\d{6}$`), toSeconds],
  [new RegExp(String.raw`^${DATE} ${TIME}(?:\.\d{1,6})?(?<zone>[+\- ]\d\d)$`), toSeconds],
  [new RegExp(String.raw`^${DATE} ${TIME}(?:\.\d{1,6})? GMT$`), toSeconds],
  [new RegExp(String.raw`^(?<Y>\d{4}):(?<m>\d\d):(?<d>\d\d) ${TIME}$`), toSeconds],
  [
    new RegExp(
      String.raw`^[ \t]*(?:(?<D>${WEEKDAYS}),[ \t]*)?(?<d>\d{1,2})[ \t]+${MONTH}[ \t]+(?<Y>\d{2,4})[ \t]+` +
        String.raw`(?<H>\d\d)[ \t]*:[ \t]*(?<i>\d\d)[ \t]*:[ \t]*(?<s>\d\d)` +
        String.raw`(?:[ \t]*(?<zone>[+-]\d{4}|ut|gmt|[ecmp][sd]t|[a-ik-z]))?(?:[ \t]*;.*)?$`,
      'i',
    ),
    (groups) => toSeconds({ ...groups, Y: fullYear(groups['Y'] ?? '') }),
  ],
  [
    new RegExp(
      String.raw`^(?<D>sunday|monday|tuesday|wednesday|thursday|friday|saturday), (?<d>\d\d)-${MONTH}-(?<y>\d\d) ${TIME}` +
        String.raw`(?: (?:(?<zone>[+-]\d\d(?::?\d\d)?)|(?<name>[A-Z]{1,5})))?$`,
      'i',
    ),
    ({ name = 'UTC', ...groups }, now) => {
      const hours = ZONES.get(name);
      const year = String(nearYear(Number(groups['y']), now));
      return hours === undefined ? undefined : toSeconds({ ...groups, Y: year }) - hours * 3600;
    },
  ],
  [new RegExp(String.raw`^(?<D>${WEEKDAYS}) ${MONTH} +(?<d>\d{1,2}) ${TIME} (?<Y>\d{4})\n?$`, 'i'), toSeconds],
];

/** Seconds since the epoch; `undefined` if no form matches. */
export const readTimestamp = (text: string, now: number): number | undefined => {
  for (const [pattern, read] of FORMS) {
    const match = pattern.exec(text);
    if (match) return read(match.groups ?? {}, now);
  }
  return undefined;
};

/** Seconds east of Greenwich. A single letter means UTC, as RFC 2822 §4.3 advises. */
const offset = (zone: string | undefined): number => {
  if (zone === undefined) return 0;
  const numeric = /^([+\- ])(\d\d):?(\d\d)?$/.exec(zone);
  if (numeric) {
    const seconds = Number(numeric[2]) * 3600 + Number(numeric[3] ?? 0) * 60;
    return numeric[1] === '-' ? -seconds : seconds;
  }
  const american = /^([ecmp])([sd])t$/i.exec(zone);
  if (!american) return 0;
  const standard = -5 - 'ecmp'.indexOf((american[1] ?? 'e').toLowerCase());
  return (standard + (american[2]?.toLowerCase() === 'd' ? 1 : 0)) * 3600;
};

/** RFC 2822 §4.3: two digits below 50 are years from 2000 on, other two or three digits from 1900 on. */
const fullYear = (text: string): string => {
  const year = Number(text);
  if (text.length === 4) return text;
  return String(text.length === 2 && year < 50 ? year + 2000 : year + 1900);
};

/** RFC 7231 §7.1.1.1: a two-digit year more than 50 years in the future is in the previous century. */
const nearYear = (short: number, now: number): number => {
  const latest = new Date(now).getUTCFullYear() + 50;
  const year = latest - (latest % 100) + short;
  return year > latest ? year - 100 : year;
};
