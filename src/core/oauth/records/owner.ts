/** The prefix of `sub` in a client's own tokens. No resource owner may have such a `sub`. */
export const CLIENT_SUBJECT = 'client:';

/** A resource owner, as returned by the application. */
export interface Owner {
  /**
   * The permanent identifier: never reassigned to another owner, and not beginning with `client:`. Becomes the token's
   * `sub`.
   */
  readonly sub: string;
  /** The name shown to users. Becomes the token's `username`. */
  readonly username?: string;
}

/** What was returned instead, without its contents. */
const kindOf = (given: unknown): string => {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return 'an array';
  if (given === '') return 'an empty text';
  if (typeof given !== 'object') return `a ${typeof given}`;
  return `an object with ${Object.keys(given).slice(0, 5).join(', ') || 'no members'}`;
};

/**
 * Validates an owner returned by the application or its directory. Rejects a `sub` that could be mistaken for a client's own
 * (RFC 9700 §4.15).
 *
 * @param from - The function of the options that returned it, if there is one.
 * @throws TypeError that describes the problem.
 */
export const checkOwner = (owner: unknown, from?: string): Owner => {
  if (typeof owner !== 'object' || owner === null || !('sub' in owner)) {
    throw new TypeError(
      `${from ?? 'The application'} must return an object with a sub, such as { sub: String(user.id) }, or nothing if the user is not signed in. It returned ${kindOf(owner)}.`,
    );
  }
  const { sub } = owner;
  const username = 'username' in owner ? owner.username : undefined;
  if (typeof sub !== 'string' || sub === '')
    throw new TypeError(
      `The sub of an owner must be text and not empty.${from === undefined ? '' : ` ${from} returned ${kindOf(sub)}; use String(user.id).`}`,
    );
  if (sub.startsWith(CLIENT_SUBJECT)) {
    throw new TypeError(`The sub of an owner must not begin with ${CLIENT_SUBJECT}, which is reserved for clients.`);
  }
  if (username !== undefined && username !== null && typeof username !== 'string') {
    throw new TypeError('The username of an owner must be text, or absent.');
  }
  return typeof username === 'string' ? { sub, username } : { sub };
};
