import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { hostFor } from '../hosts.js';
import { startSite } from './site.js';

/** The client makes its first request without a nonce, and repeats it as its documentation says. */
const withNonce = async <T>(attempt: () => Promise<T>): Promise<{ readonly result: T; readonly attempts: number }> => {
  try {
    return { result: await attempt(), attempts: 1 };
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return { result: await attempt(), attempts: 2 };
  }
};

test('DP27, DP29 oauth4webapi, unmodified and with a wrong clock: one retry at the token endpoint, none at the resource', async () => {
  const site = await startSite(
    hostFor(import.meta.url)[0],
    { nonce: 'required' },
    {},
    {
      guarded: { profile: { scope: 'content.read', dpop: 'required' } },
    },
  );
  const { base } = site.running;
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(base);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  const client: oauth.Client = { client_id: 'service' };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  const { result: token, attempts } = await withNonce(async () =>
    oauth.processClientCredentialsResponse(
      as,
      client,
      await oauth.clientCredentialsGrantRequest(
        as,
        client,
        oauth.ClientSecretBasic('service-secret'),
        {},
        { DPoP, ...insecure },
      ),
    ),
  );
  expect(attempts).toBe(2);
  expect(token.token_type).toBe('dpop');
  const asked = await withNonce(() =>
    oauth.protectedResourceRequest(token.access_token, 'GET', new URL(site.guardedUrl()), undefined, undefined, {
      DPoP,
      ...insecure,
    }),
  );
  expect([asked.attempts, asked.result.status]).toEqual([1, 200]);
});
