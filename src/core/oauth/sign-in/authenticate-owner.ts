import type { HttpRequest } from '../../base/http/messages.js';
import { type Attempt, type GuessLimiter, guessAt } from '../../base/limits/guess-limiter.js';
import type { LimitAt } from '../../base/limits/source.js';
import { minutesOf, PageError } from '../../base/pages/page-error.js';
import type { Emit } from '../events/events.js';
import { LIMITS } from '../facts/limits.js';
import { checkOwner, type Owner } from '../records/owner.js';
import { foldedName, type Directory, guessedName, typedName } from './users.js';

/** Dependencies for checking a password. */
export interface OwnerAuthentication {
  readonly users: Directory | undefined;
  readonly limitAt: LimitAt;
  readonly loginLimit: GuessLimiter;
}

/** Checks a user name and a password against the application's users, within the rate limits. */
export const authenticateOwner = (
  username: string,
  password: string,
  { request, emit }: { readonly request: HttpRequest; readonly emit: Emit | undefined },
  { users, limitAt, loginLimit }: OwnerAuthentication,
): Promise<Attempt<Owner>> => {
  if (users === undefined) throw new TypeError('options.users is missing, so passwords cannot be checked.');
  const typed = typedName(username);
  const name = foldedName(username);
  // A list compares as we do. In one, unknown spellings must not be counted with a user: they are counted by this process alone.
  const counted = users.knows === undefined ? guessedName(name ?? '') : (name ?? '');
  const isKnown = name !== undefined && (users.knows?.(name) ?? true);
  const ofSource = limitAt(request.ip, LIMITS.sourceFailures);
  const guess = guessAt(counted, request, { isKnown, failures: LIMITS.loginFailures, ofSource });
  return loginLimit.attempt(guess, request, async () => {
    const found = typed === undefined ? undefined : await users.authenticate(typed, password, request);
    const owner =
      found === undefined || found === null || found === false
        ? undefined
        : checkOwner(found, 'options.users.authenticate');
    if (owner === undefined || !(await (users.isActive?.(owner.sub) ?? true))) {
      emit?.({ type: 'owner.sign_in_failed' });
      return undefined;
    }
    emit?.({ type: 'owner.signed_in', sub: owner.sub });
    return owner;
  });
};

/**
 * The page after too many attempts.
 *
 * @param start - The URL for trying again.
 */
export const tooManyAttempts = (retryAfter: number, start: string): PageError =>
  new PageError('too_many_attempts', {
    status: 429,
    headers: { 'retry-after': String(retryAfter) },
    count: minutesOf(retryAfter),
    back: { href: start },
  });
