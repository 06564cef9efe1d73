import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { oauthQuery, type OAuthQueryOptions } from '../../src/adapters/fetch/index.js';
import { storedClients } from '../../src/clients/index.js';
import { weakStore } from '../../src/testing/index.js';

const ISSUER = 'https://auth.example';
const CALLBACK = 'https://app.example/cb';
const AHEAD = 29_000;

const SECRET = 'w'.repeat(30);
const APP = {
  client_id: 'app',
  client_secret: [{ sha256: createHash('sha256').update(SECRET).digest('base64url') }],
  redirect_uris: [CALLBACK],
  scope: 'a',
  grant_types: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
} as const;
const CREDENTIALS = { client_id: APP.client_id, client_secret: SECRET };
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

type Form = Readonly<Record<string, string>>;

interface Page {
  readonly response: Response;
  readonly text: string;
}

/** What a browser sends of the form on a page. */
const formOn = ({ response, text }: Page) => {
  const hidden = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return {
    action: /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? '',
    fields: Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value])),
    cookie: response.headers
      .getSetCookie()
      .map((one) => one.split(';', 1)[0])
      .join('; '),
  };
};

describe.each([
  ['opaque tokens', {}],
  ['JWT', { jwt: [{ key: KEY }] }],
] as const)('a client is removed, and added again, with %s', (_title, format: OAuthQueryOptions) => {
  const start = () => {
    let now = Date.UTC(2026, 0, 1, 12, 33);
    const store = weakStore({ clock: () => now });
    const node = (ahead: number, cacheSeconds = 0) => {
      const clock = (): number => now + ahead;
      const clients = storedClients(store, { issuer: ISSUER, clock, cacheSeconds });
      const oauth = oauthQuery({
        ...format,
        ...{ issuer: ISSUER, secret: 's'.repeat(40), store, clients, runtime: { clock }, scopes: { a: 'A' } },
        ...{ owner: () => ({ sub: 'alice' }), loginUrl: '/login', onWarning: () => undefined },
        lifetimes: { rememberedConsent: 86_400 },
      });
      const send = async (path: string, form?: Form, cookie = '') => {
        const body = form && { method: 'POST', body: new URLSearchParams(form) };
        const response = await oauth.handler(new Request(ISSUER + path, { ...body, headers: { cookie } }));
        return { response, text: await response.text() };
      };
      const json = async (path: string, form: Form) => JSON.parse((await send(path, { ...CREDENTIALS, ...form })).text);
      const isLive = async (token: string): Promise<boolean> => (await oauth.check.any(token)).refused === undefined;
      return { clients, oauth, send, json, isLive };
    };
    return { node, pass: (seconds: number) => (now += seconds * 1000) };
  };

  test('whatever the clocks say, nothing of the old one works, and all of the new one at once', async () => {
    const { node } = start();
    const [ahead, behind] = [node(AHEAD), node(-AHEAD)];
    await behind.clients.add(APP);
    const own = await ahead.json('/oauth/token', { grant_type: 'client_credentials' });
    const issued = await ahead.oauth.issue({ sub: 'alice', client_id: 'app', scope: 'a' });
    const device = await ahead.json('/oauth/device', { scope: 'a' });
    expect(await Promise.all([own, issued].map(({ access_token }) => behind.isLive(access_token)))).toEqual([
      true,
      true,
    ]);

    await behind.clients.remove('app');
    await behind.clients.add(APP);
    for (const { isLive, json } of [ahead, behind]) {
      expect(await Promise.all([own, issued].map(({ access_token }) => isLive(access_token)))).toEqual([false, false]);
      const form = { grant_type: 'refresh_token', refresh_token: issued.refresh_token ?? '' };
      expect(await json('/oauth/token', form)).toMatchObject({ error: 'invalid_grant' });
    }
    const page = formOn(await behind.send('/oauth/device'));
    const entered = await behind.send(page.action, { ...page.fields, user_code: device.user_code }, page.cookie);
    expect([entered.response.status, entered.text]).toEqual([400, expect.stringContaining('wrong or has expired')]);
    const again = await behind.json('/oauth/token', { grant_type: 'client_credentials' });
    const next = await behind.oauth.issue({ sub: 'alice', client_id: 'app', scope: 'a' });
    for (const { isLive } of [ahead, behind])
      expect(await Promise.all([again, next].map(({ access_token }) => isLive(access_token)))).toEqual([true, true]);
  });

  test('what a process issued that still remembered the old one is not of the new one', async () => {
    const { node } = start();
    const [fresh, stale] = [node(0), node(0, 60)];
    await fresh.clients.add(APP);
    await stale.json('/oauth/token', { grant_type: 'client_credentials' });
    await fresh.clients.remove('app');
    await fresh.clients.add(APP);
    const { access_token } = await stale.json('/oauth/token', { grant_type: 'client_credentials' });
    expect([await fresh.isLive(access_token), await stale.isLive(access_token)]).toEqual([false, true]);
    const own = await fresh.json('/oauth/token', { grant_type: 'client_credentials' });
    expect(await stale.isLive(own.access_token), 'of a newer client than it knows').toBe(true);
  });

  test('its owners are asked again, although they approved the old one', async () => {
    const { node } = start();
    const { clients, send } = node(0);
    await clients.add(APP);
    const query = new URLSearchParams({ response_type: 'code', client_id: 'app', redirect_uri: CALLBACK, scope: 'a' });
    const asked = () => send(`/oauth/authorize?${query}`);
    const toOf = ({ response }: Page) => response.headers.get('location');
    const { action, fields, cookie } = formOn(await asked());
    expect(toOf(await send(action, { ...fields, decision: 'approve' }, cookie))).toContain('code=');
    expect(toOf(await asked()), 'remembered').toContain('code=');
    await clients.remove('app');
    await clients.add(APP);
    const again = await asked();
    expect(toOf(again)).toBeNull();
    expect(again.text).toContain('would like to');
  });
});
