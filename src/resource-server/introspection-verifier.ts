import { LRUCache } from 'lru-cache';
import type { Authorization } from '../core/base/authorization.js';
import { fromCaller } from '../core/base/mistakes.js';
import { sha256 } from '../core/base/secrets.js';
import { singleFlight } from '../core/base/single-flight.js';
import { doubter } from './doubter.js';
import { type IntrospectionVerifierOptions, resolveOptions } from './introspection-options.js';
import { Introspector } from './introspector.js';
import { type Verifier, tokenVerifier } from './verifier.js';

/** An answer, and the time in milliseconds since the epoch until which it is cached. */
interface Remembered {
  readonly authorization: Authorization | undefined;
  readonly until: number;
}

/** The number of active answers per inactive one. */
const ACTIVE_PER_INACTIVE = 10;

/**
 * Creates a verifier that introspects each token and caches the answers briefly.
 *
 * @throws TypeError with a sentence that names the invalid option and the remedy.
 */
export const introspectionVerifier = (options: IntrospectionVerifierOptions): Verifier => {
  const resolved = fromCaller(introspectionVerifier, () => resolveOptions(options));
  const { cacheSeconds, cacheSize, clock } = resolved;
  const introspector = new Introspector(resolved);
  const answers = {
    active: new LRUCache<string, Remembered>({ max: cacheSize }),
    // Callers can invent tokens, so inactive ones have a small separate cache and cannot evict other answers.
    inactive: new LRUCache<string, Remembered>({ max: Math.ceil(cacheSize / ACTIVE_PER_INACTIVE) }),
  };
  const note = doubter(
    resolved.onError,
    (tokens) =>
      `introspectionVerifier: the authorization server answered that all of the first ${tokens} tokens are inactive. If they are valid, register the client of this guard there with introspect: true.`,
  );

  /** Simultaneous requests with the same token share one introspection request. */
  const ask = singleFlight(async (token: string): Promise<Authorization | undefined> => {
    // The answer may not reflect changes after this moment, so its cache lifetime starts here.
    const believed = clock() + cacheSeconds * 1000;
    const authorization = await introspector.introspect(token);
    note(authorization === undefined ? 'inactive' : undefined);
    const until = authorization === undefined ? believed : Math.min(believed, authorization.exp * 1000);
    answers[authorization === undefined ? 'inactive' : 'active'].set(sha256(token), { authorization, until });
    return authorization;
  });

  const remembered = (key: string): Remembered | undefined => {
    const isLive = (answer: Remembered | undefined): boolean => answer !== undefined && clock() < answer.until;
    return [answers.active.get(key), answers.inactive.get(key)].find(isLive);
  };

  const lookUp = async (token: string): Promise<Authorization | undefined> => {
    if (cacheSeconds === 0) return introspector.introspect(token);
    const known = remembered(sha256(token));
    return known === undefined ? ask(token) : known.authorization;
  };

  return tokenVerifier(lookUp, resolved, () => introspector.close());
};
