import { defined } from '../../base/defined.js';
import { mistake } from '../../base/mistakes.js';
import { isMisspelt } from '../../base/spelling.js';

/** The prefix of `sub` in a client's own tokens. No resource owner may have such a `sub`. */
export const CLIENT_SUBJECT = 'client:';

/** When and how an owner signed in. Only features read it, such as OpenID Connect; without one, it is dropped. */
export interface SignInFacts {
  /** Seconds since the epoch: when the owner last proved who they are. Not the time of this request. */
  readonly auth_time?: number | undefined;
  /** The authentication context class, such as `urn:example:two-factors`: at most 256 characters. */
  readonly acr?: string | undefined;
  /** The authentication methods, such as `['pwd', 'otp']` (RFC 8176): at most 16 texts of at most 256 characters. */
  readonly amr?: readonly string[] | undefined;
}

/** A resource owner, as returned by the application. */
export interface Owner extends SignInFacts {
  /**
   * The permanent identifier: never reassigned to another owner, and not beginning with `client:`. Becomes the token's
   * `sub`.
   */
  readonly sub: string;
  /** The name shown to users. Becomes the token's `username`. */
  readonly username?: string | undefined;
  /** The e-mail address: pages show it below the name, so that users with two accounts see which one it is. At most 254 characters. No token contains it. */
  readonly email?: string | undefined;
  /**
   * The name of the session in your own sign-in, at most 256 characters, such as its id. With it, a sign-out of this session alone can be told to clients that
   * ask for that (Back-Channel Logout 1.0); they receive a digest. Only OpenID Connect reads it.
   */
  readonly sid?: string | undefined;
}

/** What was returned instead, without its contents. */
const kindOf = (given: unknown): string => {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return 'an array';
  if (given === '') return 'an empty string';
  if (typeof given !== 'object') return `a ${typeof given}`;
  return `an object with ${Object.keys(given).slice(0, 5).join(', ') || 'no members'}`;
};

/** RFC 5321 §4.5.3.1.3: a path of 256 octets with its brackets. */
const MAX_EMAIL_LENGTH = 254;

/** In seconds: how far the clock of the application may be ahead. */
const MAX_AHEAD = 60;
const MAX_METHODS = 16;
const MAX_FACT_LENGTH = 256;

const isFact = (given: unknown): given is string =>
  typeof given === 'string' && given !== '' && given.length <= MAX_FACT_LENGTH;

const wrong = (message: string): TypeError => mistake(message, 'OQ402');

const fact = (owner: object, name: keyof Owner): unknown => Reflect.get(owner, name) ?? undefined;

const textIn = (owner: object, name: 'acr' | 'sid', from: string): string | undefined => {
  const given = fact(owner, name);
  if (given === undefined || isFact(given)) return given;
  throw wrong(`The ${name} of ${from} must be a string of at most ${MAX_FACT_LENGTH} characters.`);
};

/**
 * The sign-in facts of an owner, validated.
 *
 * @param now - Milliseconds since the epoch.
 * @throws TypeError that names the fact and the function that returned it.
 */
const factsIn = (owner: object, from: string, now: number): Partial<Owner> => {
  const [auth_time, amr] = [fact(owner, 'auth_time'), fact(owner, 'amr')];
  if (auth_time !== undefined && (typeof auth_time !== 'number' || !Number.isFinite(auth_time) || auth_time < 0))
    throw wrong(`The auth_time of ${from} must be a number of seconds since the epoch.`);
  if (auth_time !== undefined && auth_time > now / 1000 + MAX_AHEAD)
    throw wrong(`The auth_time of ${from} is in the future. It must be in seconds since the epoch, not milliseconds.`);
  if (amr !== undefined && !(Array.isArray(amr) && amr.length <= MAX_METHODS && amr.every(isFact)))
    throw wrong(`The amr of ${from} must be an array of at most ${MAX_METHODS} texts.`);
  const [acr, sid] = [textIn(owner, 'acr', from), textIn(owner, 'sid', from)];
  return defined({ auth_time: auth_time && Math.floor(auth_time), acr, amr, sid });
};

/**
 * An owner may be a whole row of a database, so other fields are left alone.
 *
 * @throws TypeError for a field that is absent, and there under a misspelt name: it would be ignored.
 */
const checkSpelling = (owner: object, known: readonly (keyof Owner)[], from: string): void => {
  for (const meant of known) {
    if (meant in owner) continue;
    const given = Object.keys(owner).find((name) => isMisspelt(name, meant));
    if (given !== undefined) throw wrong(`${from} returned ${given}, which is not read. Its name is ${meant}.`);
  }
};

/** The facts without undefined members. */
export const signInFacts = ({
  auth_time,
  acr,
  amr,
}: {
  readonly [Name in keyof SignInFacts]: SignInFacts[Name] | undefined;
}): SignInFacts => defined({ auth_time, acr, amr });

/**
 * Validates an owner returned by the application or its directory. Rejects a `sub` that could be mistaken for a client's own
 * (RFC 9700 §4.15).
 *
 * @param from - The function of the options that returned it, if there is one.
 * @param now - Milliseconds since the epoch, to keep the sign-in facts; without it they are dropped.
 * @throws TypeError that describes the problem.
 */
export const checkOwner = (owner: unknown, from?: string, now?: number): Owner => {
  const source = from ?? 'The application';
  if (typeof owner !== 'object' || owner === null || !('sub' in owner))
    throw wrong(
      `${source} must return an object with a sub, such as { sub: String(user.id) }, or nothing if the user is not signed in. It returned ${kindOf(owner)}.`,
    );
  checkSpelling(owner, now === undefined ? ['username'] : ['username', 'auth_time', 'acr', 'amr'], source);
  const { sub } = owner;
  const [username, email] = [fact(owner, 'username'), fact(owner, 'email')];
  if (typeof sub !== 'string' || sub === '')
    throw wrong(
      `The sub of an owner must be a non-empty string.${from === undefined ? '' : ` ${from} returned ${kindOf(sub)}; use String(user.id).`}`,
    );
  if (sub.startsWith(CLIENT_SUBJECT))
    throw wrong(`The sub of an owner must not begin with ${CLIENT_SUBJECT}, which is reserved for clients.`);
  if (username !== undefined && typeof username !== 'string')
    throw wrong('The username of an owner must be a string or absent.');
  if (email !== undefined && (typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH))
    throw wrong(`The email of an owner must be a string of at most ${MAX_EMAIL_LENGTH} characters, or absent.`);
  const checked = { sub, ...defined({ username, email: email || undefined }) };
  return now === undefined ? checked : Object.assign(checked, factsIn(owner, from ?? 'the owner', now));
};
