/**
 * Access tokens that are bound to a key of the client, so that a stolen token is useless (DPoP, RFC 9449): `oauthQuery({ dpop: dpop() })`, and
 * `dpop` of the verifiers in other processes.
 *
 * @module oauth-query/dpop
 */

import type { KeyProofs } from '../core/base/key-proofs.js';
import { fail } from '../core/base/schema.js';
import { DpopChecker } from './checker.js';
import { DPOP_OPTIONS, type DpopOptions } from './options.js';

export type { DpopOptions } from './options.js';

/**
 * Binds tokens to keys (RFC 9449): a client that sends a proof with its token request gets a token that only works together with a fresh
 * signature of the same key. Clients that send none get bearer tokens as before, unless `required` is set.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const dpop = (given: DpopOptions = {}): KeyProofs => {
  const options = DPOP_OPTIONS.read(given, 'dpop: options');
  return {
    start: (host) => {
      const secrets = host.secrets.length > 0 ? host.secrets : (options.secret ?? []);
      if (options.nonce === 'required' && secrets.length === 0)
        fail(`${host.name}: nonces need a secret. Set dpop({ nonce: 'required', secret }).`);
      if (options.replay === 'store' && host.remember === undefined)
        fail(`${host.name}: dpop({ replay: 'store' }) needs a store, which this process does not have.`);
      if (host.origins.length === 0 && options.origins.length === 0)
        fail(`${host.name}: proofs name the address of a request. Set dpop({ origins }) to the URLs of this process.`);
      return new DpopChecker(options, host, secrets);
    },
  };
};
