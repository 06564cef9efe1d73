/**
 * Access tokens that are bound to a key of the client, so that a stolen token is useless (DPoP, RFC 9449): `oauthQuery({ features: [dpop()] })`, and
 * the same for the verifiers in other processes.
 *
 * @module oauth-query/dpop
 */

import {
  contradiction,
  fail,
  feature,
  type PlainFeature,
  type VerifierHost,
  type Verifying,
} from '../../core/feature/index.js';
import { DpopChecker } from './checker.js';
import { DPOP_OPTIONS, type DpopOptions } from './options.js';

export type { DpopOptions } from './options.js';

/**
 * Binds tokens to keys (RFC 9449): a client that sends a proof with its token request gets a token that only works together with a fresh
 * signature of the same key. Clients that send none get bearer tokens as before, unless `required` is set.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const dpop = (given: DpopOptions = {}): PlainFeature<'dpop'> & Verifying => {
  const options = DPOP_OPTIONS.read(given, 'dpop: options');
  return feature({
    name: 'dpop',
    verify: (host) => {
      checkRules(given, host.rules);
      const keys = host.keys('dpop nonce', options.secret);
      if (options.nonce === 'required' && keys.length === 0)
        fail(`${host.name}: nonces need a secret. Set dpop({ nonce: 'required', secret }).`);
      if (options.replay === 'store' && host.remember === undefined)
        fail(`${host.name}: dpop({ replay: 'store' }) needs a store, which this process does not have.`);
      if (host.origins.length === 0 && options.origins.length === 0)
        fail(`${host.name}: proofs name the address of a request. Set dpop({ origins }) to the URLs of this process.`);
      return { proofs: new DpopChecker(limited(options, given, host.rules), host, keys) };
    },
  });
};

/** @throws TypeError for an option that contradicts a rule of another feature. */
const checkRules = (
  { required, maxAhead }: DpopOptions,
  { boundTokens, clockAheadLeast: least, clockAheadMost: most }: VerifierHost['rules'],
): void => {
  if (boundTokens !== undefined && required === false)
    fail(contradiction('dpop({ required }) is false', boundTokens, 'that every token is bound to a key', 'Omit it.'));
  if (maxAhead === undefined) return;
  if (least !== undefined && maxAhead < least.value)
    fail(contradiction(`dpop({ maxAhead }) is ${maxAhead}`, least, `at least ${least.value} seconds`, 'Omit it.'));
  if (most !== undefined && maxAhead > most.value)
    fail(contradiction(`dpop({ maxAhead }) is ${maxAhead}`, most, `at most ${most.value} seconds`, 'Omit it.'));
};

/** Seconds above what a rule asks for: a clock that is just as far ahead as it may be is a little further when the proof arrives. */
const SPARE = 5;

/** The options with the rules of other features in them. */
const limited = (
  options: ReturnType<typeof DPOP_OPTIONS.read>,
  { maxAhead }: DpopOptions,
  { boundTokens, clockAheadLeast: least, clockAheadMost: most }: VerifierHost['rules'],
): ReturnType<typeof DPOP_OPTIONS.read> => {
  const usual = Math.max(options.maxAhead, least === undefined ? 0 : least.value + SPARE);
  return {
    ...options,
    required: options.required || boundTokens !== undefined,
    maxAhead: maxAhead ?? Math.min(usual, most?.value ?? usual),
  };
};
