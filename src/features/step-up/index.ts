/**
 * A newer or stronger sign-in for single routes (step-up, RFC 9470), without OpenID Connect: `oauthQuery({ features: [stepUp()] })`, and
 * `oauth.guard(scope, { maxAge, acr })`.
 *
 * @module oauth-query/step-up
 */

import { feature, type PlainFeature } from '../../core/feature/index.js';
import { signInFor, STEP_UP_PARAMETERS } from './asked.js';

/**
 * The server keeps when and how owners sign in, and reads `max_age` and `acr_values` of authorization requests (RFC 9470 §4). Clients learn
 * from the challenge of a guard what to ask for. With `openIdConnect()`, it is not needed.
 */
export const stepUp = (): PlainFeature<'step-up'> =>
  feature({
    name: 'step-up',
    keepsSignIn: true,
    start: ({ clock }) => ({
      authorization: {
        parameters: STEP_UP_PARAMETERS,
        readRequest: ({ form, client, response_type }) =>
          response_type === 'code' ? signInFor(form, client, Math.floor(clock() / 1000)) : {},
      },
    }),
  });
