import { Auth, type AuthConfig, skipCSRFCheck } from '@auth/core';
import Wikimedia from '@auth/core/providers/wikimedia';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';
import { auth, requiresAuth } from 'express-openid-connect';
import session from 'express-session';
import { mediaWikiProfile } from 'oauth-query/openid';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import passport from 'passport';
import { Strategy } from 'passport-openidconnect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, Client, oneHostEach, type RunningHost } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser, locationOf } from '../../oauth/support/browser.js';
import { ALICE, openIdFixture } from './support.js';

const SECRET = 'a secret of an application, long enough for cookies';
const scope = 'openid profile email';

/** An application that listens, and is ended with the tests. */
const listening = async (app: (base: string) => express.Express) => {
  const { server, origin: base, close } = await listen();
  server.on('request', app(base));
  return { base, close };
};

/** Both cookie jars of one person: that of the application and ours. */
class Person {
  readonly #app: Client;
  readonly #browser: Browser;

  constructor(app: string, host: RunningHost) {
    this.#app = new Client(app);
    this.#browser = new Browser(host);
  }

  /** Follows the application to our pages, signs in, allows everything, and goes back. */
  async signIn(start: Answer): Promise<Answer> {
    let page = await this.#browser.open(locationOf(start));
    if (page.text.includes('type="password"')) page = await this.#browser.signIn(page);
    const answer = page.status === 200 ? await this.#browser.submit(page, { decision: 'approve' }) : page;
    return this.#app.get(locationOf(answer));
  }

  get app(): Client {
    return this.#app;
  }
}

describe.each(oneHostEach)('relying parties, unmodified, on $name', (host) => {
  const confidential = (client_id: string, ...redirect_uris: string[]) => ({
    ...{ client_id, client_secret: `${client_id}-secret`, redirect_uris, scope: `${scope} basic` },
  });
  const { options, errors } = openIdFixture(
    {},
    {
      scopes: { basic: 'Know your name' },
      runtime: { clock: Date.now },
      clients: [
        confidential('passport', 'http://127.0.0.1/cb'),
        confidential('eoc', 'http://127.0.0.1/callback'),
        confidential('authjs', 'http://127.0.0.1/auth/callback/ours'),
        confidential('better', 'http://127.0.0.1/api/auth/callback/ours'),
        confidential('wiki', 'http://127.0.0.1/auth/callback/wikimedia'),
      ],
      features: [mediaWikiProfile({ user: (sub) => ({ username: `User ${sub}`, email: ALICE.email }) })],
    },
  );
  let running: RunningHost;
  beforeAll(async () => {
    const { store: _store, ...others } = options;
    running = await host.start({ options: others });
  });
  afterAll(async () => {
    await running.close();
    expect(errors).toEqual([]);
  });

  test('openid-client 6: discovery, PKCE, nonce, max_age, userinfo, refresh', async () => {
    const config = await openid.discovery(new URL(running.base), 'rp', 'rp-secret', undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const code_verifier = openid.randomPKCECodeVerifier();
    const [nonce, state] = [openid.randomNonce(), openid.randomState()];
    const url = openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: 'https://rp.example/cb', scope, nonce, state, max_age: '60' },
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(code_verifier), code_challenge_method: 'S256' },
    });
    const answer = await new Browser(running).authorizeFor(Object.fromEntries(url.searchParams));
    const tokens = await openid.authorizationCodeGrant(config, new URL(locationOf(answer)), {
      ...{ pkceCodeVerifier: code_verifier, expectedNonce: nonce, expectedState: state, maxAge: 60 },
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({ sub: 'alice', email: ALICE.email });
    expect(await openid.fetchUserInfo(config, tokens.access_token, 'alice')).toMatchObject({ name: ALICE.name });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: 'alice', auth_time: tokens.claims()?.auth_time });
  });

  test('oauth4webapi 3: every check of the code flow and of userinfo', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(running.base);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...insecure }),
    );
    const client: oauth.Client = { client_id: 'rp', require_auth_time: true };
    const verifier = oauth.generateRandomCodeVerifier();
    const nonce = oauth.generateRandomNonce();
    const answer = await new Browser(running).authorizeFor({
      ...{ client_id: 'rp', redirect_uri: 'https://rp.example/cb', response_type: 'code', scope, nonce },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    });
    const parameters = oauth.validateAuthResponse(server, client, new URL(locationOf(answer)), oauth.expectNoState);
    const credentials = oauth.ClientSecretBasic('rp-secret');
    const result = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        ...([server, client, credentials, parameters, 'https://rp.example/cb', verifier, insecure] as const),
      ),
      { expectedNonce: nonce, requireIdToken: true },
    );
    const claims = oauth.getValidatedIdTokenClaims(result);
    const userinfo = await oauth.userInfoRequest(server, client, result.access_token, insecure);
    expect(await oauth.processUserInfoResponse(server, client, claims?.sub ?? '', userinfo)).toMatchObject({
      ...{ sub: 'alice', email: ALICE.email },
    });
  });

  test('passport-openidconnect: nonce, max_age and userinfo', async () => {
    const app = await listening((base) => {
      const own = new passport.Passport();
      const { base: op } = running;
      own.use(
        new Strategy(
          {
            issuer: op,
            authorizationURL: `${op}/oauth/authorize`,
            tokenURL: `${op}/oauth/token`,
            userInfoURL: `${op}/oauth/userinfo`,
            clientID: 'passport',
            clientSecret: 'passport-secret',
            callbackURL: `${base}/cb`,
            scope: ['profile', 'email'],
            nonce: true as never, // Its types know less than it does.
            maxAge: '600',
          },
          (_issuer: string, profile: unknown, done: (error: null, user: object) => void) => done(null, { profile }),
        ),
      );
      return express()
        .use(session({ secret: SECRET, resave: false, saveUninitialized: true }))
        .get('/login', own.authenticate('openidconnect', { session: false }))
        .get('/cb', own.authenticate('openidconnect', { session: false }), (req, res) => void res.json(req.user));
    });
    const person = new Person(app.base, running);
    const done = await person.signIn(await person.app.get('/login'));
    app.close();
    expect(done.json).toMatchObject({
      profile: { id: 'alice', displayName: ALICE.name, emails: [{ value: ALICE.email }] },
    });
  });

  test('express-openid-connect 3: the code flow with nonce and PKCE', async () => {
    const app = await listening((base) =>
      express()
        .use(
          auth({
            issuerBaseURL: running.base,
            baseURL: base,
            clientID: 'eoc',
            clientSecret: 'eoc-secret',
            secret: SECRET,
            idpLogout: false,
            authRequired: false,
            authorizationParams: { response_type: 'code', scope },
          }),
        )
        .get('/me', requiresAuth(), (req, res) => void res.json(req.oidc.user)),
    );
    const person = new Person(app.base, running);
    const done = await person.signIn(await person.app.get('/me'));
    expect(done.status).toBe(302);
    const { json } = await person.app.get('/me');
    app.close();
    expect(json).toMatchObject({ sub: 'alice', email: ALICE.email, name: ALICE.name });
  });

  /** Plays Auth.js, whose handler takes requests of the platform. */
  const authJs = async (provider: string, config: AuthConfig) => {
    const base = 'http://127.0.0.1:3999';
    const jar = new Map<string, string>();
    const call = async (path: string, init: RequestInit = {}) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const request = new Request(new URL(path, base), { ...init, headers: { ...init.headers, cookie } });
      const response = await Auth(request, {
        ...config,
        skipCSRFCheck,
        trustHost: true,
        secret: SECRET,
        basePath: '/auth',
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      return response;
    };
    const start = await call(`/auth/signin/${provider}`, { method: 'POST', body: new URLSearchParams() });
    const browser = new Browser(running);
    let page = await browser.open(start.headers.get('location') ?? '');
    if (page.text.includes('type="password"')) page = await browser.signIn(page);
    const back = page.status === 200 ? await browser.submit(page, { decision: 'approve' }) : page;
    await call(locationOf(back));
    return (await (await call('/auth/session')).json()) as { user?: Record<string, unknown> };
  };

  test('@auth/core: the generic provider', async () => {
    const { user } = await authJs('ours', {
      providers: [
        ...[{ id: 'ours', name: 'Ours', type: 'oidc' as const, issuer: running.base }].map((provider) => ({
          ...provider,
          ...{ clientId: 'authjs', clientSecret: 'authjs-secret' },
        })),
      ],
    });
    expect(user).toMatchObject({ name: ALICE.name, email: ALICE.email });
  });

  test('better-auth 1: generic OAuth with discovery and PKCE', async () => {
    const base = 'http://127.0.0.1:3998';
    const { handler } = betterAuth({
      ...{ baseURL: base, secret: SECRET, telemetry: { enabled: false } },
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      plugins: [
        genericOAuth({
          config: [
            {
              ...{ providerId: 'ours', clientId: 'better', clientSecret: 'better-secret', pkce: true },
              discoveryUrl: `${running.base}/.well-known/openid-configuration`,
              scopes: scope.split(' '),
            },
          ],
        }),
      ],
    });
    let cookie = '';
    const call = async (address: string, init: RequestInit = {}): Promise<Response> => {
      const response = await handler(
        new Request(new URL(address, base), { ...init, headers: { ...init.headers, cookie, origin: base } }),
      );
      cookie = [cookie, ...response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')].join('; ');
      return response;
    };
    const start = await call('/api/auth/sign-in/social', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ provider: 'ours', callbackURL: '/done' }),
    });
    const { url } = (await start.json()) as { url: string };
    const browser = new Browser(running);
    let page = await browser.open(url);
    if (page.text.includes('type="password"')) page = await browser.signIn(page);
    const done = await call(locationOf(await browser.submit(page, { decision: 'approve' })));
    expect(done.headers.get('location')).toBe('/done');
    const session = (await (await call('/api/auth/get-session')).json()) as { user?: object } | null;
    expect(session?.user).toMatchObject({ name: ALICE.name, email: ALICE.email });
  });

  test('O69: @auth/core: the provider "Wikimedia", without OpenID Connect', async () => {
    const { base } = running;
    const { user } = await authJs('wikimedia', {
      providers: [
        Wikimedia({
          clientId: 'wiki',
          clientSecret: 'wiki-secret',
          issuer: base,
          authorization: `${base}/oauth/authorize?scope=basic`,
          token: `${base}/oauth/token`,
          userinfo: `${base}/rest.php/oauth2/resource/profile`,
        }),
      ],
    });
    expect(user).toMatchObject({ name: 'User alice' });
  });
});
