import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, test } from 'vitest';
import { hostFor, type RunningHost, useHost } from '../../hosts.js';
import { Browser, formOf, locationOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const REDIRECT_URIS = {
  web: 'https://app.example/cb',
  spa: 'https://spa.example/cb',
  native: 'http://127.0.0.1:49152/cb',
} as const;

/** Alice opens a link in her browser, signs in and allows; the client gets the address that she ends at. */
const allow = async (place: RunningHost, link: URL): Promise<URL> => {
  const browser = new Browser(place);
  const consent = await browser.signIn(await browser.open(link.href), { username: 'alice', password: 'wonderland' });
  return new URL(locationOf(await browser.submit(consent, { decision: 'approve' })));
};

const allowDevice = async (place: RunningHost, link: string, user_code: string): Promise<void> => {
  const browser = new Browser(place);
  const page = await browser.signIn(await browser.open(link), { username: 'alice', password: 'wonderland' });
  const consent = await browser.submit(page, { user_code });
  expect(formOf(consent).buttons).toContain('decision=approve');
  expect((await browser.submit(consent, { decision: 'approve' })).status).toBe(200);
};

/** Loopback needs no TLS; everything else these libraries check as strictly as ever. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** What the libraries throw when a server refuses as the protocol says. */
const refused = (error: string) => expect.objectContaining({ name: 'ResponseBodyError', error });

describe.each(hostFor(import.meta.url))('strict client libraries against $name', (host) => {
  const { options, errors } = fixture();
  const place = useHost(host, { options }, errors);
  const resource = () => new URL(`${place.origin}/guarded/profile`);

  describe('oauth4webapi', () => {
    let server: oauth.AuthorizationServer;
    beforeAll(async () => {
      const issuer = new URL(place.base);
      server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
      );
    });

    const codeFlow = async (client_id: keyof typeof REDIRECT_URIS, authentication: oauth.ClientAuth) => {
      const client: oauth.Client = { client_id };
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const redirect_uri = REDIRECT_URIS[client_id];
      const link = new URL(server.authorization_endpoint ?? '');
      link.search = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri,
        state,
        scope: 'profile content.read',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      const parameters = oauth.validateAuthResponse(server, client, await allow(place, link), state);
      const redeem = async () =>
        oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(
            server,
            client,
            authentication,
            parameters,
            redirect_uri,
            verifier,
            insecure,
          ),
        );
      return { client, redeem, tokens: await redeem() };
    };

    const introspect = async (token: string, client_id = 'api') => {
      const client: oauth.Client = { client_id };
      const response = await oauth.introspectionRequest(
        server,
        client,
        oauth.ClientSecretBasic(`${client_id}-secret`),
        token,
        insecure,
      );
      return oauth.processIntrospectionResponse(server, client, response);
    };

    test.each([
      ['web', oauth.ClientSecretBasic('web-secret')],
      ['web', oauth.ClientSecretPost('web-secret')],
      ['spa', oauth.None()],
      ['native', oauth.None()],
    ] as const)(
      'code with PKCE for %s, a protected resource and a refresh; a replay ends everything',
      async (client_id, authentication) => {
        const { client, tokens, redeem } = await codeFlow(client_id, authentication);
        expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'profile content.read' });
        expect('refresh_token' in tokens).toBe(client_id !== 'spa');
        const ask = () =>
          oauth.protectedResourceRequest(tokens.access_token, 'GET', resource(), undefined, null, insecure);
        expect((await ask()).status).toBe(200);
        if (tokens.refresh_token === undefined) await expect(redeem()).rejects.toEqual(refused('invalid_grant'));
        else {
          const refresh = async (token = '') =>
            oauth.processRefreshTokenResponse(
              server,
              client,
              await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure),
            );
          const next = await refresh(tokens.refresh_token);
          expect(next.refresh_token).not.toBe(tokens.refresh_token);
          const last = await refresh(next.refresh_token);
          await expect(refresh(tokens.refresh_token), 'an older ancestor').rejects.toEqual(refused('invalid_grant'));
          await expect(refresh(last.refresh_token), 'its replay ended the family').rejects.toEqual(
            refused('invalid_grant'),
          );
        }
        await expect(ask()).rejects.toMatchObject({ name: 'WWWAuthenticateChallengeError', status: 401 });
      },
    );

    test('the device grant', async () => {
      const client: oauth.Client = { client_id: 'tv' };
      const started = await oauth.processDeviceAuthorizationResponse(
        server,
        client,
        await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'profile' }, insecure),
      );
      const poll = async () =>
        oauth.processDeviceCodeResponse(
          server,
          client,
          await oauth.deviceCodeGrantRequest(server, client, oauth.None(), started.device_code, insecure),
        );
      await expect(poll()).rejects.toEqual(refused('authorization_pending'));
      await expect(poll()).rejects.toEqual(refused('slow_down'));
      await allowDevice(place, started.verification_uri, started.user_code);
      const tokens = await poll();
      expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'profile', refresh_token: expect.any(String) });
      await expect(poll()).rejects.toEqual(refused('invalid_grant'));
    });

    test('introspection and revocation', async () => {
      const authentication = oauth.ClientSecretBasic('web-secret');
      const { client, tokens } = await codeFlow('web', authentication);
      expect(await introspect(tokens.access_token)).toMatchObject({
        active: true,
        client_id: 'web',
        sub: 'alice',
        iss: place.base,
        token_type: 'Bearer',
      });
      const revoke = async (token = '') =>
        oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token, insecure));
      await revoke(tokens.access_token);
      expect(await introspect(tokens.access_token)).toEqual({ active: false });
      expect(await introspect(tokens.refresh_token ?? '', 'web')).toMatchObject({ active: true });
      expect(await introspect(tokens.refresh_token ?? ''), 'it is no business of others').toEqual({ active: false });
      await revoke(tokens.refresh_token);
      expect(await introspect(tokens.refresh_token ?? '', 'web')).toEqual({ active: false });
      await revoke('a token that nobody knows');
    });
  });
});
