/**
 * Pushed authorization requests (PAR, RFC 9126): a client hands its authorization request over to the server before it sends a browser with a
 * reference to it, so that nobody can read or change what it asks for: `oauthQuery({ par: pushedRequests() })`.
 *
 * @module oauth-query/par
 */

import { isPath } from '../core/base/addresses/request-addresses.js';
import type { AuthorizationFeature } from '../core/base/feature.js';
import { fail, flag, object, orElse, type Schema, value, wholeNumber } from '../core/base/schema.js';
import type { OAuthFeature } from '../core/oauth/oauth-feature.js';
import { PushedRequests } from './pushed-requests.js';

/** Options of {@link pushedRequests}. */
export interface PushedRequestOptions {
  /** Every authorization request must be pushed; default `false`. One client alone: `require_pushed_authorization_requests` in its registration. */
  readonly required?: boolean;
  /** Seconds in which the browser must arrive: default 90, 5 to 600. */
  readonly lifetime?: number;
  /** The path of the endpoint below the issuer; default `/oauth/par`. */
  readonly path?: string;
}

const OPTIONS = object(
  {
    required: flag(false),
    lifetime: wholeNumber(90, 5, 600, 'seconds'),
    path: orElse(value<string>('a path that begins with a slash', isPath), '/oauth/par', '`/oauth/par`'),
  } satisfies Schema<PushedRequestOptions>,
  { takes: 'an object of options' },
);

/**
 * Lets clients push their authorization requests (RFC 9126). Nothing is stored: the reference contains the encrypted request. Clients that
 * push nothing work as before, unless `required` is set.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const pushedRequests = (given: PushedRequestOptions = {}): AuthorizationFeature => {
  const options = OPTIONS.read(given, 'pushedRequests: options');
  const feature: OAuthFeature = {
    scopes: {},
    keepsSignIn: false,
    start: ({ config }, host) => {
      if (!config.grants.has('authorization_code'))
        fail('options.par needs the grant authorization_code in options.grants: other grants have no such requests.');
      return new PushedRequests(options, host);
    },
  };
  return feature;
};
