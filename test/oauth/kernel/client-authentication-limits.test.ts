import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { type Answer, basic, Client, hostFor } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { fixture, START } from '../support/fixture.js';
import { cheapHash } from '../support/hashes.js';
import { limitsOfTest } from '../support/limits.js';
import { type ProxiedHost, proxiedHosts } from '../support/proxied.js';

const GRANT = 'grant_type=client_credentials';
const BODY = { error: 'temporarily_unavailable', error_description: 'Too many failed attempts of this client.' };

const machine = { client_secret: 'secret', grant_types: ['client_credentials'], scope: 'content.read' } as const;
const CLIENTS = ['one', 'two', 'three', 'four', 'five', 'six'].map((client_id) => ({ client_id, ...machine }));

describe.each(proxiedHosts.slice(0, 1))('$name', ({ start }) => {
  const { options, events, advance, clock } = fixture({ clients: CLIENTS });
  const first = useStarted(() => start(options));
  const second = useStarted(() => start(options)); // The same store, as on two machines.

  /** To the beginning of the next window. */
  const nextMinute = (): void => advance(60 - (((clock() - START) / 1000) % 60));

  const ask = (client_id: string, secret: string, source = '192.0.2.1', host = first): Promise<Answer> =>
    new Client(host.base).post('/oauth/token', GRANT, { ...basic(client_id, secret), 'x-forwarded-for': source });

  const fail = async (
    count: number,
    ...[id, source, host]: [id: string, source?: string, host?: ProxiedHost]
  ): Promise<void> => {
    for (let n = 0; n < count; n += 1) expect((await ask(id, 'wrong', source, host)).status).toBe(401);
  };

  const expectBlocked = ({ status, json, headers }: Answer, retryAfter: number): void => {
    expect([status, json, headers['retry-after'], headers['cache-control']]).toEqual([
      429,
      BODY,
      String(retryAfter),
      'no-store',
    ]);
  };

  test('#54 after ten failures in a minute even the correct secret is rejected, until the minute is over (RFC 6749 §2.3.1)', async () => {
    await fail(9, 'one');
    expect((await ask('one', 'secret')).status).toBe(200);
    await fail(1, 'one');
    expectBlocked(await ask('one', 'wrong'), 60);
    advance(18.5);
    expectBlocked(await ask('one', 'secret'), 42);
    advance(41.499);
    expectBlocked(await ask('one', 'secret'), 1);
    advance(0.001);
    expect((await ask('one', 'secret')).status).toBe(200);
    expect(events).toContainEqual(expect.objectContaining({ type: 'limit.reached', limit: 'client', ip: '192.0.2.1' }));
  });

  test('#54 the same client from another source still works, and so does another client (RFC 6749 §2.3.1)', async () => {
    nextMinute();
    await fail(10, 'two');
    expect((await ask('two', 'secret', '192.0.2.2')).status).toBe(200);
    expect((await ask('two', 'secret', '2001:db8::1')).status).toBe(200);
    expect((await ask('three', 'secret')).status).toBe(200);
    expectBlocked(await ask('two', 'secret'), 60);
  });

  test('#54 failures in the body, of unknown clients and at the other endpoints count as well (RFC 6749 §2.3.1)', async () => {
    nextMinute();
    const client = new Client(first.base);
    const post = (path: string) =>
      client.post(path, `${GRANT}&token=x&client_id=four&client_secret=wrong`, { 'x-forwarded-for': '192.0.2.4' });
    for (const path of ['/oauth/token', '/oauth/device', '/oauth/introspect', '/oauth/revoke']) {
      for (let n = 0; n < 2; n += 1) expect((await post(path)).status).toBe(401);
    }
    await fail(2, 'four', '192.0.2.4');
    for (const path of ['/oauth/token', '/oauth/device', '/oauth/introspect', '/oauth/revoke'])
      expectBlocked(await post(path), 60);
    await fail(10, 'nobody');
    expectBlocked(await ask('nobody', 'x'), 60);
  });

  test('#54 all processes on one store count together (RFC 6749 §2.3.1)', async () => {
    nextMinute();
    await fail(6, 'five', '192.0.2.5', first);
    await fail(4, 'five', '192.0.2.5', second);
    expectBlocked(await ask('five', 'secret', '192.0.2.5', second), 60);
    // The first one hears of it by its own next failure: who has the right secret costs the store no question.
    await fail(1, 'five', '192.0.2.5', first);
    expectBlocked(await ask('five', 'secret', '192.0.2.5', first), 60);
  });

  test('#54 requests with other errors do not count (RFC 6749 §2.3.1)', async () => {
    nextMinute();
    const client = new Client(first.base);
    for (let n = 0; n < 12; n += 1) {
      expect(
        (await client.post('/oauth/token', 'grant_type=refresh_token', basic('six', 'secret'))).json['error'],
      ).toBe('unauthorized_client');
      expect(
        (await client.post('/oauth/token', `${GRANT}&client_secret=x`, basic('six', 'secret'))).json['error'],
      ).toBe('invalid_request');
    }
    expect((await client.post('/oauth/token', GRANT, basic('six', 'secret'))).status).toBe(200);
  });
});

describe.each(hostFor(import.meta.url))('$name, many simultaneous requests', ({ start }) => {
  const late = async (): Promise<void> => {
    for (let n = 0; n < 50; n += 1) await setImmediate();
  };
  /** A store that takes its time to count. */
  const slowStore = (store: Store): Store => ({
    get: (key) => store.get(key),
    delete: (key) => store.delete(key),
    swap: (...record) => store.swap(...record),
    add: async (key, value, expiresAt) => {
      await late();
      return store.add(key, value, expiresAt);
    },
  });
  const hashed = {
    client_id: 'hashed',
    client_secret: { scrypt: cheapHash('secret') },
    grant_types: ['client_credentials'],
    scope: 'content.read',
  } as const;
  /** How often each status came back. */
  const atOnce = async (base: string, count: number, id: string, secret: string): Promise<object> => {
    const client = new Client(base);
    const ask = (): Promise<Answer> => client.post('/oauth/token', GRANT, basic(id, secret));
    const answers = await Promise.all(Array.from({ length: count }, ask));
    return Object.fromEntries([401, 429, 200].map((code) => [code, answers.filter((a) => a.status === code).length]));
  };

  test('#54 of a hundred wrong guesses, ten are checked (RFC 6749 §2.3.1)', async () => {
    const { options, store, errors } = fixture({ clients: CLIENTS });
    const host = await start({ options: { ...options, store: slowStore(store) } });
    expect(await atOnce(host.base, 100, 'one', 'wrong')).toEqual({ 401: 10, 429: 90, 200: 0 });
    expect(errors).toEqual([]);
  });

  test('#54 also if the registry is slow (RFC 6749 §2.3.1)', async () => {
    const { options } = fixture();
    const find = async (id: string) => {
      await late();
      return CLIENTS.find(({ client_id }) => client_id === id);
    };
    const host = await start({ options: { ...options, clients: { find } } });
    expect(await atOnce(host.base, 60, 'one', 'wrong')).toEqual({ 401: 10, 429: 50, 200: 0 });
  });

  test('#54 if the comparison is slow, wrong secrets are rejected after the limit and correct ones all pass (RFC 6749 §2.3.1)', async () => {
    limitsOfTest({ clientFailures: 2 });
    const { options, advance } = fixture({ clients: [hashed] });
    const host = await start({ options });
    expect(await atOnce(host.base, 6, 'hashed', 'secret')).toEqual({ 401: 0, 429: 0, 200: 6 });
    expect(await atOnce(host.base, 6, 'hashed', 'wrong')).toEqual({ 401: 2, 429: 4, 200: 0 });
    advance(60);
    expect(await atOnce(host.base, 3, 'hashed', 'secret')).toEqual({ 401: 0, 429: 0, 200: 3 });
  });
});

describe.each(proxiedHosts)('$name', ({ start }) => {
  test('#54 all addresses of an IPv6 network are one source, the next network is another (RFC 6749 §2.3.1)', async () => {
    const host = await start(fixture({ clients: CLIENTS }).options);
    const ask = async (source: string, secret: string): Promise<number> => {
      const headers = { ...basic('one', secret), 'x-forwarded-for': source };
      return (await new Client(host.base).post('/oauth/token', GRANT, headers)).status;
    };
    for (let n = 1; n <= 10; n += 1) expect(await ask(`2001:db8:0:1::${n}`, 'wrong')).toBe(401);
    expect(await ask('2001:db8:0:1:ffff:ffff:ffff:ffff', 'secret')).toBe(429);
    expect(await ask('2001:0db8::1:0:0:0:1', 'secret')).toBe(429);
    expect(await ask('2001:db8:0:2::1', 'secret')).toBe(200);
    expect(await ask('::ffff:192.0.2.1', 'secret')).toBe(200);
  });
});
