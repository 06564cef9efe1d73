import { JoseKey } from '@atproto/jwk-jose';
import { type AtprotoDid, OAuthClient } from '@atproto/oauth-client';
import express from 'express';
import { auth, requiresAuth } from 'express-openid-connect';
import { clientDocuments } from 'oauth-query/clients';
import { dpop } from 'oauth-query/dpop';
import { openIdConnect } from 'oauth-query/openid';
import { pushedRequests } from 'oauth-query/par';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feature } from '../../../src/core/feature/feature.js';
import { Client, oneHostEach, type RunningHost, useHost } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser, locationOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { RSA } from '../openid/support.js';
import { SECRET } from './site.js';

const insecure = { [oauth.allowInsecureRequests]: true } as const;
const DID = 'did:web:alice.example';
const APP = 'https://app.example/client.json';

/** AT Protocol has a further member in token responses. */
const atProtocol = feature({
  name: 'at-protocol',
  start: () => ({ tokens: { fields: ({ grant }) => ({ sub: grant?.sub }) } }),
});

/** The same again with the nonce of the error. */
const withNonce = async <T>(attempt: () => Promise<T>): Promise<readonly [attempts: number, T]> => {
  try {
    return [1, await attempt()];
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return [2, await attempt()];
  }
};

describe.each(oneHostEach)('clients that push their requests, unmodified, on $name', (host) => {
  const { store: _, ...options } = fixture({
    secret: SECRET,
    scopes: { profile: 'See your name' },
    runtime: { clock: Date.now },
    features: [
      openIdConnect({ keys: [{ key: RSA }] }),
      dpop({ nonce: 'required' }),
      pushedRequests({ required: true }),
    ],
    users: [{ username: 'alice', password: 'wonderland' }],
  }).options;
  const errors: unknown[] = [];
  const clients = [
    {
      client_id: 'web',
      client_secret: 'web-secret',
      redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/callback'],
      scope: 'openid profile',
    },
    { client_id: 'spa', redirect_uris: ['https://spa.example/cb'], refresh: 'rotating', scope: 'profile' },
  ] as const;
  const running = useHost(host, { options: { ...options, clients, onError: (error) => errors.push(error) } }, errors);

  test('PA2, PA10 openid-client 6: a pushed request with a key, tokens, a guarded route and a refresh, with nonces', async () => {
    const config = await openid.discovery(new URL(running.base), 'spa', undefined, openid.None(), {
      execute: [openid.allowInsecureRequests],
    });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = await openid.buildAuthorizationUrlWithPAR(
      config,
      {
        ...{ redirect_uri: 'https://spa.example/cb', scope: 'profile', state: expectedState },
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      },
      { DPoP },
    );
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const answer = await new Browser(running).authorizeFor(Object.fromEntries(url.searchParams));
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(config, new URL(locationOf(answer)), checks, undefined, {
      DPoP,
    });
    expect(tokens.token_type).toBe('dpop');
    const resource = new URL(`${running.origin}/guarded/profile`);
    const ask = (token: string) =>
      openid.fetchProtectedResource(config, token, resource, 'GET', undefined, undefined, { DPoP });
    expect((await ask(tokens.access_token)).status).toBe(200);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    expect((await ask(refreshed.access_token)).status).toBe(200);
    const stolen = { authorization: `Bearer ${refreshed.access_token}` };
    expect((await new Client(running.origin).get('/guarded/profile', stolen)).status).toBe(401);
  });

  test('PA2, PA10 oauth4webapi 3: every check of pushed requests, and one nonce for all', async () => {
    const issuer = new URL(running.base);
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    const client: oauth.Client = { client_id: 'web', require_pushed_authorization_requests: true };
    const credentials = oauth.ClientSecretBasic('web-secret');
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const verifier = oauth.generateRandomCodeVerifier();
    const redirect_uri = 'https://app.example/cb';
    const parameters = {
      ...{ client_id: 'web', redirect_uri, response_type: 'code', scope: 'profile' },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    };
    const [attempts, pushed] = await withNonce(async () =>
      oauth.processPushedAuthorizationResponse(
        server,
        client,
        await oauth.pushedAuthorizationRequest(server, client, credentials, parameters, { DPoP, ...insecure }),
      ),
    );
    expect([attempts, pushed.expires_in]).toEqual([2, 90]);
    const answer = await new Browser(running).authorizeFor({ client_id: 'web', request_uri: pushed.request_uri });
    const response = oauth.validateAuthResponse(server, client, new URL(locationOf(answer)), oauth.expectNoState);
    const [again, tokens] = await withNonce(async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          ...([server, client, credentials, response, redirect_uri, verifier, { DPoP, ...insecure }] as const),
        ),
      ),
    );
    expect([again, tokens.token_type]).toEqual([1, 'dpop']);
    await expect(
      (async () =>
        oauth.processPushedAuthorizationResponse(
          server,
          client,
          await oauth.pushedAuthorizationRequest(
            ...([server, client, credentials, { ...parameters, scope: 'none' }, insecure] as const),
          ),
        ))(),
    ).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
  });

  test('PA2, PA13 express-openid-connect 3 with pushedAuthorizationRequests', async () => {
    const app = express();
    const { origin: baseURL } = await listen(app);
    app.use(
      auth({
        ...{ issuerBaseURL: running.base, baseURL, clientID: 'web', clientSecret: 'web-secret', secret: SECRET },
        pushedAuthorizationRequests: true,
        authRequired: false,
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
        session: { cookie: { secure: false, sameSite: 'Lax' } },
      }),
    );
    app.get('/me', requiresAuth(), (req, res) => void res.json(req.oidc.user));
    const person = new Client(baseURL);
    const browser = new Browser(running);
    const start = new URL(locationOf(await person.get('/login')));
    expect([...start.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const answer = await browser.authorizeFor(Object.fromEntries(start.searchParams));
    const back = new URL(locationOf(answer));
    await person.get(back.pathname + back.search);
    expect((await person.get('/me')).json).toMatchObject({ sub: 'alice' });
  });
});

describe.each(['none', 'private_key_jwt'] as const)('@atproto/oauth-client 0.8, unmodified, with %s', (method) => {
  let running: RunningHost;
  let client: OAuthClient;
  const errors: unknown[] = [];

  beforeAll(async () => {
    const [host] = oneHostEach; // At the root: the client looks for the metadata of an issuer nowhere else.
    const key = await JoseKey.generate(['ES256'], 'key-1');
    const document = {
      client_id: APP,
      client_name: 'The App',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'atproto',
      token_endpoint_auth_method: method,
      ...(method === 'private_key_jwt' && {
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [key.publicJwk] },
      }),
      dpop_bound_access_tokens: true,
    };
    const { store: _, ...options } = fixture({
      secret: SECRET,
      scopes: { atproto: 'Use your account' },
      runtime: { clock: Date.now },
      features: [dpop({ nonce: 'required' }), pushedRequests({ required: true }), atProtocol],
      users: [{ username: 'alice', password: 'wonderland', sub: DID }],
    }).options;
    const registry = clientDocuments({
      trust: 'any',
      fetch: async () => JSON.parse(JSON.stringify(document)) as unknown,
    });
    running = await host.start({
      options: (base) => ({
        ...{ ...options, clients: [registry], onError: (error: unknown) => errors.push(error) },
        resources: { [base]: { scopes: ['atproto'] } }, // Without a slash at its end, as the client compares it.
      }),
      guarded: { me: { scope: 'atproto', dpop: 'required' } },
    });
    const [states, sessions] = [new Map<string, never>(), new Map<string, never>()];
    const storeOf = (map: Map<string, never>) => ({
      get: async (name: string) => map.get(name),
      set: async (name: string, value: unknown) => void map.set(name, value as never),
      del: async (name: string) => void map.delete(name),
    });
    client = new OAuthClient({
      responseMode: 'query',
      clientMetadata: document as never, // Its types write out every URL.
      ...(method === 'private_key_jwt' && { keyset: [key] }),
      allowHttp: true,
      stateStore: storeOf(states),
      sessionStore: storeOf(sessions),
      runtimeImplementation: {
        createKey: (algorithms) => JoseKey.generate(algorithms),
        getRandomValues: (length) => crypto.getRandomValues(new Uint8Array(length)),
        digest: async (data, { name }) => new Uint8Array(await crypto.subtle.digest(name.replace('sha', 'SHA-'), data)),
        requestLock: async (_name, work) => work(),
      },
      identityResolver: {
        resolve: async () => ({
          did: DID as AtprotoDid,
          handle: 'alice.example',
          didDoc: {
            id: DID,
            service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: running.base }],
          } as never,
        }),
      },
    });
  });
  afterAll(async () => {
    await running.close();
    expect(errors).toEqual([]);
  });

  test('PA2, PA10 pushes its request with a key, redeems the code, asks a guarded route, refreshes and signs out', async () => {
    const url = await client.authorize('alice.example', { scope: 'atproto' });
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const answer = await new Browser(running).authorizeFor(Object.fromEntries(url.searchParams));
    const { session } = await client.callback(new URL(locationOf(answer)).searchParams);
    expect(session.did).toBe(DID);
    expect((await session.fetchHandler('/guarded/me')).status).toBe(200);
    const restored = await client.restore(DID, true);
    expect((await restored.fetchHandler('/guarded/me')).status).toBe(200);
    await restored.signOut();
    await expect(client.restore(DID)).rejects.toThrow();
  });
});
