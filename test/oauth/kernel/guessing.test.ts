import { mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fastify/index.js';
import { oauthQuery as overFetch } from '../../../src/adapters/fetch/index.js';
import type { HttpRequest } from '../../../src/core/base/http/messages.js';
import { sourceOf } from '../../../src/core/base/limits/source.js';
import type { ServerOptions } from '../../../src/core/server/options/server-options.js';
import { createServer } from '../../../src/core/server/server.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { type Answer, basic, Client, type HostOptions } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';
import { cheapHash, phc } from '../support/hashes.js';
import { limitsOfTest } from '../support/limits.js';
import { type ProxiedHost, proxiedHosts } from '../support/proxied.js';
import { ADDRESSES } from '../support/spellings.js';
import { distantStore } from '../support/stores.js';

const GRANT = 'grant_type=client_credentials';
const [express] = proxiedHosts;

/** So many processes on one store. */
const nodes = (count: number, options: Parameters<typeof express.start>[0]): Promise<readonly ProxiedHost[]> =>
  Promise.all(Array.from({ length: count }, () => express.start(options)));

const inLots = async <T>(count: number, size: number, ask: (n: number) => Promise<T>): Promise<readonly T[]> => {
  const answers: T[] = [];
  for (let n = 0; n < count; n += size)
    answers.push(...(await Promise.all(Array.from({ length: Math.min(size, count - n) }, (_, at) => ask(n + at)))));
  return answers;
};

const LEGACY = {
  client_id: 'legacy',
  client_secret: 'legacy-secret',
  grant_types: ['password'],
  scope: 'profile',
} as const;

/** A host behind a socket without addresses. */
const onPipe = async (options: HostOptions) => {
  const path = join(await mkdtemp(join(tmpdir(), 'oauth-query-')), 'socket');
  const app = fastify();
  await app.register(oauthQuery({ ...options, issuer: 'https://auth.example' }));
  await app.listen({ path });
  const post = (to: string, form: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      request({ socketPath: path, path: to, method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      })
        .on('error', reject)
        .end(form);
    });
  return { post, close: () => void app.close() };
};

/** One guess at a password: by the password grant, which asks the same directory as the page. */
const guess = (host: ProxiedHost, username: string, password: string, ip: string): Promise<Answer> =>
  new Client(host.base).post(
    '/oauth/token',
    { grant_type: 'password', username, password },
    { ...basic('legacy', 'legacy-secret'), 'x-forwarded-for': ip, connection: 'close' },
  );

/** The token endpoint without a socket, for tens of thousands of requests. */
const inProcess = (options: HostOptions) => {
  const { routes } = createServer({ ...options, issuer: 'https://auth.example' } as ServerOptions); // A fixture has all that the core needs, and no owner.
  const token = routes.find(({ path }) => path === '/oauth/token');
  return async (form: string, ip: string): Promise<number> => {
    const request: HttpRequest = {
      method: 'POST',
      query: '',
      path: '',
      header: (name) => (name === 'content-type' ? 'application/x-www-form-urlencoded' : undefined),
      rawHeaders: [],
      ip,
      hungUp: false,
      body: async () => ({ bytes: Buffer.from(form) }),
      native: undefined,
    };
    return (await token?.handle(request))?.status ?? 0;
  };
};
const manyAddresses = (n: number): string => `10.0.${n >> 8}.${n & 255}`;

/** A directory that records its calls. */
const countingUsers = () => {
  const asked: string[] = [];
  return {
    asked,
    users: {
      authenticate: async (username: string, password: string) => {
        asked.push(username);
        for (let n = 0; n < 3; n += 1) await setImmediate();
        return password === 'right' ? { sub: username } : undefined;
      },
    },
  };
};

describe('password guesses', () => {
  const GRANTS = ['password', 'client_credentials'] as const;

  test('200 simultaneous ones on ten processes: ten are compared', async () => {
    const { asked, users } = countingUsers();
    const { options, store, errors } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    const hosts = await nodes(10, { ...options, store: distantStore(store, 7) });
    const answers = await inLots(200, 200, (n) => guess(hosts[n % 10] as ProxiedHost, 'alice', `x${n}`, '192.0.2.1'));
    expect(asked).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(190);
    // The owner is not locked out: from another source she gets in, on every process.
    for (const host of hosts) expect((await guess(host, 'alice', 'right', '198.51.100.7')).status).toBe(200);
    expect(errors).toEqual([]);
  });

  test('a restarted process compares no more of them', async () => {
    const { asked, users } = countingUsers();
    const { options, advance } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    for (let n = 0; n < 12; n += 1) {
      const [host] = await nodes(1, options); // A restart.
      advance(1);
      const { status } = await guess(host as ProxiedHost, 'alice', 'x', '192.0.2.1');
      expect(status).toBe(n < 10 ? 400 : 429);
    }
    expect(asked).toHaveLength(10);
  });

  test('one address can try fifty names, on all processes together; other addresses are not affected', async () => {
    const { asked, users } = countingUsers();
    const { options, store } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    const hosts = await nodes(4, { ...options, store: distantStore(store, 3) });
    await inLots(120, 40, (n) => guess(hosts[n % 4] as ProxiedHost, `name${n}`, 'x', '192.0.2.1'));
    expect(asked).toHaveLength(50);
    expect((await guess(hosts[0] as ProxiedHost, 'bob', 'right', '192.0.2.2')).status).toBe(200);
  });

  test('every form of an address is one source, and texts that are no address are one together', () =>
    everyRow(ADDRESSES, ([form, source]) => {
      expect(sourceOf(form)).toBe(source);
    }));

  test.each(proxiedHosts)(
    '$name: a proxy that writes the port does not remove the limit of an address',
    async (host) => {
      limitsOfTest({ sourceFailures: 3 });
      const { asked, users } = countingUsers();
      const warnings: string[] = [];
      const { options } = fixture({
        clients: [LEGACY],
        grants: GRANTS,
        users,
        onWarning: (text) => warnings.push(text),
      });
      const { base, close } = await host.start(options);
      const compared = async (ip: (n: number) => string): Promise<number> => {
        asked.length = 0;
        await inLots(6, 3, (n) => guess({ base, close }, `${ip(n)} ${n}`, 'x', ip(n)));
        return asked.length;
      };
      expect(await compared((n) => `203.0.113.9:5000${n}`)).toBe(3);
      expect(await compared((n) => `[2001:db8::${n}]:5000${n}`)).toBe(3);
      expect(warnings.filter((text) => text.includes('OQ314'))).toEqual([]);
      close();
    },
  );

  test('fetch: addresses that cannot be read share one limit, and are reported once', async () => {
    limitsOfTest({ sourceFailures: 1 });
    const { asked, users } = countingUsers();
    const warnings: string[] = [];
    const { options } = fixture({ clients: [LEGACY], grants: GRANTS, users, onWarning: (text) => warnings.push(text) });
    let n = 0;
    const { handler } = overFetch({ ...options, issuer: 'https://auth.example', address: () => `unknown${(n += 1)}` });
    const form = (username: string): URLSearchParams =>
      new URLSearchParams({ grant_type: 'password', username, password: 'x' });
    for (let name = 0; name < 30; name += 1)
      await handler(
        new Request('https://auth.example/oauth/token', {
          method: 'POST',
          body: form(`name${name}`),
          headers: basic('legacy', 'legacy-secret'),
        }),
      );
    expect(asked).toHaveLength(20);
    expect(warnings.filter((text) => text.includes('OQ314'))).toEqual([
      expect.stringMatching(/"unknown1".*options\.address.*\(OQ314\)$/),
    ]);
  });

  test.each([
    ['a public issuer is reported once', 'https://auth.example', 1],
    ['a loopback issuer is not, because nobody else calls it', 'http://127.0.0.1', 0],
  ])('fetch: a caller without an address of %s', async (_name, issuer, times) => {
    const warnings: string[] = [];
    const { options } = fixture({ clients: [LEGACY], onWarning: (text) => warnings.push(text) });
    const { handler } = overFetch({ ...options, issuer });
    for (let n = 0; n < 3; n += 1) await handler(new Request(`${issuer}/oauth/token`, { method: 'POST' }));
    expect(warnings.filter((text) => text.includes('OQ314'))).toHaveLength(times);
  });

  test('an address that many people share can try a thousand names, but each of them as often as elsewhere', async () => {
    const { asked, users } = countingUsers();
    limitsOfTest({ sourceFailures: 2 });
    const shared = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/56'];
    const { options } = fixture({ clients: [LEGACY], grants: GRANTS, users, sharedAddresses: shared });
    const ask = inProcess(options);
    const form = (name: string): string =>
      `grant_type=password&username=${name}&password=x&client_id=legacy&client_secret=legacy-secret`;
    const compared = async (ip: string, nameOf: (n: number) => string): Promise<number> => {
      asked.length = 0;
      await inLots(60, 10, (n) => ask(form(nameOf(n)), ip));
      return asked.length;
    };
    for (const ip of ['192.0.2.7', '198.51.100.200:1', '[2001:db8:0:1::5]:1', '::ffff:198.51.100.9'])
      expect([ip, await compared(ip, (n) => `${ip}${n}`)]).toEqual([ip, 40]);
    for (const ip of ['192.0.2.8', '198.51.101.1', '2001:db8:0:100::5'])
      expect([ip, await compared(ip, (n) => `${ip}${n}`)]).toEqual([ip, 2]);
    expect(await compared('198.51.100.201', () => 'alice')).toBe(10);
  });

  test('one name from many addresses: after a hundred failures, each further address has one guess, and the owner can sign in', async () => {
    const { asked, users } = countingUsers();
    const { options } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    const hosts = await nodes(2, options);
    const from = (n: number): string => `192.0.2.${n}`;
    await inLots(15 * 12, 30, (n) => guess(hosts[n % 2] as ProxiedHost, 'alice', 'x', from(Math.floor(n / 12))));
    expect(asked.length).toBeGreaterThanOrEqual(100);
    expect(asked.length).toBeLessThanOrEqual(100 + 30);
    asked.length = 0;
    for (let n = 0; n < 3; n += 1) await guess(hosts[0] as ProxiedHost, 'alice', 'x', '203.0.113.1');
    expect(asked).toHaveLength(1);
    for (let n = 0; n < 5; n += 1)
      expect((await guess(hosts[n % 2] as ProxiedHost, 'alice', 'right', '203.0.113.2')).status).toBe(200);
  });

  test('correct passwords are not failures: two hundred simultaneous ones pass, and leave nothing in the store', async () => {
    const { users } = countingUsers();
    const { options } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    const store = memoryStore({ clock: options.runtime?.clock as () => number });
    const keys: string[] = [];
    const [host] = await nodes(1, {
      ...options,
      store: { ...store, add: (key, value, exp) => (keys.push(key), store.add(key, value, exp)) },
    });
    const answers = await inLots(200, 200, () => guess(host as ProxiedHost, 'alice', 'right', '192.0.2.1'));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
    const slots = keys.filter((key) => key.includes(':limit:'));
    expect(slots.length).toBeGreaterThan(0);
    expect((await Promise.all(slots.map((key) => store.get(key)))).filter((record) => record !== undefined)).toEqual(
      [],
    );
  });

  test('unknown names are rejected like others, and leave only the count of their address', async () => {
    const { options, events } = fixture({ clients: [LEGACY], grants: GRANTS });
    const store = memoryStore({ clock: options.runtime?.clock as () => number });
    const [host] = await nodes(1, { ...options, store });
    if (host === undefined) throw new Error('There is no host.');
    const outcome = async (name: string): Promise<readonly unknown[]> => {
      const { status, json } = await guess(host, name, 'x', '192.0.2.1');
      return [status, json];
    };
    const outcomes = { alice: [] as unknown[], nobody: [] as unknown[] };
    for (let n = 0; n < 12; n += 1) outcomes.alice.push(await outcome('alice'));
    const before = store.size;
    for (let n = 0; n < 12; n += 1) outcomes.nobody.push(await outcome('nobody'));
    expect(outcomes.nobody).toEqual(outcomes.alice);
    expect(store.size - before).toBe(10);
    expect(events.filter(({ type }) => type === 'limit.reached')).toHaveLength(2);
  });

  test('callers without an address have one common limit', async () => {
    const { asked, users } = countingUsers();
    limitsOfTest({ sourceFailures: 2 });
    const { options } = fixture({ clients: [LEGACY], grants: GRANTS, users });
    const pipe = await onPipe(options);
    const form = (n: number): string =>
      `grant_type=password&username=name${n}&password=x&client_id=legacy&client_secret=legacy-secret`;
    const statuses = await inLots(60, 10, (n) => pipe.post('/oauth/token', form(n)));
    expect(asked).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    expect(statuses.filter((status) => status === 400)).toHaveLength(40);
    pipe.close();
  });
});

describe('client secrets', () => {
  const CHOSEN = {
    client_id: 'chosen',
    client_secret: { scrypt: cheapHash('secret') },
    grant_types: ['client_credentials'],
    scope: 'content.read',
  } as const;
  const ask = (host: ProxiedHost, id: string, secret: string, ip = '192.0.2.1'): Promise<Answer> =>
    new Client(host.base).post('/oauth/token', GRANT, { ...basic(id, secret), 'x-forwarded-for': ip });

  test('random ones: ten processes together compare at most the maximum, plus one for each process', async () => {
    const { options, store } = fixture();
    const hosts = await nodes(10, { ...options, store: distantStore(store, 5) });
    const answers = await inLots(200, 200, (n) => ask(hosts[n % 10] as ProxiedHost, 'service', 'x'));
    const looked = answers.filter(({ status }) => status === 401).length;
    expect(looked).toBeGreaterThanOrEqual(10);
    expect(looked).toBeLessThanOrEqual(10 + 10);
    for (const host of hosts) expect((await ask(host, 'service', 'service-secret', '192.0.2.2')).status).toBe(200);
  });

  test('random ones: a block that was evicted from memory is read again before anything is compared', async () => {
    const { options } = fixture();
    const send = inProcess(options);
    const form = (secret: string): string => `${GRANT}&client_id=service&client_secret=${secret}`;
    for (let n = 0; n < 10; n += 1) expect(await send(form('x'), '192.0.2.1')).toBe(401);
    const others = await inLots(10_050, 50, (n) => send(form('x'), manyAddresses(n)));
    expect(others.every((status) => status === 401)).toBe(true);
    expect(await send(form('service-secret'), '192.0.2.1')).toBe(429);
    expect(await send(form('service-secret'), '203.0.113.9')).toBe(200);
  });

  test('chosen ones: three processes together compare as many as allowed, then answer 429', async () => {
    limitsOfTest({ clientFailures: 3 });
    const { options } = fixture({ clients: [CHOSEN] });
    const hosts = await nodes(3, options);
    const answers = await inLots(24, 6, (n) => ask(hosts[n % 3] as ProxiedHost, 'chosen', 'x'));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(21);
    expect((await ask(hosts[0] as ProxiedHost, 'chosen', 'secret', '192.0.2.2')).status).toBe(200);
  });

  test('of unknown clients are rejected in the same way, and leave nothing in the store', async () => {
    const { options, store } = fixture();
    const [host] = await nodes(1, options);
    if (host === undefined) throw new Error('There is no host.');
    const outcomes = async (id: string) =>
      (await inLots(12, 1, () => ask(host, id, 'x'))).map(({ status, text }) => [status, text]);
    expect(await outcomes('nobody')).toEqual(await outcomes('service'));
    const before = store.size;
    await inLots(100, 50, (n) => ask(host, `nobody${n}`, 'x', `192.0.2.${n}`));
    expect(store.size).toBe(before);
  });
});

describe('slow hashes', () => {
  test('of an address that many people share all wait for their turn', async () => {
    const password = { scrypt: phc('right', 12, 8, 2) };
    const pupils = Array.from({ length: 20 }, (_, n) => ({ username: `pupil${n}`, password }));
    const { options } = fixture({
      ...{ clients: [LEGACY], grants: ['password'], users: pupils, timeout: 60_000 },
      sharedAddresses: ['192.0.2.1'],
    });
    const [host] = await nodes(1, options);
    if (host === undefined) throw new Error('There is no host.');
    const answers = await Promise.all(pupils.map(({ username }) => guess(host, username, 'right', '192.0.2.1')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    host.close();
  });
});
