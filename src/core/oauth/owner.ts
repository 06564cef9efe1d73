import { PageError } from '../errors.js';
import type { HttpRequest } from '../http.js';
import { type Attempt, sourceOf } from '../limiter.js';
import type { OAuthContext } from './context.js';
import { CLIENT_SUBJECT, type Owner } from './tokens.js';

/**
 * Takes what a host or its directory says about an owner. A `sub` that could be mistaken for a client's own is refused
 * (RFC 9700 §4.15).
 *
 * @throws TypeError that tells the host what is wrong.
 */
export const checkOwner = (owner: unknown): Owner => {
  if (typeof owner !== 'object' || owner === null || !('sub' in owner)) {
    throw new TypeError('The owner must be an object with a sub, or nothing when nobody is signed in.');
  }
  const { sub } = owner;
  const username = 'username' in owner ? owner.username : undefined;
  if (typeof sub !== 'string' || sub === '') throw new TypeError('The sub of an owner must be text and not empty.');
  if (sub.startsWith(CLIENT_SUBJECT)) {
    throw new TypeError(
      `The sub of an owner must not begin with ${CLIENT_SUBJECT}; that is how tokens of clients are named.`,
    );
  }
  if (username !== undefined && username !== null && typeof username !== 'string') {
    throw new TypeError('The username of an owner must be text, or absent.');
  }
  return typeof username === 'string' ? { sub, username } : { sub };
};

/** How a user name is counted: a directory that is lax about its spelling must not give more guesses for each. */
const countedName = (username: string): string => username.normalize('NFKC').trim().toLowerCase();

/** Checks a user name and a password against the host's users, as often as the limit allows. */
export const authenticateOwner = (
  username: string,
  password: string,
  request: HttpRequest,
  context: OAuthContext,
): Promise<Attempt<Owner>> => {
  const { users } = context.config;
  if (users === undefined) throw new TypeError('There are no options.users to check a password with.');
  return context.limiters.login.attempt([[countedName(username), sourceOf(request.ip)]], request, async () => {
    const found = await users.authenticate(username, password);
    const owner = found === undefined || found === null || found === false ? undefined : checkOwner(found);
    if (owner === undefined || !(await (users.isActive?.(owner.sub) ?? true))) {
      context.emit?.({ type: 'owner.sign_in_failed', ip: request.ip });
      return undefined;
    }
    context.emit?.({ type: 'owner.signed_in', sub: owner.sub, ip: request.ip });
    return owner;
  });
};

/** The page for a form that came too often. */
export const tooManyAttempts = (retryAfter: number): PageError =>
  new PageError(429, 'There were too many wrong attempts. Wait a few minutes and try again.', {
    'retry-after': String(retryAfter),
  });
