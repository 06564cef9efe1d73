import { type ApiRequest, encode, methodOf, type Pairs, toPairs, type Value, type Values } from './request.js';

/** The formats of a request. */
export const NOTATIONS = { url: 'URL', curl: 'curl', fetch: 'fetch', m3api: 'm3api (TypeScript)' } as const;
export type Notation = keyof typeof NOTATIONS;

/** In place of the access token, so that copied requests do not contain it. */
const TOKEN = 'ACCESS_TOKEN';
const LONG_LINE = 100;

/** Quotes text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Sensitive values are replaced by their names in capitals. */
const shown = ({ values, sensitive }: ApiRequest): Values =>
  values.map(([name, value]) => [name, sensitive.has(name) ? name.toUpperCase() : value]);

const address = (endpoint: string, pairs: Pairs): string => `${endpoint}?${encode(pairs)}`;

const asUrl = (request: ApiRequest): string => {
  const pairs = toPairs(shown(request));
  return methodOf(request) === 'GET'
    ? address(request.endpoint, pairs)
    : `POST ${request.endpoint}\nContent-Type: application/x-www-form-urlencoded\n\n${encode(pairs)}`;
};

const asCurl = (request: ApiRequest): string => {
  const pairs = toPairs(shown(request));
  const words = [
    ...(request.signedIn ? [`-H ${shellWord(`Authorization: Bearer ${TOKEN}`)}`] : []),
    ...(methodOf(request) === 'GET'
      ? [shellWord(address(request.endpoint, pairs))]
      : [`--data ${shellWord(encode(pairs))}`, shellWord(request.endpoint)]),
  ];
  return `curl ${words.join(' \\\n  ')}`;
};

const text = (value: string): string => JSON.stringify(value);

const property = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : text(name));

/** An object literal: on one line if it fits, otherwise with a line for each property. */
const object = (properties: readonly string[], indent = ''): string => {
  const line = `{ ${properties.join(', ')} }`;
  return line.length <= LONG_LINE ? line : `{\n${properties.map((one) => `${indent}  ${one},\n`).join('')}${indent}}`;
};

const asFetch = (request: ApiRequest): string => {
  const pairs = toPairs(shown(request));
  const get = methodOf(request) === 'GET';
  const options = [
    ...(get ? [] : [`method: 'POST'`]),
    ...(request.signedIn ? [`headers: { Authorization: 'Bearer ${TOKEN}' }`] : []),
    ...(get
      ? []
      : [
          `body: new URLSearchParams(${object(
            pairs.map(([name, value]) => `${property(name)}: ${text(value)}`),
            '  ',
          )})`,
        ]),
  ];
  const target = text(get ? address(request.endpoint, pairs) : request.endpoint);
  return `const response = await fetch(${target}${options.length === 0 ? '' : `, ${object(options)}`});
const answer = await response.json();
console.log(answer);`;
};

const literal = (value: Value): string =>
  value === true ? 'true' : typeof value === 'string' ? text(value) : `[${value.map(text).join(', ')}]`;

const asM3api = (request: ApiRequest): string => {
  const options = [
    `userAgent: 'name-of-your-tool'`,
    ...(request.signedIn ? [`accessToken: '${TOKEN}'`] : []),
    ...(methodOf(request) === 'GET' ? [] : [`method: 'POST'`]),
  ];
  // The client requests JSON itself.
  const properties = shown(request)
    .filter(([name]) => name !== 'format')
    .map(([name, value]) => `${property(name)}: ${literal(value)}`);
  return `import Session from 'm3api';

const session = new Session(${text(request.endpoint)}, {}, ${object(options)});
const answer = await session.request(${object(properties)});
console.log(answer);`;
};

const WRITERS: Readonly<Record<Notation, (request: ApiRequest) => string>> = {
  url: asUrl,
  curl: asCurl,
  fetch: asFetch,
  m3api: asM3api,
};

/** The request in this format, without the token and sensitive values. */
export const snippet = (request: ApiRequest, notation: Notation): string => WRITERS[notation](request);
