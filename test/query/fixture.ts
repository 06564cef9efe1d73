import { diffArrays } from 'diff';
import sanitizeHtml from 'sanitize-html';
import type { Authorization } from '../../src/core/base/authorization.js';
import { BearerError } from '../../src/core/base/errors.js';
import type { Route } from '../../src/core/base/http/messages.js';
import { Frame } from '../../src/core/base/pages/frame.js';
import type { PageLanguage } from '../../src/core/base/pages/languages/english.js';
import { Languages } from '../../src/core/base/pages/languages/languages.js';
import { fail } from '../../src/core/base/schema.js';
import { ownSecrets, Seal } from '../../src/core/base/seal.js';
import { deriveKey } from '../../src/core/base/secrets.js';
import { definitionOf } from '../../src/core/feature/feature.js';
import type { FeatureHost } from '../../src/core/feature/host.js';
import { Warnings } from '../../src/core/query/answer/warnings.js';
import { query, type QueryOptions } from '../../src/core/query/index.js';
import type { ParameterSource } from '../../src/core/query/parameters/parameter.js';
import { RequestParameters } from '../../src/core/query/parameters/request-parameters.js';
import type { ParseContext } from '../../src/core/query/parameters/types/index.js';
import { resolveSite } from '../../src/core/query/site/site.js';
import { shortTimer } from '../oauth/support/fixture.js';
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
export const sourceOf: (texts: Readonly<Record<string, string>>) => ParameterSource = RequestParameters.from;

export function contextOf({ highLimits = false }: { highLimits?: boolean } = {}): ParseContext {
  return { highLimits, now: NOW, warnings: new Warnings() };
}

export const authorization = (name: string): Authorization => ({
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

const random = (size: number): Uint8Array => new Uint8Array(size).fill(0xab);

/** The frame of pages in these languages, without a brand. */
export const frameIn = (...languages: readonly PageLanguage[]): Frame =>
  Frame.of({ branding: { links: {} }, languages: Languages.of(languages), hostOf: () => undefined });

/** A server that has nothing but the API. */
export const featureHost = (more: Partial<FeatureHost> = {}): FeatureHost => ({
  use: () => fail('The API needs no other feature.'),
  rules: {},
  grants: new Set(),
  scopes: new Map(),
  accessTokenLifetime: 3600,
  findToken: async () => undefined,
  signsTokens: false,
  readJson: async () => fail('The API reads its own bodies.'),
  limitByAddress: () => () => undefined,
  selfDescribed: {
    read: () => fail('The API has no clients.'),
    registration: () => fail('The API has no clients.'),
    checkScopes: () => undefined,
  },
  personalTokens: {
    limit: 0,
    shownName: () => undefined,
    scopes: async () => [],
    list: async () => [],
    find: async () => undefined,
    create: async () => undefined,
    end: async () => undefined,
    discard: async () => undefined,
  },
  basePath: '',
  clients: {
    listed: new Map(),
    areAllListed: true,
    find: () => undefined,
    isRegistered: () => false,
    ownOpenId: () => ({}),
  },
  owners: {
    canSignIn: false,
    hasSessions: false,
    visit: async () => fail('The API has no visitors.'),
    connection: async () => undefined,
    connections: () => fail('The API has no lists.'),
    live: async () => [],
    endSession: async () => undefined,
    disconnect: async () => undefined,
    ends: async () => () => undefined,
  },
  tokenRoute: () => fail('The API has no path for tokens.'),
  read: () => fail('The API reads its own parameters.'),
  signingKeys: () => fail('The API signs nothing.'),
  send: async () => fail('The API sends nothing.'),
  clientRoute: () => fail('The API has no path for clients.'),
  ownerRoute: () => fail('The API has no pages for owners.'),
  ownerGrants: () => fail('The API ends no grants.'),
  describeScopes: () => [],
  checkClient: () => [],
  handedOver: { fields: {}, read: async () => fail('The API takes no authorization requests.') },
  tokenEndpoints: [],
  findResource: () => undefined,
  attempt: async (_name, _request, prove) => prove(),
  issuer: undefined,
  clock: () => NOW,
  random,
  records: {
    add: async () => true,
    swap: async () => true,
    get: async (keys) => keys.map(() => undefined),
    delete: async () => undefined,
    canList: false,
    list: () => fail('The API has no lists.'),
    rev: () => 'rev',
  },
  publishedKeys: async () => fail('The API needs no keys of others.'),
  timer: shortTimer,
  limitAt: (_ip, max) => max,
  frame: frameIn(),
  requestTimeout: 10_000,
  onError: (error) => {
    throw error;
  },
  onWarning: () => undefined,
  hasSecret: false,
  bindsTokens: false,
  onLimit: () => undefined,
  signIn: undefined,
  rightsOf: () => [],
  pageClientProblem: () => undefined,
  resource: (path) => `https://wiki.example${path}`,
  key: (purpose) => deriveKey(SERVER_SECRET, purpose),
  seal: (purpose) => new Seal(ownSecrets([SERVER_SECRET], undefined), purpose, () => NOW, random),
  bound: (_name, work) => work,
  identify: async () => undefined,
  guard: async () => ({ response: { status: 401, headers: {}, body: '' } }),
  ...more,
});

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
  server: Partial<FeatureHost> = {},
  packages: QueryOptions = { sanitize: sanitizeHtml, diff: diffArrays },
): Promise<QueryHost> {
  const errors: unknown[] = [];
  const feature = query({
    site: { name: 'Fruit', language: 'en', interwiki: { wikipedia: 'https://en.wikipedia.example/wiki/$1' } },
    path: ['/api', '/w/api.php'],
    ...packages,
    ...options,
  });
  const { start = () => fail('It does not start.') } = definitionOf(feature, 'query');
  const { routes = [] } = start(
    featureHost({
      identify: async (request) => {
        const header = request.header('authorization');
        if (header === undefined) return undefined;
        const caller = CALLERS[header.replace('Bearer ', '')];
        if (!caller) throw new BearerError('invalid_token', 'no such token');
        return { authorization: authorization(caller.name) };
      },
      rightsOf: ({ username }) => Object.values(CALLERS).find(({ name }) => name === username)?.rights ?? [],
      onError: (error) => errors.push(error),
      ...server,
    }),
  );
  const host = await serve(routes as readonly Route[]); // It has no others.
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
