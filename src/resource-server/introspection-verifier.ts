import { LRUCache } from 'lru-cache';
import type { Authorization } from '../core/base/authorization.js';
import { sha256 } from '../core/base/secrets.js';
import { Introspector } from './introspector.js';
import { type IntrospectionVerifierOptions, resolveGuardOptions } from './introspection-options.js';
import { type Verifier, tokenVerifier } from './verifier.js';

/** An answer, and the time in milliseconds since the epoch until which it is cached. */
interface Remembered {
  readonly authorization: Authorization | undefined;
  readonly until: number;
}

interface Answers {
  readonly active: LRUCache<string, Remembered>;
  /** Callers can invent tokens, so inactive ones have a small separate cache and cannot evict other answers. */
  readonly inactive: LRUCache<string, Remembered>;
}

/** The number of active answers per inactive one. */
const ACTIVE_PER_INACTIVE = 10;

/**
 * Creates a guard that introspects each token and caches the answers briefly.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const introspectionVerifier = (options: IntrospectionVerifierOptions): Verifier => {
  const resolved = resolveGuardOptions(options);
  const { cacheSeconds, cacheSize, clock } = resolved;
  const introspector = new Introspector(resolved);
  const answers: Answers = {
    active: new LRUCache({ max: cacheSize }),
    inactive: new LRUCache({ max: Math.ceil(cacheSize / ACTIVE_PER_INACTIVE) }),
  };
  const questions = new Map<string, Promise<Authorization | undefined>>();

  const ask = async (key: string, token: string): Promise<Authorization | undefined> => {
    // The answer may not reflect changes after this moment, so its cache lifetime starts here.
    const believed = clock() + cacheSeconds * 1000;
    const authorization = await introspector.introspect(token);
    const until = authorization === undefined ? believed : Math.min(believed, authorization.exp * 1000);
    answers[authorization === undefined ? 'inactive' : 'active'].set(key, { authorization, until });
    return authorization;
  };

  const remembered = (key: string): Remembered | undefined => {
    const isLive = (answer: Remembered | undefined): boolean => answer !== undefined && clock() < answer.until;
    return [answers.active.get(key), answers.inactive.get(key)].find(isLive);
  };

  /** Simultaneous requests with the same token share one introspection request. */
  const lookUp = async (token: string): Promise<Authorization | undefined> => {
    if (cacheSeconds === 0) return introspector.introspect(token);
    const key = sha256(token);
    const known = remembered(key);
    if (known !== undefined) return known.authorization;
    const question = questions.get(key) ?? ask(key, token).finally(() => questions.delete(key));
    questions.set(key, question);
    return question;
  };

  return tokenVerifier(lookUp, resolved, () => introspector.close());
};
