import { stepUp } from 'oauth-query/step-up';
import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { introspectionVerifier } from '../../../src/resource-server/index.js';
import { Client, hostFor, useHost } from '../../hosts.js';
import { responseOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { Flows, type TokenSet } from '../../oauth/support/tokens.js';
import { openIdFixture, rpsAt } from '../openid/support.js';

const GUARDED = {
  recent: { scope: 'profile', maxAge: 300 },
  strong: { scope: 'profile', acr: ['urn:example:strong', 'urn:example:stronger'], maxAge: 300 },
  profile: { scope: 'profile' },
} as const;

const all = openIdFixture();
const host = hostFor(import.meta.url)[0];
const running = useHost(host, { options: all.options, guarded: GUARDED }, all.errors);
const flows = rpsAt(running);
const site = new Client(() => running.origin);

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
  const verifier = introspectionVerifier({
    issuer: running.base,
    clock: all.clock,
    credentials: { client_id: 'api', client_secret: 'api-secret' },
    cacheSeconds: 0,
  });
  expect((await verifier.check.any(access_token, { maxAge: 300 })).authorization).toHaveProperty('auth_time');
  expect((await verifier.check.any(access_token, { acr: ['x'] })).refused?.error).toBe(
    'insufficient_user_authentication',
  );
  all.advance(301);
  expect((await verifier.check.any(access_token, { maxAge: 300 })).refused?.headers['www-authenticate']).toContain(
    'max_age="300"',
  );
  const own = await flows.ownTokens();
  expect((await verifier.check.any(own.access_token, { maxAge: 300 })).refused?.error).toBe(
    'insufficient_user_authentication',
  );
});

test('SU3 a client that asks without the scope openid is heard too', async () => {
  await flows.tokens('app', { scope: 'openid profile', max_age: '0' });
  all.advance(301);
  const old = await flows.tokens('app', { scope: 'profile' });
  expect((await ask(old.access_token, 'recent')).status).toBe(401);
  const renewed = await flows.tokens('app', { scope: 'profile', max_age: '300' });
  expect((await ask(renewed.access_token, 'recent')).status).toBe(200);
});

describe('SU7 without OpenID Connect', () => {
  const plain = fixture({ features: [stepUp()] });
  const alone = useHost(host, { options: plain.options, guarded: GUARDED }, plain.errors);
  const own = new Flows(alone);
  const routeFor = async (token: string) =>
    (await new Client(alone.origin).get('/guarded/recent', { authorization: `Bearer ${token}` })).status;

  test('max_age leads to a new sign-in, and the new token passes', async () => {
    const first = await own.tokens('native');
    expect(await routeFor(first.access_token)).toBe(200);
    plain.advance(301);
    expect(await routeFor(first.access_token)).toBe(401);
    const same = await own.tokens('native');
    expect(await routeFor(same.access_token)).toBe(401);
    const { access_token } = await own.tokens('native', { max_age: '300' });
    expect(await routeFor(access_token)).toBe(200);
    expect((await own.introspect(access_token)).json).toHaveProperty('auth_time');
    const malformed = responseOf(await own.authorize('native', { max_age: 'x' }));
    expect(malformed['error']).toBe('invalid_request');
  });

  test('nothing of OpenID Connect is there, and without the option max_age is ignored', async () => {
    const { text } = await own.client.get('/.well-known/oauth-authorization-server');
    expect(text).not.toMatch(/userinfo|id_token/);
    const off = fixture();
    const bare = new Flows(await host.start({ options: off.options }));
    await bare.tokens('native');
    off.advance(600);
    const { access_token } = await bare.tokens('native', { max_age: '1' });
    expect((await bare.introspect(access_token)).json).not.toHaveProperty('auth_time');
    expect(responseOf(await bare.authorize('native', { max_age: 'x' }))).toHaveProperty('code');
  });
});

test('SU7 without the option, a guard that asks for a sign-in is a mistake at the start', () => {
  const oauth = oauthQuery({ issuer: 'http://127.0.0.1:3000', onWarning: () => undefined });
  expect(() => oauth.guard.any({ maxAge: 300 })).toThrow(/stepUp/);
  expect(() => oauth.guard.any({ acr: [] })).toThrow(/acr/);
  expect(() => oauth.guard.any({ maxAge: -1 })).toThrow(/maxAge/);
});
