import { systemTimer } from '../../src/core/base/system.js';
import type { Authorization } from '../../src/core/base/authorization.js';
import { createQuery, type QueryEnvironment, type QueryOptions, queryTokenKey } from '../../src/core/query/index.js';
import type { ParameterSource } from '../../src/core/query/parameters/parameter.js';
import type { ParseContext } from '../../src/core/query/parameters/parse.js';
import { RequestParameters } from '../../src/core/query/request/request-parameters.js';
import { resolveSite } from '../../src/core/query/site/site.js';
import { Warnings } from '../../src/core/query/answer/warnings.js';
import { type Host, serve } from './host.js';

/** 2024-05-06T07:08:09Z, whenever a test needs a present. */
export const NOW = Date.UTC(2024, 4, 6, 7, 8, 9);

/** The `secret` option of the server that the API is part of. */
export const SERVER_SECRET = 'a secret of the test that has 32 characters';

export const site = resolveSite({
  name: 'Fruit',
  mainPage: 'Main Page',
  language: 'en',
  interwiki: {
    wikipedia: 'https://en.wikipedia.example/wiki/$1',
    de: { url: 'https://de.example/wiki/$1', language: 'de' },
  },
});

/** Parameters as a request brings them. */
export function sourceOf(texts: Readonly<Record<string, string>>): ParameterSource {
  const parameters = new RequestParameters();
  for (const [name, text] of Object.entries(texts)) parameters.add(name, { text, malformed: false });
  return parameters;
}

export function contextOf({ highLimits = false }: { highLimits?: boolean } = {}): ParseContext {
  return { highLimits, now: NOW, warnings: new Warnings() };
}

const authorization = (name: string): Authorization => ({
  sub: name,
  username: name,
  client_id: 'test',
  scope: '',
  aud: 'https://example.org',
  iss: 'https://example.org',
  exp: NOW / 1000 + 3600,
  iat: NOW / 1000,
  token_type: 'Bearer',
});

/** Callers by their bearer tokens. */
const CALLERS: Readonly<Record<string, { readonly name: string; readonly rights: readonly string[] }>> = {
  alice: { name: 'Alice', rights: [] },
  bot: { name: 'HighBot', rights: ['apihighlimits', 'bot', 'deletedhistory', 'patrol'] },
  admin: { name: 'Admin', rights: ['deletedhistory', 'undelete', 'unwatchedpages', 'patrolmarks'] },
};

/** An answer, taken apart. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as data; only for JSON. */
  readonly json: Json;
}

/** JSON data that a test looks into; what is not there is `undefined`. */
export type Json = { readonly [key: string]: Json } & { readonly [index: number]: Json };

export interface QueryHost extends Host {
  /** What the host was told of. */
  readonly errors: unknown[];
  get(
    params: Readonly<Record<string, string>>,
    init?: RequestInit & { readonly as?: string; readonly path?: string },
  ): Promise<Answered>;
  raw(query: string, init?: RequestInit): Promise<Answered>;
}

/** The query API behind a real socket, with callers `alice` and `bot`. */
export async function startQuery(
  options: QueryOptions = {},
  environment: Partial<QueryEnvironment> = {},
): Promise<QueryHost> {
  const errors: unknown[] = [];
  const { routes } = createQuery(
    {
      site: { name: 'Fruit', language: 'en', interwiki: { wikipedia: 'https://en.wikipedia.example/wiki/$1' } },
      ...options,
    },
    {
      identify: async (request) => {
        const header = request.header('authorization');
        if (header === undefined) return undefined;
        const caller = CALLERS[header.replace('Bearer ', '')];
        if (!caller) throw Object.assign(new Error('no such token'), { code: 'invalid_token' });
        return authorization(caller.name);
      },
      scopeRights: ({ username }) => Object.values(CALLERS).find(({ name }) => name === username)?.rights ?? [],
      clock: () => NOW,
      random: (size) => new Uint8Array(size).fill(0xab),
      secret: queryTokenKey(SERVER_SECRET),
      onError: (error) => errors.push(error),
      base: '',
      paths: ['/api', '/w/api.php'],
      maxBodyBytes: 100_000,
      timeout: 10_000,
      timer: systemTimer,
      ...environment,
    },
  );
  const host = await serve(routes);
  const fetchText = async (url: string, init: RequestInit = {}): Promise<Answered> => {
    const response = await fetch(url, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  return {
    ...host,
    errors,
    raw: (query, init) => fetchText(`${host.origin}/api?${query}`, init),
    get: (params, { as, path = '/api', ...init } = {}) => {
      const headers = { ...(as === undefined ? {} : { authorization: `Bearer ${as}` }), ...init.headers };
      return fetchText(`${host.origin}${path}?${new URLSearchParams({ format: 'json', ...params })}`, {
        ...init,
        headers,
      });
    },
  };
}
