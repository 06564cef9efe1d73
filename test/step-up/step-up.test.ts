import { afterAll, beforeAll, expect, test } from 'vitest';
import { oauthQuery } from '../../src/adapters/node/index.js';
import { introspectionVerifier } from '../../src/resource-server/index.js';
import { Client, hostFor, type RunningHost } from '../hosts.js';
import type { Flows, TokenSet } from '../oauth/support/tokens.js';
import { openIdFixture, rpsAt } from '../openid/support.js';

const GUARDED = {
  recent: { scope: 'profile', maxAge: 300 },
  strong: { scope: 'profile', acr: ['urn:example:strong', 'urn:example:stronger'], maxAge: 300 },
  profile: { scope: 'profile' },
} as const;

const all = openIdFixture();
let running: RunningHost;
let flows: Flows;
let site: Client;

beforeAll(async () => {
  const host = hostFor(import.meta.url)[0];
  if (host === undefined) throw new Error('no host');
  running = await host.start({ options: all.options, guarded: GUARDED });
  flows = rpsAt(running);
  site = new Client(running.origin);
});
afterAll(async () => {
  await running.close();
  expect(all.errors).toEqual([]);
});

const ask = async (token: string, route: keyof typeof GUARDED) => {
  const { status, headers, json } = await site.get(`/guarded/${route}`, { authorization: `Bearer ${token}` });
  return { status, error: json['error'], challenge: headers['www-authenticate'] };
};

test('SU1, SU2, SU3, SU5 a sign-in that is too old is refused, refreshing does not make it newer, and a new sign-in does', async () => {
  const first = await flows.tokens('app', { scope: 'openid profile' });
  expect((await ask(first.access_token, 'recent')).status).toBe(200);
  all.advance(301);
  const refused = await ask(first.access_token, 'recent');
  expect(refused).toMatchObject({ status: 401, error: 'insufficient_user_authentication' });
  expect(refused.challenge).toContain('max_age="300"');
  expect((await ask(first.access_token, 'profile')).status).toBe(200);
  const refreshed = (await flows.refresh('app', first.refresh_token)).json as unknown as TokenSet;
  expect((await ask(refreshed.access_token, 'recent')).error).toBe('insufficient_user_authentication');
  const again = await flows.tokens('app', { scope: 'openid profile', max_age: '300' });
  expect((await ask(again.access_token, 'recent')).status).toBe(200);
});

test('SU2, SU6 a class that the sign-in did not reach is refused with acr_values, also after a new sign-in', async () => {
  const { access_token } = await flows.tokens('app', { scope: 'openid profile', acr_values: 'urn:example:strong' });
  const refused = await ask(access_token, 'strong');
  expect(refused).toMatchObject({ status: 401, error: 'insufficient_user_authentication' });
  expect(refused.challenge).toContain('acr_values="urn:example:strong urn:example:stronger", max_age="300"');
});

test('SU4 the own token of a client never passes, and remote guards decide in the same way', async () => {
  const { access_token } = await flows.tokens('app', { scope: 'openid profile' });
  const { issuer } = { issuer: running.base };
  const verifier = introspectionVerifier({
    issuer,
    clock: all.clock,
    credentials: { client_id: 'api', client_secret: 'api-secret' },
    cacheSeconds: 0,
  });
  expect((await verifier.check(access_token, { maxAge: 300 })).authorization).toHaveProperty('auth_time');
  expect((await verifier.check(access_token, { acr: ['x'] })).refused?.error).toBe('insufficient_user_authentication');
  all.advance(301);
  expect((await verifier.check(access_token, { maxAge: 300 })).refused?.headers['www-authenticate']).toContain(
    'max_age="300"',
  );
  const own = await flows.ownTokens();
  expect((await verifier.check(own.access_token, { maxAge: 300 })).refused?.error).toBe(
    'insufficient_user_authentication',
  );
});

test('SU7 without openid, a guard that asks for a sign-in is a mistake at the start', () => {
  const oauth = oauthQuery({ issuer: 'http://127.0.0.1:3000', onWarning: () => undefined });
  expect(() => oauth.guard('', { maxAge: 300 })).toThrow(/openid/);
  expect(() => oauth.guard('', { acr: [] })).toThrow(/acr/);
  expect(() => oauth.guard('', { maxAge: -1 })).toThrow(/maxAge/);
});
