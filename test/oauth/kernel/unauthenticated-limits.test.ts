import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { type Answer, basic, Client } from '../../hosts.js';
import { Browser, isConsent, responseOf, wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { limitsOfTest } from '../support/limits.js';
import { proxiedHosts } from '../support/proxied.js';

const [host] = proxiedHosts;
const { start } = host;

const BOB = { username: 'bob', password: 'builder' } as const;
const SERVICE = basic('service', 'service-secret');

const askDevice = (base: string, ip: string): Promise<Answer> =>
  new Client(base).post('/oauth/device', { client_id: 'tv' }, { 'x-forwarded-for': ip });
const askToken = (base: string): Promise<Answer> =>
  new Client(base).post('/oauth/token', 'grant_type=client_credentials', SERVICE);
const browserAt = (base: string): Browser => new Browser({ origin: base, base });

describe('store capacity', () => {
  test('unknown callers at 120 addresses use up their limit, and tokens are still issued', async () => {
    limitsOfTest({ unprovenRecords: 240 });
    const { options, clock, advance, events } = fixture({
      clients: [{ client_id: 'legacy', client_secret: 'legacy-secret', grant_types: ['password'], scope: 'profile' }],
      grants: ['password', 'client_credentials', 'device_code'],
      users: { authenticate: () => undefined },
    });
    const store = memoryStore({ clock, max: 1000 });
    const { base, close } = await start({ ...options, store });
    const devices: Answer[] = [];
    for (let n = 0; n < 120; n += 1) {
      const ip = `10.0.0.${n}`;
      const device = await askDevice(base, ip);
      devices.push(device);
      for (let poll = 0; poll < 2 && device.status === 200; poll += 1)
        await new Client(base).post('/oauth/token', {
          grant_type: DEVICE_CODE,
          client_id: 'tv',
          device_code: String(device.json['device_code']),
        });
      const form = { grant_type: 'password', username: `name${n}`, password: 'x' };
      await new Client(base).post('/oauth/token', form, { ...basic('legacy', 'legacy-secret'), 'x-forwarded-for': ip });
      await new Client(base).post('/oauth/token', form, { ...basic('service', 'x'), 'x-forwarded-for': ip });
      await new Client(base).post('/oauth/token', form, { ...basic(`nobody${n}`, 'x'), 'x-forwarded-for': ip });
    }
    expect(store.size).toBeLessThanOrEqual(240);
    expect(devices.filter(({ status }) => status === 200)).toHaveLength(40);
    const refused = devices.at(-1);
    expect([refused?.status, refused?.json['error']]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(events.filter((event) => event.type === 'limit.reached' && event.limit === 'unproven records')).toHaveLength(
      1,
    );
    for (let n = 0; n < 50; n += 1) expect((await askToken(base)).status).toBe(200);
    // A client that proves who it is gets device codes too.
    expect((await new Client(base).post('/oauth/device', {}, basic('box', 'box-secret'))).status).toBe(200);
    advance(720);
    expect((await askDevice(base, '192.0.2.1')).status).toBe(200);
    close();
  });

  test('guesses are limited even if there is no capacity to count them for all processes', async () => {
    let asked = 0;
    limitsOfTest({ unprovenRecords: 100 });
    const { options } = fixture({
      clients: [{ client_id: 'legacy', client_secret: 'legacy-secret', grant_types: ['password'], scope: 'profile' }],
      grants: ['password'],
      users: { authenticate: () => void (asked += 1) },
    });
    const { base, close } = await start(options);
    const guess = async (username: string, ip: string): Promise<number> => {
      const form = { grant_type: 'password', username, password: 'x' };
      const headers = { ...basic('legacy', 'legacy-secret'), 'x-forwarded-for': ip };
      return (await new Client(base).post('/oauth/token', form, headers)).status;
    };
    for (let n = 0; n < 60; n += 1) await guess(`name${n}`, `10.0.0.${n}`);
    asked = 0;
    for (let n = 0; n < 15; n += 1) expect(await guess('alice', '192.0.2.1')).toBe(n < 10 ? 400 : 429);
    expect(asked).toBe(10);
    close();
  });

  test('a device code and its user code are removed two minutes after their expiry (RFC 8628 §3.2)', async () => {
    const { options, store, advance } = fixture();
    const { base, close } = await start(options);
    const before = [...store.entries()].length;
    const { json } = await askDevice(base, '192.0.2.1');
    const poll = async (): Promise<unknown> => {
      const form = { grant_type: DEVICE_CODE, client_id: 'tv' };
      return (await new Client(base).post('/oauth/token', { ...form, device_code: String(json['device_code']) })).json[
        'error'
      ];
    };
    advance(719);
    expect(await poll()).toBe('expired_token');
    advance(1);
    expect(await poll()).toBe('invalid_grant');
    expect([...store.entries()]).toHaveLength(before);
    close();
  });

  test('silent approvals are limited per owner and client; then the page asks, and writes nothing', async () => {
    limitsOfTest({ silentApprovals: 3 });
    const { options, store, advance } = fixture({
      lifetimes: { rememberedConsent: 3600 },
    });
    const { base, close } = await start(options);
    const web = { response_type: 'code', client_id: 'web' } as const;
    const [alice, bob] = [browserAt(base), browserAt(base)];
    await alice.authorizeFor(web);
    await bob.authorizeFor(web, { user: BOB });
    for (let n = 0; n < 3; n += 1) expect((await alice.authorize(web)).status).toBe(302);
    const before = store.size;
    for (let n = 0; n < 20; n += 1) expect(isConsent(await alice.authorize(web))).toBe(true);
    expect(store.size).toBe(before);
    expect((await bob.authorize(web)).status).toBe(302);
    // The owner can still approve, and after a minute nothing is asked again.
    const pressed = await alice.submit(await alice.authorize(web), { decision: 'approve' });
    expect(responseOf(pressed)['code']).toBeDefined();
    advance(60);
    expect((await alice.authorize(web)).status).toBe(302);
    close();
  });
});

describe('device codes', () => {
  test('are found after their secret has become an older one in the list', async () => {
    const [old, fresh] = ['the older secret of 32 characters ..', 'the newer secret of 32 characters ..'];
    const { options } = fixture();
    const before = await start({ ...options, secret: old });
    const { json } = await askDevice(before.base, '192.0.2.1');
    const after = await start({ ...options, secret: [fresh, old] });
    const browser = browserAt(after.base);
    const page = await browser.submit(await browser.device(), { user_code: String(json['user_code']) });
    expect(isConsent(page)).toBe(true);
    expect(wordsOf(page)).toContain(String(json['user_code']));
  });
});
