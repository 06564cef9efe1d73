import { say } from './texts.js';

/** The settings for signing in. URLs are absolute. */
export interface SignInSettings {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  readonly client_id: string;
  /** The required value of the parameter `iss` (RFC 9207). */
  readonly issuer: string;
}

/** Stored while the browser is at the authorization server. */
interface Pending {
  readonly state: string;
  readonly verifier: string;
  /** The state of the form. */
  readonly fragment: string;
}

/** The result of a sign-in. */
export interface Outcome {
  readonly fragment: string;
  /** An error message. */
  readonly problem?: string;
}

const PENDING = 'oauth-query sandbox: sign-in under way';
/** The maximum delay of a timer in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

const redirectUri = (): string => location.origin + location.pathname;

const takePending = (): Pending | undefined => {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  // Only `begin` writes it.
  return text === null ? undefined : (JSON.parse(text) as Pending);
};

/** The error description of the authorization server, if it has one, and the error code. */
const refusal = (error: string, description: string | null | undefined): string => {
  if (error === 'access_denied') return `${say('denied')} (access_denied)`;
  return say('refused', {
    reason: description === null || description === undefined ? error : `${description} (${error})`,
  });
};

/**
 * Signs in with an authorization code and PKCE (RFC 7636, RFC 9700 §2.1.1). The token is only in memory, where other
 * scripts of the origin cannot find it, and is lost when the page is closed.
 */
export class SignIn {
  readonly #settings: SignInSettings;
  readonly #onEnd: () => void;
  #token: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onEnd - Called when the token expires. */
  constructor(settings: SignInSettings, onEnd: () => void) {
    this.#settings = settings;
    this.#onEnd = onEnd;
  }

  /** The access token, if the user is signed in. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Sends the browser to the authorization server. */
  async begin(fragment: string, scope: string): Promise<void> {
    if (!globalThis.isSecureContext) {
      throw new Error(say('needsHttps'));
    }
    const pending: Pending = { state: randomText(), verifier: randomText(), fragment };
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.#settings.client_id,
      redirect_uri: redirectUri(),
      state: pending.state,
      code_challenge: await challengeOf(pending.verifier),
      code_challenge_method: 'S256',
      ...(scope === '' ? {} : { scope }),
    });
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    location.assign(`${this.#settings.authorize}?${query.toString()}`);
  }

  /** Whether the URL contains an authorization response. */
  static isReturn(search: string): boolean {
    const answer = new URLSearchParams(search);
    return answer.has('code') || answer.has('error');
  }

  /** Removes the authorization response from the URL, validates it, and redeems the code. */
  async finish(search: string): Promise<Outcome> {
    const answer = new URLSearchParams(search);
    const pending = takePending();
    const fragment = pending?.fragment ?? location.hash.slice(1);
    history.replaceState(null, '', `${location.pathname}#${fragment}`);
    try {
      if (pending === undefined || answer.get('state') !== pending.state) {
        throw new Error(say('notStarted'));
      }
      if (answer.get('iss') !== this.#settings.issuer) {
        throw new Error(say('otherServer'));
      }
      const error = answer.get('error');
      if (error !== null) throw new Error(refusal(error, answer.get('error_description')));
      await this.#redeem(answer.get('code') ?? '', pending.verifier);
      return { fragment };
    } catch (error) {
      return { fragment, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Drops the token without revoking it. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#token = undefined;
  }

  /** Signs out: drops the token and revokes it at the server (RFC 7009). */
  async end(): Promise<void> {
    const token = this.#token;
    this.forget();
    if (token === undefined) return;
    const { revoke, client_id } = this.#settings;
    const response = await this.#post(revoke, { token, client_id });
    if (!response.ok) throw new Error(say('notRevoked'));
  }

  async #redeem(code: string, code_verifier: string): Promise<void> {
    const { token, client_id } = this.#settings;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri(), client_id, code_verifier };
    const response = await this.#post(token, form);
    // The members are those of RFC 6749 §5.1 and §5.2.
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (typeof answer['error'] === 'string') {
      const { error, error_description: description } = answer;
      throw new Error(refusal(error, typeof description === 'string' ? description : undefined));
    }
    if (typeof answer['access_token'] !== 'string') throw new Error(say('noToken'));
    this.#token = answer['access_token'];
    const seconds = answer['expires_in'];
    if (typeof seconds === 'number') {
      this.#timer = setTimeout(() => this.#expire(), Math.min(seconds * 1000, MAX_TIMEOUT));
    }
  }

  #expire(): void {
    this.forget();
    this.#onEnd();
  }

  #post(address: string, form: Record<string, string>): Promise<Response> {
    return fetch(address, { method: 'POST', body: new URLSearchParams(form), credentials: 'omit', redirect: 'error' });
  }
}
