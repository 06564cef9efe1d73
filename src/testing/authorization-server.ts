import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type OAuthQuery as InProcess, oauthQuery as inProcess } from '../adapters/fetch/index.js';
import { type OAuthQuery, oauthQuery } from '../adapters/node/index.js';
import { fail, option } from '../core/feature/index.js';
import type { IntrospectionVerifierOptions } from '../resource-server/index.js';
import { Loopback } from './loopback.js';

/** The scopes and resources of a {@link testAuthorizationServer}. */
interface TestAuthorizationServerOptions {
  /** The scopes tokens may have. Others are rejected, so that tests notice typos. */
  readonly scopes: readonly string[];
  /** The values allowed for `resource` of a token: the `audience` of guards that have one. Default: none. */
  readonly resources?: readonly string[] | undefined;
}

/** Describes the token a test needs. */
interface TestTokenRequest {
  /** The owner. Without it, the client gets the token for itself, with the `sub` `client:<client_id>`. */
  readonly sub?: string | undefined;
  /** The owner's user name. Guards that verify signed tokens do not receive it. */
  readonly username?: string | undefined;
  /** Any client; default: `test`. */
  readonly client_id?: string | undefined;
  /** Separated by spaces; default: all scopes of the server. */
  readonly scope?: string | undefined;
  /** One of the server's `resources`; default: the issuer itself. */
  readonly resource?: string | undefined;
  /** Requests a token that was valid yesterday and has expired. */
  readonly expired?: boolean | undefined;
}

/** A running server. */
export interface TestAuthorizationServer {
  /** Its URL, for `jwtVerifier({ issuer })` and for settings of the application. */
  readonly issuer: string;
  /** Options for `introspectionVerifier`: the issuer, the credentials of a client that may introspect, and no cache. */
  readonly introspection: IntrospectionVerifierOptions;
  /**
   * Creates an access token. It is signed, so both kinds of guards accept it.
   *
   * @throws TypeError if the server does not have the scope or the resource.
   */
  token(request?: TestTokenRequest): Promise<string>;
  /**
   * Revokes a token: from now on, introspection reports it as inactive. `jwtVerifier` does not notice.
   *
   * @throws Error if the token is not a live token of this server.
   */
  revoke(token: string): Promise<void>;
  /** Stops the server; guards that depend on it then answer 503. It does not keep the process running, so calling this is optional. */
  close(): Promise<void>;
}

/** The characters of RFC 6749 §3.3. */
const scopeToken = option.text('a scope, such as photos.read', /^[\x21\x23-\x5b\x5d-\x7e]+$/);
const address = option.text('an absolute URI, such as https://api.example', /^[a-z][a-z0-9+.-]*:[^#]+$/i);

const OPTIONS = option.object({
  scopes: option.required(
    option.listOf('an array of scopes', scopeToken),
    "name what tokens may have, such as ['photos.read']",
  ),
  resources: option.orElse(option.listOf('an array of URIs', address), [] as readonly string[]),
} satisfies option.Schema<TestAuthorizationServerOptions>);

const REQUEST = option.object({
  sub: option.text(),
  username: option.text(),
  client_id: option.orElse(option.text('printable ASCII', /^[\x20-\x7e]+$/), 'test'),
  scope: option.text('scopes separated by single spaces', /^[^ ]+( [^ ]+)*$/),
  resource: option.text(),
  expired: option.flag(false),
} satisfies option.Schema<TestTokenRequest>);

const DAY_MS = 86_400_000;

/** The client used for introspection. */
const INTROSPECTOR = 'api';

/** The authentication of each client. */
const basic = (client_id: string, secret: string): string => {
  // Form-encoded first (RFC 6749 §2.3.1).
  const [pair] = new URLSearchParams([[client_id, secret]]).toString().split('&');
  return `Basic ${Buffer.from((pair ?? '').replace('=', ':')).toString('base64')}`;
};

type Checked = ReturnType<typeof OPTIONS.read>;

/** The options of the server. Any client is known, and all have the same secret. */
const serverOptions = ({ scopes, resources }: Checked, issuer: string, client_secret: string) =>
  ({
    issuer,
    secret: client_secret,
    scopes: Object.fromEntries(scopes.map((scope) => [scope, scope])),
    resources,
    jwt: [{ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    clients: {
      find: (client_id: string) => ({
        client_id,
        client_secret,
        grant_types: ['authorization_code', 'client_credentials'],
        redirect_uris: ['http://127.0.0.1/callback'],
        scope: scopes.join(' '),
        introspect: client_id === INTROSPECTOR,
      }),
    },
  }) as const;

class RunningServer implements TestAuthorizationServer {
  readonly issuer: string;
  readonly introspection: IntrospectionVerifierOptions;
  readonly #server: Loopback;
  readonly #options: Checked;
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #now: Pick<OAuthQuery, 'issue'>;
  readonly #yesterday: Pick<InProcess, 'issue' | 'handler'>;

  constructor(server: Loopback, options: Checked) {
    this.issuer = server.origin;
    const credentials = { client_id: INTROSPECTOR, client_secret: this.#secret };
    this.introspection = { issuer: this.issuer, credentials, cacheSeconds: 0 };
    this.#server = server;
    this.#options = options;
    const complete = serverOptions(options, this.issuer, this.#secret);
    const now = oauthQuery(complete);
    server.answer(now);
    this.#now = now;
    // The same server a day ago: its tokens have expired.
    this.#yesterday = inProcess({ ...complete, runtime: { clock: () => Date.now() - DAY_MS } });
  }

  async token(given: TestTokenRequest = {}): Promise<string> {
    const { scopes, resources } = this.#options;
    const request = REQUEST.read(given, 'token');
    const { sub, username, client_id, scope = scopes.join(' '), resource, expired } = request;
    const unknown = scope.split(' ').find((one) => !scopes.includes(one));
    if (unknown !== undefined)
      fail(`token: this server does not have the scope ${JSON.stringify(unknown)}, only ${scopes.join(', ')}.`);
    if (resource !== undefined && !resources.includes(resource))
      fail(`token: this server does not have ${JSON.stringify(resource)} among its resources.`);
    const wanted = { scope, ...(resource !== undefined && { resource }) };
    if (sub !== undefined) {
      const owner = { sub, ...(username !== undefined && { username }) };
      const { issue } = expired ? this.#yesterday : this.#now;
      return (await issue({ ...owner, client_id, ...wanted })).access_token;
    }
    if (username !== undefined) fail('token: a username needs the sub of its owner.');
    const form = { grant_type: 'client_credentials', ...wanted };
    const send = expired ? this.#yesterday.handler : fetch;
    return String((await this.#post('/oauth/token', client_id, form, send))['access_token']);
  }

  async revoke(token: string): Promise<void> {
    const { active, client_id } = await this.#post('/oauth/introspect', INTROSPECTOR, { token });
    if (active !== true) throw new Error('revoke: this is not a live token of this server.');
    await this.#post('/oauth/revoke', String(client_id), { token });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #post(
    path: string,
    client_id: string,
    form: Readonly<Record<string, string>>,
    send: (request: Request) => Promise<Response> = fetch,
  ): Promise<Readonly<Record<string, unknown>>> {
    const headers = { authorization: basic(client_id, this.#secret) };
    const response = await send(
      new Request(this.issuer + path, { method: 'POST', headers, body: new URLSearchParams(form) }),
    );
    const answer = await response.text();
    if (!response.ok) throw new Error(`The authorization server answered ${response.status}: ${answer}`);
    return JSON.parse(answer);
  }
}

/**
 * Starts a complete authorization server on 127.0.0.1 for tests of routes guarded by `introspectionVerifier` or `jwtVerifier`. It accepts any
 * client and any owner, and creates tokens on demand: valid, expired, revoked, or without a scope.
 *
 * ```ts
 * const auth = await testAuthorizationServer({ scopes: ['photos.read', 'photos.write'] });
 * const guard = remoteGuard(introspectionVerifier(auth.introspection));
 * const token = await auth.token({ sub: 'alice', scope: 'photos.read' });
 * ```
 *
 * @throws TypeError with a sentence that names the option.
 */
export const testAuthorizationServer = async (
  given: TestAuthorizationServerOptions,
): Promise<TestAuthorizationServer> => {
  const options = OPTIONS.read(given, 'testAuthorizationServer: options');
  return new RunningServer(await Loopback.listen(), options);
};
