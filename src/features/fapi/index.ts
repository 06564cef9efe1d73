/**
 * The FAPI 2.0 Security Profile: `oauthQuery({ features: [fapi2()] })` sets what the profile requires, and refuses to start with an option that contradicts it.
 * Verifiers in other processes take it too.
 *
 * @module oauth-query/fapi
 */

import {
  type AskedAuthorization,
  feature,
  OAuthError,
  option,
  type PlainFeature,
  type ReadAuthorization,
  type Rules,
  SECRETS,
  type Verifying,
} from '../../core/feature/index.js';
import { dpop, type DpopOptions } from '../dpop/index.js';
import { pushedRequests } from '../par/index.js';
import { refuseUnsupported, UNSUPPORTED_PARAMETERS } from './unsupported.js';

/** Options of {@link fapi2}. */
export interface Fapi2Options {
  /** As in `dpop({ secret })`: for nonces of a verifier in another process. The server uses its own. */
  readonly secret?: DpopOptions['secret'];
  /** As in `dpop({ origins })`: URLs by which clients know this process. */
  readonly origins?: DpopOptions['origins'];
}

const OPTIONS = option.object(
  {
    secret: SECRETS,
    // dpop() validates what is in it.
    origins: option.value<NonNullable<DpopOptions['origins']>>('an array of URLs', Array.isArray),
  } satisfies option.Schema<Fapi2Options>,
  { takes: 'an object of options' },
);

/** A rule, with its clause of the profile. */
const rule = <const T>(value: T, clause: string) => ({ value, clause: `FAPI 2.0 Security Profile ${clause}` });

/** FAPI 2.0 Security Profile, chapter 5. */
const RULES: Rules = Object.freeze({
  configuredIssuer: rule(true, '5.2.1 (1)'),
  excludedGrants: rule(['password', 'implicit'], '5.3.2.1 (2), 5.3.2.2 (1)'),
  clientAuthentication: rule(['private_key_jwt'], '5.3.2.1 (3, 6)'),
  boundTokens: rule(true, '5.3.2.1 (4, 5)'),
  audienceIsText: rule(true, '5.3.2.1 (8)'),
  refresh: rule(['reusable'], '5.3.2.1 (9)'),
  authorizationCode: rule(60, '5.3.2.1 (11)'),
  clockAheadLeast: rule(10, '5.3.2.1 (13)'),
  clockAheadMost: rule(60, '5.3.2.1 (13)'),
  leastPrivilege: rule(true, '5.3.2.1 (14), 5.3.2.2 (13)'),
  pushedRequests: rule(true, '5.3.2.2 (2, 3, 4, 6)'),
  challengeMethods: rule(['S256'], '5.3.2.2 (5)'),
  exactRedirects: rule(true, '5.3.2.2 (8)'),
  codeReplayTolerance: rule(0, '5.3.2.2 (9)'),
  redirectStatus: rule(303, '5.3.2.2 (11)'),
  pushedRequestLifetime: rule(599, '5.3.2.2 (12)'),
  signing: rule(['PS256', 'ES256', 'EdDSA', 'Ed25519'], '5.4.1 (1)'),
});

/** A signed request or response that is ignored would be one without its limits. */
const readRequest = ({ form }: AskedAuthorization): ReadAuthorization => {
  refuseUnsupported(form);
  const mode = form.get('response_mode') ?? 'query';
  if (mode === 'query') return {};
  throw new OAuthError('invalid_request', 'The response_mode is not supported; use query.', { value: mode });
};

/**
 * Enforces the FAPI 2.0 Security Profile, with `private_key_jwt` and DPoP. It includes `dpop()` and `pushedRequests()`; put one of them next to it only to give it
 * options. In a verifier, it accepts only tokens that are bound to keys.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 * @see {@link https://openid.net/specs/fapi-security-profile-2_0-final.html | FAPI 2.0 Security Profile}
 */
export const fapi2 = (given: Fapi2Options = {}): PlainFeature<'fapi2'> & Verifying => {
  const options = OPTIONS.read(given, 'fapi2: options');
  return feature({
    name: 'fapi2',
    includes: [dpop(options), pushedRequests()],
    rules: RULES,
    start: () => ({ authorization: { parameters: UNSUPPORTED_PARAMETERS, readRequest } }),
    // What it checks of tokens is in what it includes.
    verify: () => ({}),
  });
};
