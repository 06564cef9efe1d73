import type { LRUCache } from 'lru-cache';
import type { Authorization } from '../core/authorization.js';
import { sha256 } from '../core/secrets.js';
import { Introspector } from './introspector.js';
import { type IntrospectionGuardOptions, resolveGuardOptions } from './options.js';
import { type TokenGuard, tokenGuard } from './token-guard.js';

/** An answer and the moment, in milliseconds since the epoch, from which on it is not believed any more. */
interface Remembered {
  readonly authorization: Authorization | undefined;
  readonly until: number;
}

/**
 * Makes a guard that asks the authorization server about each token, and remembers for a short time what it said.
 *
 * @throws TypeError with a sentence that names a wrong option and the remedy.
 */
export const createIntrospectionGuard = (options: IntrospectionGuardOptions): TokenGuard => {
  const resolved = resolveGuardOptions(options);
  const { cacheSeconds, cacheSize, clock } = resolved;
  const introspector = new Introspector(resolved);
  let answers: LRUCache<string, Remembered> | undefined;
  const questions = new Map<string, Promise<Authorization | undefined>>();

  const ask = async (key: string, token: string): Promise<Authorization | undefined> => {
    // What happens after this moment may be missing in the answer, so it is believed from here on.
    const believed = clock() + cacheSeconds * 1000;
    const authorization = await introspector.introspect(token);
    const until = authorization === undefined ? believed : Math.min(believed, authorization.exp * 1000);
    // Loaded here: every adapter offers this guard, and most hosts have no use for it.
    const { LRUCache } = await import('lru-cache');
    answers ??= new LRUCache({ max: cacheSize });
    answers.set(key, { authorization, until });
    return authorization;
  };

  /** Any number of requests with the same token ask once. */
  const lookUp = async (token: string): Promise<Authorization | undefined> => {
    if (cacheSeconds === 0) return introspector.introspect(token);
    const key = sha256(token);
    const known = answers?.get(key);
    if (known !== undefined && clock() < known.until) return known.authorization;
    const question = questions.get(key) ?? ask(key, token).finally(() => questions.delete(key));
    questions.set(key, question);
    return question;
  };

  return tokenGuard(lookUp, resolved, () => introspector.close());
};
