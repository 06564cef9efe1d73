/**
 * A newer or stronger sign-in for single routes (step-up, RFC 9470), without OpenID Connect: `oauthQuery({ stepUp: stepUp() })`, and
 * `oauth.guard(scope, { maxAge, acr })`.
 *
 * @module oauth-query/step-up
 */

import type { AuthorizationFeature } from '../core/base/feature.js';
import { secondsOf } from '../core/oauth/kernel/context.js';
import { featureOf } from '../core/oauth/kernel/oauth-feature.js';
import { signInFor, STEP_UP_PARAMETERS } from './asked.js';

/**
 * The server keeps when and how owners sign in, and reads `max_age` and `acr_values` of authorization requests (RFC 9470 §4). Clients learn
 * from the challenge of a guard what to ask for. With `openIdConnect()`, it is not needed.
 */
export const stepUp = (): AuthorizationFeature =>
  featureOf(
    ({ clock }) => ({
      endpoints: [],
      hooks: {
        parameters: STEP_UP_PARAMETERS,
        readRequest: ({ form, client, response_type }) =>
          response_type === 'code' ? signInFor(form, client, secondsOf(clock)) : {},
      },
    }),
    { keepsSignIn: true },
  );
