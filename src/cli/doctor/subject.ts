import type { Finding } from './finding.js';
import type { Answer, Probe } from './probe.js';

/** Credentials of a client, for a closer look. */
export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The server under test. */
export interface Subject {
  readonly probe: Probe;
  /** The issuer as used by clients, without a trailing slash. */
  readonly issuer: string;
  /** Where the query API would be. */
  readonly api: URL;
  readonly findings: Finding[];
  /** The client_id of a client that is not registered: a new one each time, so that rate limits do not affect the next run. */
  readonly unknownClient: string;
  readonly credentials: Credentials | undefined;
}

/** The usable endpoints from the metadata. */
export type EndpointName =
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'device_authorization_endpoint'
  | 'introspection_endpoint'
  | 'revocation_endpoint'
  | 'jwks_uri';

export interface Discovered {
  readonly document: Readonly<Record<string, unknown>>;
  readonly endpoints: Readonly<Partial<Record<EndpointName, URL>>>;
  /** Whether scripts of other origins may read the metadata. */
  readonly cors: boolean;
}

/** An origin unknown to any server. */
export const FOREIGN_ORIGIN = 'https://oauth-query-doctor.invalid';

/** The URL with these parameters in its query. */
export const withQuery = (url: URL, parameters: Readonly<Record<string, string>>): URL => {
  const whole = new URL(url);
  for (const [name, value] of Object.entries(parameters)) whole.searchParams.set(name, value);
  return whole;
};

export const shown = (value: unknown): string => JSON.stringify(value) ?? 'missing';

/** What a member of a document is. */
export const memberOf = (document: Readonly<Record<string, unknown>>, name: string): string =>
  `${name} is ${shown(document[name])}`;

/** What a header field of a response is. */
export const headerOf = ({ headers }: Answer, name: string): string =>
  `${name} is ${headers[name.toLowerCase()]?.toString() ?? 'missing'}`;

/** The texts in a member of a document that should be an array of them. */
export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Credentials in the header: each half is form-encoded before they are joined (RFC 6749 §2.3.1). */
export const basic = (id: string, secret: string): Readonly<Record<string, string>> => {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` };
};

const kindOf = ({ headers, text }: Answer): string => {
  const type = headers['content-type'];
  return type === undefined ? (text === '' ? 'an empty body' : 'a body without a type') : `a body of type ${type}`;
};

/** A short description of a response. */
export const describe = (answer: Answer): string => {
  const { status, json, headers, failure } = answer;
  if (failure !== undefined) return failure.message;
  const error = json?.['error'];
  if (typeof error === 'string') return `${status} with the error ${error}`;
  if (headers.location !== undefined) return `${status} with a redirect to ${headers.location}`;
  return json === undefined ? `${status} with ${kindOf(answer)}` : `${status} with JSON`;
};

/** What is wrong with a response that must not be cached. */
export const noStoreProblem = (answer: Answer): string | false =>
  !/\bno-store\b/i.test(answer.headers['cache-control'] ?? '') && headerOf(answer, 'Cache-Control');

/** What is wrong with a response that must say for how long it may be cached. */
export const lifetimeProblem = (answer: Answer): string | false =>
  !/max-age=\d/i.test(answer.headers['cache-control'] ?? '') && headerOf(answer, 'Cache-Control');

export const isJson = ({ headers, json }: Answer): boolean =>
  json !== undefined && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/** Whether a foreign origin may read a response with its visitor's cookies, which must not be possible. */
export const letsForeignCookiesIn = ({ headers }: Answer): boolean =>
  headers['access-control-allow-origin'] === FOREIGN_ORIGIN && headers['access-control-allow-credentials'] === 'true';

/** Whether scripts of this origin may read a response that was requested for them. */
export const allowsOrigin = ({ headers }: Answer, origin: string): boolean =>
  ['*', origin].includes(headers['access-control-allow-origin'] ?? '');

export const allowsForeign = (answer: Answer): boolean => allowsOrigin(answer, FOREIGN_ORIGIN);
