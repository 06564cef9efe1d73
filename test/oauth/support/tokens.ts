import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { type Answer, basic, bearer, Client, type RunningHost } from '../../hosts.js';
import { type AuthorizationParameters, Browser, formOf, PKCE, responseOf } from './browser.js';
import { CLIENTS, DEVICE_CODE, USERS } from './fixture.js';

/** What the token endpoint hands out. */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token: string;
}

/** What the device authorization endpoint hands out. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly interval: number;
}

type Fields = Readonly<Record<string, string>>;
type Username = (typeof USERS)[number]['username'];

/** The body of a success. A client that may not refresh has no `refresh_token`; tests of such clients do not read it. */
const successOf = <T extends object>(answer: Answer): T => {
  if (answer.status !== 200) throw new Error(`Status ${answer.status}: ${answer.text}`);
  return answer.json as unknown as T; // The tests of each endpoint judge what is in it.
};

/** Plays every client and every owner at one host, in the way that the registration of each client asks for. */
export class Flows {
  readonly client: Client;
  readonly #host: RunningHost;
  readonly #registrations: ReadonlyMap<string, ClientRegistration>;
  readonly #browsers = new Map<string, Browser>();

  constructor(host: RunningHost, clients: readonly ClientRegistration[] = []) {
    this.#host = host;
    this.client = new Client(() => host.base);
    this.#registrations = new Map([...CLIENTS, ...clients].map((client) => [client.client_id, client]));
  }

  /** One browser per owner; it stays signed in. */
  browser(username: Username = 'alice'): Browser {
    const browser = this.#browsers.get(username) ?? new Browser(this.#host);
    this.#browsers.set(username, browser);
    return browser;
  }

  redirectUri(client_id: string): string {
    return this.#registration(client_id).redirect_uris?.[0] ?? '';
  }

  /** Posts a form as this client: with its secret in the header, or with its `client_id` in the body. */
  post(path: string, client_id: string, form: Fields): Promise<Answer> {
    const { client_secret } = this.#registration(client_id);
    return typeof client_secret === 'string'
      ? this.client.post(path, form, basic(client_id, client_secret))
      : this.client.post(path, { ...form, client_id });
  }

  token(client_id: string, form: Fields): Promise<Answer> {
    return this.post('/oauth/token', client_id, form);
  }

  /** An authorization code that an owner allowed on the real pages. */
  async code(
    client_id: string,
    parameters: AuthorizationParameters = {},
    username: Username = 'alice',
  ): Promise<string> {
    const { code } = responseOf(await this.authorize(client_id, parameters, username));
    if (code === undefined) throw new Error('The owner allowed it, but there is no code.');
    return code;
  }

  authorize(
    client_id: string,
    parameters: AuthorizationParameters = {},
    username: Username = 'alice',
  ): Promise<Answer> {
    const user = USERS.find((known) => known.username === username) ?? USERS[0];
    const request = {
      response_type: 'code',
      client_id,
      redirect_uri: this.redirectUri(client_id),
      state: 'xyz',
      ...PKCE.request,
    };
    return this.browser(username).authorizeFor({ ...request, ...parameters }, { user });
  }

  /** The fields that redeem a code of {@link code}. */
  redemption(client_id: string, code: string): Fields {
    return {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri(client_id),
      code_verifier: PKCE.verifier,
    };
  }

  redeem(client_id: string, code: string, more: Fields = {}): Promise<Answer> {
    return this.token(client_id, { ...this.redemption(client_id, code), ...more });
  }

  /** The tokens of a fresh code. */
  async tokens(
    client_id: string,
    parameters: AuthorizationParameters = {},
    username: Username = 'alice',
  ): Promise<TokenSet> {
    return successOf<TokenSet>(await this.redeem(client_id, await this.code(client_id, parameters, username)));
  }

  refresh(client_id: string, refresh_token: string, more: Fields = {}): Promise<Answer> {
    return this.token(client_id, { grant_type: 'refresh_token', refresh_token, ...more });
  }

  async refreshed(client_id: string, refresh_token: string, more: Fields = {}): Promise<TokenSet> {
    return successOf<TokenSet>(await this.refresh(client_id, refresh_token, more));
  }

  async ownTokens(client_id = 'service', more: Fields = {}): Promise<TokenSet> {
    return successOf<TokenSet>(await this.token(client_id, { grant_type: 'client_credentials', ...more }));
  }

  introspect(token: string, client_id = 'api', more: Fields = {}): Promise<Answer> {
    return this.post('/oauth/introspect', client_id, { token, ...more });
  }

  /**
   * Whether a token lives: a caller that sees all access tokens says so, and of a refresh token, which only its own
   * client sees, that another client may not revoke it (what does not live is no error there).
   */
  async isActive(token: string): Promise<boolean> {
    const { active } = successOf<{ active: unknown }>(await this.introspect(token));
    if (typeof active !== 'boolean') throw new Error(`active is ${String(active)}.`);
    return active || (await this.revoke('api', token)).status === 400;
  }

  async areActive(...tokens: readonly string[]): Promise<readonly boolean[]> {
    return Promise.all(tokens.map((token) => this.isActive(token)));
  }

  revoke(client_id: string, token: string, more: Fields = {}): Promise<Answer> {
    return this.post('/oauth/revoke', client_id, { token, ...more });
  }

  /** Asks a guarded route of the host. */
  guarded(route: string, token: string): Promise<Answer> {
    return new Client(this.#host.origin).get(`/guarded/${route}`, bearer(token));
  }

  async device(client_id: string, more: Fields = {}): Promise<DeviceCodes> {
    return successOf<DeviceCodes>(await this.post('/oauth/device', client_id, more));
  }

  poll(client_id: string, device_code: string): Promise<Answer> {
    return this.token(client_id, { grant_type: DEVICE_CODE, device_code });
  }

  /** The owner opens the page with the code, signs in if they have to, and decides. */
  async decide(
    { verification_uri, user_code }: DeviceCodes,
    decision: 'approve' | 'deny',
    username: Username = 'alice',
  ): Promise<Answer> {
    const browser = this.browser(username);
    let page = await browser.open(`${new URL(verification_uri).pathname}?user_code=${user_code}`);
    if ('password' in formOf(page).fields)
      page = await browser.signIn(
        page,
        USERS.find((user) => user.username === username),
      );
    return browser.submit(await browser.submit(page), { decision });
  }

  #registration(client_id: string): ClientRegistration {
    const registration = this.#registrations.get(client_id);
    if (registration === undefined) throw new Error(`There is no client ${client_id}.`);
    return registration;
  }
}

/** Registers a client, or tries to. */
export const register = (base: string, metadata: unknown, headers: Fields = {}): Promise<Answer> =>
  new Client(base).request('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  });

/** The `error` of an answer and its status, to compare with one expectation. */
export const refusal = (answer: Answer): readonly [status: number, error: unknown] => [
  answer.status,
  answer.json['error'],
];
