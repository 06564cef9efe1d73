import { createRequire } from 'node:module';
import fastifyOauth2, { type FastifyOAuth2Options } from '@fastify/oauth2';
import express from 'express';
import session from 'express-session';
import fastify from 'fastify';
import type { GrantOptions } from 'grant';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bearer, Client, hostFor } from '../hosts.js';
import { locationOf } from '../oauth/support/browser.js';
import { type Application, type Place, SECRET, startApplication, startPlace } from './support.js';

/** Its types promise a default export that it does not have. */
const grant: (options: GrantOptions) => express.RequestHandler = createRequire(import.meta.url)('grant');

/** As every strategy for a server is written: the library leaves the profile to those who extend it. */
class OurStrategy extends OAuth2Strategy {
  // Not `#profileUrl`: passport works on an object made of the strategy, which has no private members of it.
  private readonly profileUrl: string;

  constructor(profileUrl: string, options: OAuth2Strategy.StrategyOptions, verify: OAuth2Strategy.VerifyFunction) {
    super(options, verify);
    this.profileUrl = profileUrl;
    // Otherwise it would put the token into the address, where our guard does not take one.
    this._oauth2.useAuthorizationHeaderforGET(true);
  }

  override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
    this._oauth2.get(this.profileUrl, accessToken, (error, body) => {
      if (error) done(new Error(String(error.data)));
      else done(null, JSON.parse(String(body)));
    });
  }
}

const sessions = () => session({ secret: 'of the application', resave: false, saveUninitialized: false });

describe.each(hostFor(import.meta.url))('applications that sign in at $name', (host) => {
  let place: Place;
  let application: Application | undefined;
  beforeAll(async () => {
    place = await startPlace(host);
  });
  afterEach(() => application?.close());
  afterAll(() => place.close());

  /** Opens the sign-in link of the application, decides at the server, and comes back. */
  const signIn = async (path: string, decision: 'approve' | 'deny' = 'approve') => {
    if (application === undefined) throw new Error('Start the application first.');
    const { visitor } = application;
    const answer = await place.decide(locationOf(await visitor.get(path)), decision);
    return visitor.get(answer.href);
  };

  describe('passport-oauth2 in Express', () => {
    const start = async (clientID: string, clientSecret: string) => {
      application = await startApplication((origin) => {
        const strategy = new OurStrategy(
          place.guarded,
          {
            authorizationURL: `${place.base}/oauth/authorize`,
            tokenURL: `${place.base}/oauth/token`,
            clientID,
            clientSecret,
            callbackURL: `${origin}/callback`,
            scope: ['profile'],
            state: true,
            pkce: true,
          },
          (
            accessToken: string,
            refreshToken: string,
            results: object,
            profile: object,
            done: OAuth2Strategy.VerifyCallback,
          ) => done(null, { accessToken, refreshToken, results, profile }),
        );
        const passports = new passport.Passport();
        passports.serializeUser((user, done) => done(null, JSON.stringify(user)));
        passports.deserializeUser((text: string, done) => done(null, JSON.parse(text)));
        const app = express();
        app.use(sessions(), passports.initialize(), passports.session());
        passports.use('ours', strategy);
        app.get('/login', passports.authenticate('ours'));
        app.get('/callback', passports.authenticate('ours', { failureRedirect: '/failed' }), (_req, res) =>
          res.redirect('/me'),
        );
        app.get('/me', (req, res) => void res.json(req.user ?? null));
        return app;
      });
      return application;
    };

    test.each([
      ['web-app', SECRET],
      ['native-app', ''],
    ])('signs in as %s, with state and PKCE, and reads the profile with a bearer token', async (id, secret) => {
      const { visitor } = await start(id, secret);
      expect(locationOf(await signIn('/login'))).toBe('/me');
      const { json } = await visitor.get('/me');
      expect(json).toMatchObject({
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        results: { token_type: 'Bearer', expires_in: 3600, scope: 'profile' },
        profile: { auth: { username: 'alice', client_id: id, scope: 'profile' } },
      });
    });

    test('returns without a user if the owner denies access', async () => {
      const { visitor } = await start('web-app', SECRET);
      expect(locationOf(await signIn('/login', 'deny'))).toBe('/failed');
      expect((await visitor.get('/me')).json).toBeNull();
    });
  });

  describe('@fastify/oauth2', () => {
    const start = async (
      settings: Pick<FastifyOAuth2Options, 'discovery' | 'pkce'>,
      client = { id: 'web-app', secret: SECRET },
    ) => {
      const app = fastify();
      application = await startApplication(async (origin) => {
        await app.register(fastifyOauth2, {
          name: 'oauth2Ours',
          scope: ['profile'],
          credentials: { client },
          startRedirectPath: '/login',
          callbackUri: `${origin}/callback`,
          ...settings,
        });
        const ours = () => {
          const { oauth2Ours } = app;
          if (oauth2Ours === undefined) throw new Error('The plugin left no decorator.');
          return oauth2Ours;
        };
        app.get('/callback', async (request, reply) => {
          const { token } = await ours().getAccessTokenFromAuthorizationCodeFlow(request, reply);
          const { token: refreshed } = await ours().getNewAccessTokenUsingRefreshToken(token, {});
          const profile = await new Client('').get(place.guarded, bearer(refreshed.access_token));
          await ours().revokeAllToken(refreshed, undefined);
          const after = await new Client('').get(place.guarded, bearer(refreshed.access_token));
          return { token, profile: profile.json, after: after.status };
        });
        await app.ready();
        return app.routing;
      });
      return app;
    };

    test.each([
      ['an issuer', () => place.base],
      ['the address of our metadata', () => `${place.base}/.well-known/oauth-authorization-server`],
    ])('discovers everything by %s, signs in, refreshes and revokes', async (_what, issuer) => {
      const app = await start({ discovery: { issuer: issuer() } });
      expect((await signIn('/login')).json).toMatchObject({
        token: { token_type: 'Bearer', scope: 'profile' },
        profile: { auth: { username: 'alice', scope: 'profile' } },
        after: 401,
      });
      await app.close();
    });
  });

  describe('grant in Express', () => {
    const start = async (more: object) => {
      application = await startApplication((origin) => {
        const app = express();
        app.use(sessions());
        app.use(
          grant({
            handler: 'express',
            config: {
              defaults: { origin, transport: 'session', state: true, pkce: true, response: ['tokens', 'raw'] },
              ours: {
                oauth: 2,
                authorize_url: `${place.base}/oauth/authorize`,
                access_url: `${place.base}/oauth/token`,
                redirect_uri: `${origin}/connect/ours/callback`,
                scope: ['profile'],
                scope_delimiter: ' ',
                callback: '/done',
                ...more,
              },
            },
          }),
        );
        app.get(
          '/done',
          (req, res) => void res.json((req.session as { grant?: { response?: unknown } }).grant?.response ?? null),
        ); // Where grant says that it puts it.
        return app;
      });
      return application;
    };

    test.each([
      ['its secret in the body', { key: 'grant-app', secret: SECRET }],
      [
        'its secret in the header',
        { key: 'grant-plain', secret: 'plain-secret', token_endpoint_auth_method: 'client_secret_basic' },
      ],
      ['no secret', { key: 'grant-native', secret: '' }],
    ])('signs in with %s', async (_what, credentials) => {
      const { visitor } = await start(credentials);
      expect(locationOf(await signIn('/connect/ours'))).toBe('/done');
      const { json } = await visitor.get('/done');
      expect(json).toMatchObject({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        raw: { token_type: 'Bearer', scope: 'profile' },
      });
      expect((await new Client('').get(place.guarded, bearer(String(json['access_token'])))).status).toBe(200);
    });

    test('reports why the sign-in failed', async () => {
      const { visitor } = await start({ key: 'grant-app', secret: SECRET });
      expect(locationOf(await signIn('/connect/ours', 'deny'))).toBe('/done');
      expect((await visitor.get('/done')).json).toMatchObject({
        error: 'access_denied',
        error_description: expect.any(String),
      });
    });
  });
});
