import { Auth, type AuthConfig } from '@auth/core';
import { encode } from '@auth/core/jwt';
import { verifyToken } from '@clerk/backend';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { fromNodeHeaders } from 'better-auth/node';
import express, { type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import { SignJWT } from 'jose';
import { oauthQuery } from 'oauth-query/express';
import passport from 'passport';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../hosts/listen.js';
import { rsaPair } from '../rsa.js';
import { moduleIn } from './guide.js';

/** Runs the block of the guide that contains this text, and returns what the last line exports. */
const run = (part: string, last: (code: string) => string) =>
  moduleIn<Record<string, never>>('docs/sign-in.md', part, last);

/** A server with the options of a block, which uses these values. */
const serverOf = async (part: string, values: object): Promise<RequestHandler> => {
  const { options } = await run(
    part,
    (code) => `export const options = ({ ${Object.keys(values).join(', ')} }) => ({ ${code} });`,
  );
  const { issuer: _, ...given } = (options as unknown as (values: object) => { issuer?: string })(values);
  return oauthQuery({ ...given, clients: [], onWarning: () => undefined, onError: () => undefined });
};

const serve = async (app: Express): Promise<string> => (await listen(app)).origin;

/** The page of connected applications, which needs a user. */
const grants = (base: string, cookie = ''): Promise<Response> =>
  fetch(`${base}/oauth/grants`, { redirect: 'manual', headers: { cookie } });

/** Without the cookie, the browser is sent to this page; with it, it sees this name. */
const expectSignIn = async (base: string, cookie: string, page: RegExp, name: string): Promise<void> => {
  const [before, after] = [await grants(base), await grants(base, cookie)];
  expect([before.status, after.status]).toEqual([302, 200]);
  expect(before.headers.get('location')).toMatch(page);
  expect(await after.text()).toContain(name);
};

const SECRET = 'a secret of the test that has 32 characters';

test('better-auth', async () => {
  const auth = betterAuth({
    ...{ baseURL: 'http://127.0.0.1', secret: SECRET, telemetry: { enabled: false } },
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
  });
  const { headers } = await auth.api.signUpEmail({
    body: { name: 'Alice Appleby', email: 'alice@orchard.example', password: 'wonderland' },
    returnHeaders: true,
  });
  const [cookie = ''] = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const app = express().use(await serverOf('auth.api.getSession', { auth, fromNodeHeaders }));
  await expectSignIn(await serve(app), cookie, /^\/sign-in\?return_to=/, 'Alice Appleby');
});

test('Auth.js', async () => {
  const authConfig: AuthConfig = {
    ...{ secret: SECRET, trustHost: true, basePath: '/auth', providers: [] },
    callbacks: { session: ({ session: found, token }) => ({ ...found, user: { ...found.user, id: token.sub ?? '' } }) },
  };
  // What `getSession` of @auth/express does.
  const getSession = async ({ headers: { cookie = '' } }: Request, config: AuthConfig): Promise<unknown> =>
    (await Auth(new globalThis.Request('http://127.0.0.1/auth/session', { headers: { cookie } }), config)).json();
  const salt = 'authjs.session-token';
  const value = await encode({ salt, secret: SECRET, token: { sub: 'user-42', name: 'Alice Appleby' } });
  const app = express().use(await serverOf('await getSession', { authConfig, getSession }));
  await expectSignIn(await serve(app), `${salt}=${value}`, /^\/sign-in\?return_to=/, 'Alice Appleby');
});

test('Passport', async () => {
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user as Express.User));
  const { app } = await run('passport.session()', (code) => `${code}\nexport { app as app };`);
  const host = express();
  host.use(session({ secret: SECRET, resave: false, saveUninitialized: false }), passport.session());
  host.post('/sign-in', (req, res, next) => {
    req.logIn({ id: 42, displayName: 'Alice Appleby' }, (error) => (error ? next(error) : res.end()));
  });
  host.use(app as unknown as Express);
  const base = await serve(host);
  const signedIn = await fetch(`${base}/sign-in`, { method: 'POST' });
  const [cookie = ''] = signedIn.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  await expectSignIn(base, cookie, /^\/login\?return_to=/, 'Alice Appleby');
});

test('Clerk: its own verification, offline, with a key of the test; another party and another key are refused', async () => {
  const ours = rsaPair();
  const strange = rsaPair('another');
  vi.stubEnv('CLERK_JWT_KEY', ours.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  onTestFinished(() => void vi.unstubAllEnvs());
  const cookieOf = async (azp: string, life: string, { privateKey } = ours): Promise<string> => {
    const token = new SignJWT({ sid: 'sess_1', azp }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'ins_1' });
    return `__session=${await token.setSubject('user_2abc').setIssuedAt('-2min').setExpirationTime(life).sign(privateKey)}`;
  };
  const base = await serve(express().use(await serverOf('verifyToken(token', { verifyToken })));
  const page = /^https:\/\/accounts\.example\.org\/sign-in\?redirect_url=https%3A%2F%2Fexample\.org%2Foauth/;
  await expectSignIn(base, await cookieOf('https://example.org', '1min'), page, 'user_2abc');
  const refused = [
    await cookieOf('https://example.org', '-1min'), // back to the sign-in page
    await cookieOf('https://other.example', '1min'),
    await cookieOf('https://example.org', '1min', strange),
  ].map(async (cookie) => (await grants(base, cookie)).status);
  expect(await Promise.all(refused)).toEqual([302, 500, 500]);
});
