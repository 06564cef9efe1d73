import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { fapi2 } from 'oauth-query/fapi';
import { openIdConnect } from 'oauth-query/openid';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Host, oneHostEach, type RunningHost } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { Browser, locationOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { P256 } from '../openid/support.js';

const ALGORITHMS = ['PS256', 'ES256', 'EdDSA'] as const;
const CALLBACK = 'https://bank.example/cb';
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** A client for each algorithm, with its key. */
const keys = new Map<string, CryptoKey>();
const clients: object[] = [];
for (const alg of ALGORITHMS) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  keys.set(alg, privateKey);
  clients.push({
    client_id: alg,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: alg, alg }] },
    redirect_uris: [CALLBACK],
    scope: 'openid profile',
    default_scope: 'profile',
    id_token_signed_response_alg: 'ES256',
  });
}

const start = async (host: Host): Promise<RunningHost> => {
  const { options } = fixture({
    secret: 'a secret of the tests, with 32 characters',
    runtime: { clock: Date.now },
    features: [fapi2(), openIdConnect({ keys: [{ key: P256 }] })] as never,
  });
  return host.start({ options: { ...options, clients } as never });
};

/** The URL that the browser brings to the client after a sign-in and a click. */
const allow = async (running: RunningHost, url: URL): Promise<URL> =>
  new URL(locationOf(await new Browser(running).authorizeFor(Object.fromEntries(url.searchParams))));

describe.each(oneHostEach)('clients with the settings of FAPI 2.0, unmodified, on $name', (host) => {
  const running = useStarted(() => start(host));
  let guarded: string;
  beforeAll(() => {
    guarded = `${running.origin}/guarded/profile`;
  });

  test.each(ALGORITHMS)(
    'openid-client 6 with %s: a pushed request, tokens, a guarded route and a refresh',
    async (alg) => {
      const authentication = openid.PrivateKeyJwt({ key: keys.get(alg) as CryptoKey, kid: alg });
      const config = await openid.discovery(
        new URL(running.base),
        alg,
        { id_token_signed_response_alg: 'ES256' },
        authentication,
        { execute: [openid.allowInsecureRequests] },
      );
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const url = await openid.buildAuthorizationUrlWithPAR(
        config,
        {
          ...{ redirect_uri: CALLBACK, scope: 'openid profile', state: expectedState, nonce: expectedNonce },
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        },
        { DPoP },
      );
      const back = await allow(running, url);
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
      const tokens = await openid.authorizationCodeGrant(config, back, checks, undefined, { DPoP });
      expect([tokens.token_type.toLowerCase(), typeof tokens.claims()?.sub]).toEqual(['dpop', 'string']);
      const seen = await openid.fetchProtectedResource(
        config,
        tokens.access_token,
        new URL(guarded),
        'GET',
        undefined,
        undefined,
        { DPoP },
      );
      expect(seen.status).toBe(200);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
      expect(refreshed.token_type.toLowerCase()).toBe('dpop');
      // The profile forbids rotation: the same refresh token works again.
      await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    },
  );

  test.each(ALGORITHMS)('oauth4webapi 3 with %s, without a proof for the pushed request', async (alg) => {
    const issuer = new URL(running.base);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: alg, id_token_signed_response_alg: 'ES256' };
    const authentication = oauth.PrivateKeyJwt({ key: keys.get(alg) as CryptoKey, kid: alg });
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = {
      ...{ response_type: 'code', client_id: alg, redirect_uri: CALLBACK, scope: 'openid profile', state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const pushed = await oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, insecure),
    );
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = String(new URLSearchParams({ client_id: alg, request_uri: pushed.request_uri }));
    const callback = oauth.validateAuthResponse(as, client, await allow(running, url), state);
    const redeem = () =>
      oauth.authorizationCodeGrantRequest(as, client, authentication, callback, CALLBACK, verifier, {
        DPoP,
        ...insecure,
      });
    const response = await redeem();
    const tokens = await oauth
      .processAuthorizationCodeResponse(as, client, response, { requireIdToken: true })
      .catch(async (error: unknown) => {
        if (!oauth.isDPoPNonceError(error)) throw error;
        return oauth.processAuthorizationCodeResponse(as, client, await redeem(), { requireIdToken: true });
      });
    const ask = () =>
      oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(guarded), undefined, null, {
        DPoP,
        ...insecure,
      });
    expect((await ask()).status).toBe(200);
  });
});
