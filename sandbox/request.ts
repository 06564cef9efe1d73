/** Names and values in the order in which they are sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** What a field holds: one text, several, or nothing but its being there. */
export type Value = string | readonly string[] | true;

/** Names with what their fields hold. */
export type Values = readonly (readonly [name: string, value: Value])[];

/** A request as it is going to be sent. */
export interface ApiRequest {
  /** The absolute address of the API. */
  readonly endpoint: string;
  readonly values: Values;
  /** Names whose values must not be seen anywhere. */
  readonly sensitive: ReadonlySet<string>;
  /** Whether it is sent with an access token. */
  readonly signedIn: boolean;
}

/** Servers and proxies accept at least this much in an address, in characters. */
const MAX_QUERY_LENGTH = 2000;
/** Separates values that contain the usual separator, and then stands before the first one too. */
const UNIT_SEPARATOR = '\u001F';

/** Several values as one text. A single empty one is written twice, since an empty text is no value at all. */
export const joinValues = (values: readonly string[]): string => {
  if (values.length === 1 && values[0] === '') return '|';
  return values.some((value) => value.includes('|'))
    ? values.map((value) => UNIT_SEPARATOR + value).join('')
    : values.join('|');
};

/** The values in a text that {@link joinValues} or a person has written. */
export const splitValues = (text: string): readonly string[] =>
  text.startsWith(UNIT_SEPARATOR) ? text.slice(1).split(UNIT_SEPARATOR) : text.split('|');

/** What a field holds, as it is sent. */
export const wireValue = (value: Value): string =>
  value === true ? '1' : typeof value === 'string' ? value : joinValues(value);

export const toPairs = (values: Values): Pairs => values.map(([name, value]) => [name, wireValue(value)]);

/** Names and values as they stand in an address or a body. */
export const encode = (pairs: Pairs): string => {
  const query = new URLSearchParams();
  for (const [name, value] of pairs) query.append(name, value);
  return query.toString();
};

/** POST for what is too long for an address or must not stand in one; GET otherwise. */
export const methodOf = ({ values, sensitive }: Pick<ApiRequest, 'values' | 'sensitive'>): 'GET' | 'POST' =>
  values.some(([name]) => sensitive.has(name)) || encode(toPairs(values)).length > MAX_QUERY_LENGTH ? 'POST' : 'GET';

/** What this page always says, unless the form says otherwise. */
const BASE: Pairs = [
  ['action', 'query'],
  ['format', 'json'],
  ['formatversion', '2'],
];
const IMPLIED = new Map(BASE);

/** The values of the form with what every request of this page says. */
export const withBase = (values: Values): Values => {
  const chosen = new Set(values.map(([name]) => name));
  return [...BASE.filter(([name]) => !chosen.has(name)), ...values];
};

/** The values with those that an answer gave to go on with, which take the place of their namesakes. */
export const continued = (values: Values, next: Readonly<Record<string, unknown>>): Values => [
  ...values.filter(([name]) => !Object.hasOwn(next, name)),
  ...Object.entries(next).map(([name, value]) => [name, String(value)] as const),
];

/** The form as the part of the address behind `#`: everything that may be seen and is not understood by itself. */
export const fragmentOf = (values: Values, sensitive: ReadonlySet<string>): string =>
  encode(toPairs(values).filter(([name, value]) => !sensitive.has(name) && IMPLIED.get(name) !== value));

/** What {@link fragmentOf} has written, or anybody else; of a repeated name the last value counts. */
export const readFragment = (fragment: string): ReadonlyMap<string, string> =>
  new Map(new URLSearchParams(fragment.replace(/^#/, '')));
