/** A date in texts: of exports, and of front matter. No zone is UTC, and nothing depends on the zone of the process. */

interface Fields {
  readonly year?: string;
  readonly month?: string;
  readonly day?: string;
  readonly hour?: string;
  readonly minute?: string;
  readonly second?: string;
  readonly zone?: string;
}

const ZONE = String.raw`(?<zone>[zZ]|[+-]\d\d(?::?\d\d)?)?`;
const EXPORTED = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.\d+)?${ZONE}$`,
);
const DIGITS = /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)$/;
const WRITTEN = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d?)-(?<day>\d\d?)(?:(?:[Tt]|[ \t]+)(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d*)?)?[ \t]*${ZONE})?$`,
);

const DAY_MS = 86_400_000;
const MAX_OFFSET_HOURS = 14;
const YEARS = { from: -62_135_596_800_000, to: 253_402_300_799_999 };

/** The milliseconds since the epoch of an xsd:dateTime, or of 14 digits; `undefined` if it is another text. */
export const exportedTime = (text: string): number | undefined =>
  millisecondsOf(EXPORTED.exec(text.trim()) ?? DIGITS.exec(text.trim()));

/** The milliseconds since the epoch of a date as people write it in YAML and TOML; `undefined` if it is another text. */
export const writtenTime = (text: string): number | undefined => millisecondsOf(WRITTEN.exec(text.trim()));

const millisecondsOf = (match: RegExpExecArray | null): number | undefined => {
  if (!match) return undefined;
  // The names are those of the patterns.
  const { year, month, day, hour, minute, second, zone = 'Z' } = (match.groups ?? {}) as Fields;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map((text) => Number(text ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(y ?? 0, (m ?? 0) - 1, d ?? 0);
  if (date.getUTCMonth() + 1 !== m || date.getUTCDate() !== d) return undefined;
  const seconds = (h ?? 0) * 3_600 + (min ?? 0) * 60 + (s ?? 0);
  if ((min ?? 0) > 59 || (s ?? 0) > 59 || seconds * 1_000 > DAY_MS) return undefined;
  const offset = offsetOf(zone);
  if (offset === undefined) return undefined;
  const time = date.getTime() + seconds * 1_000 - offset;
  return time < YEARS.from || time > YEARS.to || y === 0 ? undefined : time;
};

/** The distance of a zone from UTC in milliseconds. */
const offsetOf = (zone: string): number | undefined => {
  if (/^z$/i.test(zone)) return 0;
  const digits = zone.replace(/\D/g, '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > MAX_OFFSET_HOURS || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
};
