import type { HttpRequest } from '../../base/http/messages.js';
import type { Clock } from '../../base/ports.js';
import type { Seal } from '../../base/seal.js';
import { equalSecrets, keyedHash, type RandomSource } from '../../base/secrets.js';
import type { Owner } from '../records/owner.js';

/** The session of a browser that has seen one of our pages, with the owner who signed in on the built-in page, if any. */
export interface Session {
  readonly id: string;
  readonly owner?: Owner;
  /** The owner's last sign-out before the session began, `null` if there was none: a later one ends it. Present with the owner. */
  readonly lastSignOut?: string | null;
  /** Milliseconds since the epoch: the sign-in, if a feature reads it. Earlier sessions do not have it. */
  readonly signedInAt?: number;
  /** Milliseconds since the epoch. Sessions are never extended, however many pages are viewed. */
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

/** What {@link Sessions} depend on. */
interface SessionDependencies {
  readonly seal: Seal;
  /** The first one creates form tokens, all of them verify. */
  readonly formKeys: readonly string[];
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Seconds. */
  readonly lifetime: number;
  /** Distinguishes the cookies of several servers on one host. */
  readonly instance: string;
  readonly secure: boolean;
}

/** Sessions are stored in an encrypted cookie, not in the store, and form tokens are bound to them. */
export class Sessions {
  readonly #given: SessionDependencies;
  readonly #cookie: { readonly name: string; readonly attributes: string };

  constructor(given: SessionDependencies) {
    this.#given = given;
    // Because of the prefix, browsers only accept the cookie from this very host (RFC 6265bis §4.1.3.2).
    this.#cookie = {
      name: `${given.secure ? '__Host-' : ''}oauth_query_${given.instance}`,
      attributes: `; Path=/; HttpOnly; SameSite=Lax${given.secure ? '; Secure' : ''}`,
    };
  }

  /** The session of a request, if it has a valid one of ours. */
  read(request: HttpRequest): Session | undefined {
    return this.open(request.header('cookie'));
  }

  /** The session in a `Cookie` header, if it has a valid one of ours. */
  open(cookies: string | undefined): Session | undefined {
    const sealed = cookieValue(cookies, this.#cookie.name);
    if (sealed === undefined) return undefined;
    // Only our own key can encrypt it, for this purpose alone.
    const session = this.#given.seal.open(sealed) as Session | undefined;
    // Versions before 0.3 did not write it, and recorded sign-outs differently: the owner signs in again.
    const isOlder = session?.owner !== undefined && session.lastSignOut === undefined;
    return isOlder ? undefined : session;
  }

  /**
   * Starts a new session. Signing in and out always starts one, so that a session id cannot be planted (session fixation).
   *
   * @param signedIn - With the `id` of the live session of the same owner that it goes on from: both end together.
   */
  begin(
    signedIn?: Pick<Session, 'signedInAt'> & {
      readonly id?: string;
      readonly owner: Owner;
      readonly lastSignOut: string | null;
    },
  ): Session {
    return { id: this.#given.random.string(SESSION_ID_BYTES), expiresAt: this.#end(), ...signedIn };
  }

  /** When the last session with this id has expired, in seconds since the epoch. */
  lastEnd({ expiresAt }: Session): number {
    return Math.ceil(Math.max(expiresAt, this.#end()) / 1000);
  }

  /** The `Set-Cookie` header for a session: an owner's until it ends, any other for another full lifetime. */
  setCookie(session: Session): string {
    const sealed = this.#given.seal.seal(session, session.owner === undefined ? this.#end() : session.expiresAt);
    return `${this.#cookie.name}=${sealed}${this.#cookie.attributes}`;
  }

  #end(): number {
    return this.#given.clock() + this.#given.lifetime * 1000;
  }

  /** Proves that a form was shown in this session, for exactly this purpose. */
  formToken(session: Session, purpose: readonly string[]): string {
    const [key] = this.#given.formKeys;
    if (key === undefined) throw new TypeError('There is no key for form tokens.');
    return keyedHash(key, JSON.stringify([session.id, ...purpose]));
  }

  /** Whether the token was created by {@link formToken} in this session and for this purpose. */
  isFormToken(token: string | undefined, session: Session | undefined, purpose: readonly string[]): session is Session {
    if (token === undefined || session === undefined) return false;
    const text = JSON.stringify([session.id, ...purpose]);
    return this.#given.formKeys.some((key) => equalSecrets(token, keyedHash(key, text)));
  }
}
