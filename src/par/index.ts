/**
 * Pushed authorization requests (PAR, RFC 9126): a client hands its authorization request over to the server before it sends a browser with a
 * reference to it, so that nobody can read or change what it asks for: `oauthQuery({ par: pushedRequests() })`.
 *
 * @module oauth-query/par
 */

import type { AuthorizationFeature } from '../core/base/feature.js';
import { fail } from '../core/base/schema.js';
import { featureOf } from '../core/oauth/kernel/oauth-feature.js';
import { PUSH_OPTIONS, type PushedRequestOptions, PushedRequests } from './pushed-requests.js';

export type { PushedRequestOptions } from './pushed-requests.js';

/**
 * Lets clients push their authorization requests (RFC 9126). Nothing is stored: the reference contains the encrypted request. Clients that
 * push nothing work as before, unless `required` is set.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const pushedRequests = (given: PushedRequestOptions = {}): AuthorizationFeature => {
  const options = PUSH_OPTIONS.read(given, 'pushedRequests: options');
  return featureOf(({ config }, host) => {
    if (!config.grants.has('authorization_code'))
      fail('options.par needs the grant authorization_code in options.grants: other grants have no such requests.');
    return new PushedRequests(options, host);
  });
};
