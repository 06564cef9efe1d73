/** Names and values in the order of the request. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** The value of a field: one text, several, or `true` for a flag. */
export type Value = string | readonly string[] | true;

/** Names with the values of their fields. */
export type Values = readonly (readonly [name: string, value: Value])[];

/** A request to the API. */
export interface ApiRequest {
  /** The absolute URL of the API. */
  readonly endpoint: string;
  readonly values: Values;
  /** Parameters whose values must not be displayed. */
  readonly sensitive: ReadonlySet<string>;
  /** Whether it is sent with an access token. */
  readonly signedIn: boolean;
}

/** The number of characters of a query that all servers and proxies accept. */
const MAX_QUERY_LENGTH = 2000;
/** Separates values that contain a bar, and then precedes the first one too. */
const UNIT_SEPARATOR = '\u001F';

/** Several values as one text. A single empty value becomes two, because an empty text has no values. */
export const joinValues = (values: readonly string[]): string => {
  if (values.length === 1 && values[0] === '') return '|';
  return values.some((value) => value.includes('|'))
    ? values.map((value) => UNIT_SEPARATOR + value).join('')
    : values.join('|');
};

/** The values in a text from {@link joinValues} or a URL. */
export const splitValues = (text: string): readonly string[] =>
  text.startsWith(UNIT_SEPARATOR) ? text.slice(1).split(UNIT_SEPARATOR) : text.split('|');

/** The value of a field, as it is sent. */
export const wireValue = (value: Value): string =>
  value === true ? '1' : typeof value === 'string' ? value : joinValues(value);

export const toPairs = (values: Values): Pairs => values.map(([name, value]) => [name, wireValue(value)]);

/** Names and values in URL-encoded form. */
export const encode = (pairs: Pairs): string => {
  const query = new URLSearchParams();
  for (const [name, value] of pairs) query.append(name, value);
  return query.toString();
};

/** POST for requests that are too long for a URL or contain sensitive values; otherwise GET. */
export const methodOf = ({ values, sensitive }: Pick<ApiRequest, 'values' | 'sensitive'>): 'GET' | 'POST' =>
  values.some(([name]) => sensitive.has(name)) || encode(toPairs(values)).length > MAX_QUERY_LENGTH ? 'POST' : 'GET';

/** Parameters of every request, unless the form overrides them. */
const BASE: Pairs = [
  ['action', 'query'],
  ['format', 'json'],
  ['formatversion', '2'],
];
const IMPLIED = new Map(BASE);

/** Adds the parameters of every request. */
export const withBase = (values: Values): Values => {
  const chosen = new Set(values.map(([name]) => name));
  return [...BASE.filter(([name]) => !chosen.has(name)), ...values];
};

/** Adds the continuation of a response, which replaces parameters of the same name. */
export const continued = (values: Values, next: Readonly<Record<string, unknown>>): Values => [
  ...values.filter(([name]) => !Object.hasOwn(next, name)),
  ...Object.entries(next).map(([name, value]) => [name, String(value)] as const),
];

/** The form as the fragment of the URL, without sensitive values and defaults. */
export const fragmentOf = (values: Values, sensitive: ReadonlySet<string>): string =>
  encode(toPairs(values).filter(([name, value]) => !sensitive.has(name) && IMPLIED.get(name) !== value));

/** Reads a fragment. The last value of a repeated name applies. */
export const readFragment = (fragment: string): ReadonlyMap<string, string> =>
  new Map(new URLSearchParams(fragment.replace(/^#/, '')));
