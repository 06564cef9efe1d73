import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client';
import ClientOAuth2 from 'client-oauth2';
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2';
import { describe, expect, test } from 'vitest';
import { bearer, Client, hostFor } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { PKCE } from '../oauth/support/browser.js';
import { SECRET, startPlace } from './support.js';

const redirect_uri = 'http://127.0.0.1:49152/callback';

describe.each(hostFor(import.meta.url))('libraries against $name', (host) => {
  const place = useStarted(() => startPlace(host));

  const mayRead = async (token: unknown): Promise<number> =>
    (await new Client('').get(place.guarded, bearer(String(token)))).status;

  describe('simple-oauth2', () => {
    const configuration = (authorizationMethod: 'header' | 'body', id = 'web-app', secret = SECRET) => {
      const below = new URL(place.base).pathname.replace(/\/$/, '');
      const auth = {
        tokenHost: place.origin,
        tokenPath: `${below}/oauth/token`,
        revokePath: `${below}/oauth/revoke`,
      };
      return { client: { id, secret }, auth, options: { authorizationMethod } };
    };

    test.each([
      ['header', 'web-app', SECRET],
      ['body', 'web-app', SECRET],
      ['body', 'native-app', ''],
    ] as const)(
      'signs in with PKCE and its credentials in the %s as %s, refreshes, revokes',
      async (method, id, secret) => {
        const { auth, ...rest } = configuration(method, id, secret);
        const authorizePath = auth.tokenPath.replace(/token$/, 'authorize');
        const client = new AuthorizationCode({ ...rest, auth: { ...auth, authorizePath } });
        const scope = 'profile content.write';
        const pkce = { ...PKCE.request };
        const answer = await place.decide(client.authorizeURL({ redirect_uri, scope, state: 's-1', ...pkce }));
        expect(answer.searchParams.get('state')).toBe('s-1');
        const code = answer.searchParams.get('code') ?? '';
        const exchange = { code, redirect_uri, scope, code_verifier: PKCE.verifier };
        const tokens = await client.getToken(exchange);
        expect(tokens.token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope });
        expect(tokens.expired()).toBe(false);
        expect(await mayRead(tokens.token['access_token'])).toBe(200);

        const refreshed = await tokens.refresh();
        expect(refreshed.token['access_token']).not.toBe(tokens.token['access_token']);
        expect(await mayRead(refreshed.token['access_token'])).toBe(200);
        await refreshed.revoke('access_token');
        expect(await mayRead(refreshed.token['access_token'])).toBe(401);
        const last = await refreshed.refresh({ scope: 'profile' });
        expect(last.token['scope']).toBe('profile');
        await last.revokeAll();
        expect(await mayRead(last.token['access_token'])).toBe(401);
        await expect(last.refresh()).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } });
      },
    );

    test.each(['header', 'body'] as const)('gets a token of its own, with its secret in the %s', async (method) => {
      const { token } = await new ClientCredentials(configuration(method)).getToken({ scope: 'content.read' });
      expect(token).toMatchObject({ token_type: 'Bearer', scope: 'content.read' });
      expect(token['refresh_token']).toBeUndefined();
    });

    test('signs in with a password, if that grant is enabled', async () => {
      const client = new ResourceOwnerPassword(configuration('header'));
      const { token } = await client.getToken({ username: 'alice', password: 'wonderland', scope: 'profile' });
      expect(await mayRead(token['access_token'])).toBe(200);
      const wrong = client.getToken({ username: 'alice', password: 'looking-glass', scope: 'profile' });
      await expect(wrong).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } });
    });

    test('receives the reason of a refusal', async () => {
      const wrong = new ClientCredentials(configuration('header', 'web-app', 'wrong')).getToken({});
      await expect(wrong).rejects.toMatchObject({
        output: { statusCode: 401 },
        data: { payload: { error: 'invalid_client' } },
      });
    });
  });

  describe('@badgateway/oauth2-client', () => {
    const discovered = (clientId: string, clientSecret?: string): OAuth2Client =>
      new OAuth2Client({
        server: place.base,
        // By itself the library looks at the root of the host only.
        ...(host.mount === 'prefix' && { discoveryEndpoint: `${place.base}/.well-known/oauth-authorization-server` }),
        clientId,
        ...(clientSecret === undefined ? {} : { clientSecret }),
      });

    test.each([
      ['web-app', SECRET],
      ['native-app', undefined],
    ] as const)('discovers the endpoints, signs in as %s, refreshes and revokes', async (id, secret) => {
      const client = discovered(id, secret);
      expect(await client.getEndpoint('tokenEndpoint')).toBe(`${place.base}/oauth/token`);
      const codeVerifier = await generateCodeVerifier();
      const request = { redirectUri: redirect_uri, state: 's-2', codeVerifier };
      const answer = await place.decide(
        await client.authorizationCode.getAuthorizeUri({ ...request, scope: ['profile'] }),
      );
      const tokens = await client.authorizationCode.getTokenFromCodeRedirect(answer, request);
      expect(tokens.expiresAt).toBeGreaterThan(Date.now());
      expect(await mayRead(tokens.accessToken)).toBe(200);
      const refreshed = await client.refreshToken(tokens);
      expect(refreshed.refreshToken).not.toBe(tokens.refreshToken);
      await client.revoke(refreshed, 'refresh_token');
      expect(await mayRead(refreshed.accessToken)).toBe(401);
      await expect(client.refreshToken(refreshed)).rejects.toMatchObject({
        oauth2Code: 'invalid_grant',
        httpCode: 400,
      });
    });

    test('gets a token of its own, and a resource server introspects it', async () => {
      const tokens = await discovered('web-app', SECRET).clientCredentials({ scope: ['content.read'] });
      const resourceServer = discovered('resource-server', SECRET);
      expect(await resourceServer.introspect(tokens)).toMatchObject({
        active: true,
        client_id: 'web-app',
        scope: 'content.read',
      });
      await discovered('web-app', SECRET).revoke(tokens);
      expect(await resourceServer.introspect(tokens)).toEqual({ active: false });
    });

    test("receives the owner's denial", async () => {
      const client = discovered('web-app', SECRET);
      const link = await client.authorizationCode.getAuthorizeUri({ redirectUri: redirect_uri, state: 's-3' });
      const answer = await place.decide(link, 'deny');
      expect(() => client.authorizationCode.validateResponse(answer, { state: 's-3' })).toThrow(
        expect.objectContaining({ oauth2Code: 'access_denied' }),
      );
    });
  });

  describe('client-oauth2', () => {
    const client = (more: ClientOAuth2.Options = {}): ClientOAuth2 =>
      new ClientOAuth2({
        clientId: 'plain-app',
        clientSecret: 'plain-secret',
        accessTokenUri: `${place.base}/oauth/token`,
        authorizationUri: `${place.base}/oauth/authorize`,
        redirectUri: redirect_uri,
        scopes: ['profile', 'content.read'],
        ...more,
      });

    test('signs in without a state, which it sends as an empty value, and refreshes', async () => {
      const link = client().code.getUri();
      expect(link).toContain('state=&');
      const answer = await place.decide(link);
      expect(answer.searchParams.has('state')).toBe(false);
      const tokens = await client().code.getToken(answer.href);
      expect(tokens.tokenType).toBe('bearer');
      expect(tokens.data['scope']).toBe('profile content.read');
      expect(await mayRead(tokens.accessToken)).toBe(200);
      const refreshed = await tokens.refresh();
      expect(refreshed.accessToken).not.toBe(tokens.accessToken);
      expect(await mayRead(refreshed.accessToken)).toBe(200);
    });

    test('gets a token of its own, and signs in with a password', async () => {
      const own = await client({ scopes: ['content.read'] }).credentials.getToken();
      expect(own.data['scope']).toBe('content.read');
      const { accessToken } = await client().owner.getToken('alice', 'wonderland');
      expect(await mayRead(accessToken)).toBe(200);
    });

    test('reads the fragment of an implicit response', async () => {
      const answer = await place.decide(client({ clientId: 'plain-implicit', state: 's-4' }).token.getUri());
      const { accessToken } = await client({ state: 's-4' }).token.getToken(answer.href);
      expect(await mayRead(accessToken)).toBe(200);
    });

    test('turns a refusal into an error with its code', async () => {
      const wrong = client({ clientSecret: 'wrong' }).credentials.getToken();
      await expect(wrong).rejects.toMatchObject({ code: 'EAUTH', body: { error: 'invalid_client' } });
    });
  });
});
