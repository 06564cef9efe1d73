import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { oauthQuery, type OAuthQueryOptions } from '../adapters/node/index.js';
import type { ClientRegistry, ClientSource, Feature, ScopeDefinition } from '../core/index.js';
import { Loopback } from './loopback.js';
import { type WeakStore, weakStore } from './weak-store.js';

type Scopes = Readonly<Record<string, string | ScopeDefinition>>;

/** Options of a {@link featureServer}: those of `oauthQuery`, each with a default for tests. */
interface FeatureServerOptions<
  S extends Scopes = Scopes,
  F extends readonly Feature[] = readonly Feature[],
  C extends object = object,
> extends Omit<OAuthQueryOptions<S, F, C>, 'issuer' | 'store' | 'runtime' | 'owner' | 'loginUrl' | 'clients'> {
  /** Clients in addition to `web`. */
  readonly clients?: readonly ClientSource[] | undefined;
  /** What happens to a command of the store, as in `weakStore`: its reply is lost, it is late, or it is sent twice. */
  readonly event?: NonNullable<Parameters<typeof weakStore>[0]>['event'];
}

/** What the server answered. */
interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` if it is something else. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** Fields of a form or parameters of a request. */
type Fields = Readonly<Record<string, string>>;

/** A running server. @typeParam O - What `oauthQuery` returns for its options. */
export interface FeatureServer<O = ReturnType<typeof oauthQuery>> {
  /** Its URL. */
  readonly issuer: string;
  /** What `oauthQuery` returned: `issue`, `check`, `grants` and so on. */
  readonly oauth: O;
  /** Its records, with the commands that are late. */
  readonly store: WeakStore;
  /** What `onError` was called with. At the end of a test there should be none. */
  readonly errors: unknown[];
  /** Moves the clock of the server and the store. */
  advance(seconds: number): void;
  /** Sends GET. @param token - An access token. */
  get(path: string, token?: string): Promise<TestAnswer>;
  /** Posts a form as the client `web`, or with headers of your own. */
  post(path: string, form: Fields, headers?: Fields): Promise<TestAnswer>;
  /**
   * What the client `web` gets when a browser comes to it from an authorization request: `code`, or `error`. Nobody is asked for consent.
   *
   * @param parameters - In addition to the usual ones, or instead of them.
   * @param sub - The owner who is signed in; default `alice`.
   */
  authorize(parameters?: Fields, sub?: string): Promise<Fields>;
  /** The same, and the token response for its code. @throws Error if either is refused. */
  tokens(parameters?: Fields, sub?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Stops the server. */
  close(): Promise<void>;
}

const SECRET = 'only for tests: the secret of web';
const CALLBACK = 'https://web.example/callback';
const VERIFIER = 'a-verifier-of-the-tests-with-more-than-43-characters';
const WEB = { authorization: `Basic ${Buffer.from(`web:${encodeURIComponent(SECRET)}`).toString('base64')}` };

/** The header with the owner who is signed in. */
const SIGNED_IN = 'x-signed-in';

/** The client of all calls. It may use each grant and each scope of the server. */
class Web implements ClientRegistry {
  readonly grant_types: string[] = [];

  find(client_id: string): ReturnType<ClientRegistry['find']> {
    if (client_id !== 'web') return undefined;
    const { grant_types } = this;
    return { client_id, client_secret: SECRET, redirect_uris: [CALLBACK], consent: 'skip', grant_types } as never; // Names of the server.
  }
}

const ask = async (url: string, init: RequestInit): Promise<TestAnswer> => {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
};

/** What it sent, or an error with the whole answer. */
const parametersOf = ({ status, headers, text }: TestAnswer): Fields => {
  const location = headers.get('location');
  if (location?.startsWith(CALLBACK) !== true)
    throw new Error(`The authorization endpoint answered ${status} instead of a redirect to web: ${location ?? text}`);
  const { searchParams, hash } = new URL(location);
  return Object.fromEntries([...searchParams, ...new URLSearchParams(hash.slice(1))]);
};

/**
 * Starts an authorization server on 127.0.0.1 for tests of a feature: with real HTTP, on the weakest store that `storeContract` permits, with one
 * client `web` that may do everything, and with every owner signed in.
 *
 * ```ts
 * const server = await featureServer({ features: [tenants(() => 'red')] });
 * const { tenant } = await server.tokens();
 * await server.close();
 * ```
 *
 * @throws TypeError as `oauthQuery` does.
 */
export const featureServer = async <
  S extends Scopes = Scopes,
  const F extends readonly Feature[] = readonly [],
  C extends object = {},
>({
  event,
  clients = [],
  ...options
}: FeatureServerOptions<S, F, C>): Promise<FeatureServer<ReturnType<typeof oauthQuery<S, F, C>>>> => {
  const http = await Loopback.listen();
  const issuer = http.origin;
  const errors: unknown[] = [];
  let ahead = 0;
  const clock = (): number => Date.now() + ahead;
  const store = weakStore({ clock, ...(event !== undefined && { event }) });
  const web = new Web();
  const complete: OAuthQueryOptions<S, F, C> = {
    secret: 'only for tests: a secret of the server',
    onError: (error) => void errors.push(error),
    onWarning: () => undefined,
    ...options,
    issuer,
    store,
    runtime: { clock },
    clients: [web, ...clients],
    ...(options.users === undefined && {
      owner: ({ headers: { [SIGNED_IN]: sub } }: IncomingMessage) => (typeof sub === 'string' ? { sub } : undefined),
      loginUrl: '/sign-in',
    }),
  };
  const oauth = oauthQuery<S, F, C>(complete);
  http.answer(oauth);
  const { json = {} } = await ask(`${issuer}/.well-known/oauth-authorization-server`, {});
  web.grant_types.push(...(json['grant_types_supported'] as readonly string[])); // RFC 8414 §2
  const post = (path: string, form: Fields, headers: Fields = WEB): Promise<TestAnswer> =>
    ask(issuer + path, { method: 'POST', headers, body: new URLSearchParams(form) });
  const authorize = async (parameters: Fields = {}, sub = 'alice'): Promise<Fields> => {
    const code_challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    const usual = { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, state: 'a state' };
    const request = { ...usual, code_challenge, code_challenge_method: 'S256', ...parameters };
    const url = `${issuer}/oauth/authorize?${new URLSearchParams(request)}`;
    return parametersOf(await ask(url, { headers: { [SIGNED_IN]: sub } }));
  };
  return {
    issuer,
    oauth,
    store,
    errors,
    advance: (seconds) => void (ahead += seconds * 1000),
    get: (path, token) =>
      ask(issuer + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    post,
    authorize,
    tokens: async (parameters, sub) => {
      const { code = '', error } = await authorize(parameters, sub);
      if (error !== undefined) throw new Error(`The authorization endpoint refused: ${error}`);
      const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
      const { status, json: tokens, text } = await post('/oauth/token', form);
      if (status !== 200 || tokens === undefined) throw new Error(`The token endpoint answered ${status}: ${text}`);
      return tokens;
    },
    close: () => http.close(),
  };
};
