import type { HttpRequest } from '../http.js';
import type { Clock } from '../ports.js';
import type { Seal } from '../seal.js';
import { equalSecrets, hmac, type RandomSource } from '../secrets.js';
import { checkOwner } from './owner.js';
import type { Owner } from './tokens.js';

/** A browser that has seen one of our pages, and who signed in there with the built-in page, if anybody did. */
export interface Session {
  readonly id: string;
  readonly owner?: Owner;
  /** Milliseconds since the epoch. Nobody stays signed in for longer, however many pages they see. */
  readonly expiresAt: number;
}

const SESSION_ID_BYTES = 16;

const cookieValue = (header: string | undefined, name: string): string | undefined => {
  for (const part of header?.split(';') ?? []) {
    const pair = part.trim();
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return undefined;
};

const isSession = (value: unknown): value is { id: string; owner?: unknown; expiresAt: number } =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'expiresAt' in value &&
  typeof value.expiresAt === 'number';

/** Sessions live in a sealed cookie, so they cost the store nothing, and form tokens are bound to them. */
export class Sessions {
  readonly #seal: Seal;
  readonly #formKeys: readonly Uint8Array[];
  readonly #clock: Clock;
  readonly #random: RandomSource;
  readonly #lifetime: number;
  readonly #cookie: { readonly name: string; readonly attributes: string };

  constructor(dependencies: {
    seal: Seal;
    /** The first one makes form tokens, all of them check. */
    formKeys: readonly Uint8Array[];
    clock: Clock;
    random: RandomSource;
    /** Seconds. */
    lifetime: number;
    /** Makes the names of several instances on one host differ. */
    instance: string;
    secure: boolean;
  }) {
    this.#seal = dependencies.seal;
    this.#formKeys = dependencies.formKeys;
    this.#clock = dependencies.clock;
    this.#random = dependencies.random;
    this.#lifetime = dependencies.lifetime;
    // The prefix makes browsers refuse the cookie from anybody but this very host (RFC 6265bis §4.1.3.2).
    this.#cookie = {
      name: `${dependencies.secure ? '__Host-' : ''}oauth_query_${dependencies.instance}`,
      attributes: `; Path=/; HttpOnly; SameSite=Lax${dependencies.secure ? '; Secure' : ''}`,
    };
  }

  /** The session of a request, if it has one of ours that has not expired. */
  read(request: HttpRequest): Session | undefined {
    const sealed = cookieValue(request.header('cookie'), this.#cookie.name);
    const value = sealed === undefined ? undefined : this.#seal.open(sealed);
    if (!isSession(value)) return undefined;
    const { id, owner, expiresAt } = value;
    return owner === undefined ? { id, expiresAt } : { id, owner: checkOwner(owner), expiresAt };
  }

  /** A new session. Signing in and out always begins one, so that nobody can plant an id (session fixation). */
  begin(owner?: Owner): Session {
    const session = { id: this.#random.string(SESSION_ID_BYTES), expiresAt: this.#end() };
    return owner === undefined ? session : { ...session, owner };
  }

  /** The `Set-Cookie` that makes the browser keep this session: an owner's to its end, any other for as long again. */
  setCookie(session: Session): string {
    const sealed = this.#seal.seal(session, session.owner === undefined ? this.#end() : session.expiresAt);
    return `${this.#cookie.name}=${sealed}${this.#cookie.attributes}`;
  }

  #end(): number {
    return this.#clock() + this.#lifetime * 1000;
  }

  /** Proves that a form was shown in this session, for exactly this purpose. */
  formToken(session: Session, purpose: readonly string[]): string {
    const [key] = this.#formKeys;
    if (key === undefined) throw new TypeError('There is no key for form tokens.');
    return hmac(key, JSON.stringify([session.id, ...purpose]));
  }

  /** Whether the token was made by {@link formToken} in this session and for this purpose. */
  isFormToken(token: string | undefined, session: Session | undefined, purpose: readonly string[]): session is Session {
    if (token === undefined || session === undefined) return false;
    const text = JSON.stringify([session.id, ...purpose]);
    return this.#formKeys.some((key) => equalSecrets(token, hmac(key, text)));
  }
}
