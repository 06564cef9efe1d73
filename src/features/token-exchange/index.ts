/**
 * Token exchange (RFC 8693): a service that was called with a token gets a narrower one for the next service:
 * `oauthQuery({ features: [tokenExchange({ from: { notes: ['https://api.example'] } })] })`.
 *
 * @module oauth-query/token-exchange
 */

import { feature, type PlainFeature } from '../../core/feature/index.js';
import { exchangeGrant } from './grant.js';
import { EXCHANGE_OPTIONS, type TokenExchangeOptions } from './options.js';
import { Policies, TOKEN_EXCHANGE } from './policy.js';

export type { ExchangingClient, TokenExchangeOptions } from './options.js';

/**
 * Lets services exchange the access tokens that they are called with for narrower ones, with which they act for the same owner.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const tokenExchange = (given: TokenExchangeOptions = {}): PlainFeature<'token-exchange'> => {
  const options = EXCHANGE_OPTIONS.read(given, 'tokenExchange: options');
  const { depth } = options;
  return feature({
    name: 'token-exchange',
    grantTypes: [TOKEN_EXCHANGE],
    start: (host) => ({
      grants: { [TOKEN_EXCHANGE]: exchangeGrant({ host, policies: new Policies(options, host), depth }) },
    }),
  });
};
