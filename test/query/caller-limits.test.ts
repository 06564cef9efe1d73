import { describe, expect, test } from 'vitest';
import { RateLimit } from '../../src/core/base/limits/rate-limit.js';
import { query, type QueryOptions } from '../../src/core/query/index.js';
import { SIZES } from '../../src/core/query/sizes.js';
import { type Answer, basic, bearer, Client } from '../hosts.js';
import { fixture, SCOPES } from '../oauth/support/fixture.js';
import { constantsOfTest } from '../oauth/support/limits.js';
import { proxiedHosts } from '../oauth/support/proxied.js';
import { startQuery } from './fixture.js';

const modules: QueryOptions['modules'] = {
  allpages: ({ limit }) => Array.from({ length: limit }, () => ({ title: 'A' })),
};

const CLIENTS = [
  { client_id: 'other', client_secret: 'other-secret', scope: 'content.read' },
  { client_id: 'mirror', client_secret: 'mirror-secret', scope: 'content.read unlimited' },
] as const;

const started = async (limits: NonNullable<QueryOptions['limits']>, host = proxiedHosts[0]!) => {
  const made = fixture({
    clients: CLIENTS,
    scopes: { ...SCOPES, unlimited: { description: 'Read any amount', rights: ['noratelimit'] } },
    features: [query({ modules, limits })],
  });
  const { base, close } = await host.start(made.options);
  const client = new Client(base);
  const token = async (name: string): Promise<Record<string, string>> => {
    const credentials = basic(name, `${name}-secret`);
    return bearer(
      String((await client.post('/oauth/token', 'grant_type=client_credentials', credentials)).json['access_token']),
    );
  };
  const get = (search: string, headers: Record<string, string> = {}): Promise<Answer> =>
    client.get(`/api?action=query&format=json&formatversion=2&${search}`, headers);
  const from = (ip: string): Record<string, string> => ({ 'x-forwarded-for': ip });
  return { ...made, base, close, token, get, from };
};

const statusesOf = async <T>(all: readonly T[], send: (one: T) => Promise<Answer>): Promise<readonly number[]> => {
  const statuses = [];
  for (const one of all) statuses.push((await send(one)).status);
  return statuses;
};

describe('query.limits', () => {
  test.each(proxiedHosts)('$name: each address has its requests, an IPv6 network shares them', async (host) => {
    const { get, from, advance, events, close } = await started({ anonymous: { requests: 2 } }, host);
    const statuses = (...addresses: string[]) =>
      statusesOf(addresses, (address) => get('list=allpages', from(address)));
    expect(await statuses('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2')).toEqual([200, 200, 429, 200]);
    expect(await statuses('2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::3', '2001:db8:0:1::1')).toEqual([
      200, 200, 429, 200,
    ]);
    advance(20);
    const refused = await get('list=allpages', from('192.0.2.1'));
    expect([refused.status, refused.headers['retry-after'], refused.headers['mediawiki-api-error']]).toEqual([
      429,
      '40',
      'ratelimited',
    ]);
    expect(refused.json['error']).toMatchObject({ code: 'ratelimited' });
    expect(events.filter((event) => event.type === 'limit.reached')).toMatchObject([
      { limit: 'query', ip: '192.0.2.1' },
      { limit: 'query' },
    ]);
    advance(40);
    expect(await statuses('192.0.2.1')).toEqual([200]);
    close();
  });

  test('a token has its own limit, wherever it comes from, and noratelimit none', async () => {
    const { get, from, token, close } = await started({ anonymous: { requests: 1 }, token: { requests: 3 } });
    const [service, other, mirror] = [await token('service'), await token('other'), await token('mirror')];
    const statuses = (headers: Record<string, string>) =>
      statusesOf([0, 1, 2, 3], (n) => get('meta=userinfo', { ...headers, ...from(`192.0.2.${n}`) }));
    expect(await statuses(service)).toEqual([200, 200, 200, 429]);
    expect(await statuses(other)).toEqual([200, 200, 200, 429]);
    expect(await statuses(mirror)).toEqual([200, 200, 200, 200]);
    expect(await statuses({})).toEqual([200, 200, 200, 200]);
    close();
  });

  test('invalid tokens, JSONP and other actions count as requests of the address', async () => {
    for (const [query, headers] of [
      ['meta=userinfo', bearer('no such token')],
      ['meta=userinfo&callback=f', {}],
      ['meta=userinfo&action=paraminfo', {}],
      ['meta=userinfo&aplimit=x&list=allpages', {}],
    ] as const) {
      const { get, close } = await started({ anonymous: { requests: 1 } });
      await get(query, headers);
      expect((await get('meta=userinfo')).status, query).toBe(429);
      close();
    }
  });

  test('cost is the number of results requested, and of pages named', async () => {
    for (const [query, cost] of [
      ['list=allpages', 10],
      ['list=allpages&aplimit=max&meta=userinfo', 501],
      ['generator=allpages&gaplimit=20&prop=info|links&pllimit=30', 51],
      ['titles=A|B|C&prop=info', 4],
      ['pageids=1|2', 2],
      ['', 0],
    ] as const) {
      for (const [max, status] of [
        [cost + 1, 200],
        [Math.max(1, cost), cost === 0 ? 200 : 429],
      ] as const) {
        const { get, close } = await started({ anonymous: { cost: max } });
        expect((await get(query)).status, query).toBe(200);
        expect((await get('meta=userinfo')).status, `${query}, then 1 of ${max}`).toBe(status);
        close();
      }
    }
  });

  test('a response in parts costs once', async () => {
    constantsOfTest(SIZES, { response: 300 });
    const host = await startQuery({ modules, limits: { anonymous: { cost: 101 } } });
    const { json } = await host.get({ action: 'query', list: 'allpages', aplimit: '100' });
    expect(json['query']).toBeDefined();
    expect((await host.get({ action: 'query', meta: 'userinfo' })).status).toBe(200);
    expect((await host.get({ action: 'query', meta: 'userinfo' })).status).toBe(429);
  });

  test('uiprop=ratelimits shows the limits of the caller, theoreticalratelimits those it is exempt from', async () => {
    const { get, token, close } = await started({
      anonymous: { requests: 600 },
      token: { requests: 900, cost: 5_000 },
    });
    const shown = async (headers: Record<string, string>): Promise<unknown> => {
      const { json } = await get('meta=userinfo&uiprop=ratelimits|theoreticalratelimits', headers);
      const { ratelimits, theoreticalratelimits } = (json as never)['query']['userinfo'];
      return [ratelimits, theoreticalratelimits];
    };
    const ofToken = { requests: { user: { hits: 900, seconds: 60 } }, cost: { user: { hits: 5_000, seconds: 60 } } };
    const ofAddress = { requests: { ip: { hits: 600, seconds: 60 } } };
    expect(await shown({})).toEqual([ofAddress, ofAddress]);
    expect(await shown(await token('other'))).toEqual([ofToken, ofToken]);
    expect(await shown(await token('mirror'))).toEqual([{}, ofToken]);
    close();
  });

  test('there are none by default', async () => {
    const host = await startQuery({ modules });
    for (let n = 0; n < 50; n += 1) expect((await host.get({ action: 'query', meta: 'userinfo' })).status).toBe(200);
  });

  test.each([
    [{ anonymous: { requests: 0 } }, 'query: options.limits.anonymous.requests'],
    [{ token: { cost: 1.5 } }, 'query: options.limits.token.cost'],
    [{ user: { requests: 5 } }, 'query: options.limits.user'],
  ])('%j is an invalid option', async (limits, name) => {
    await expect(startQuery({ limits } as never)).rejects.toThrow(name);
  });
});

test('a rate limit keeps ten thousand counts, and reports the first refusal of each window only', () => {
  let now = 0;
  const limit = new RateLimit(() => now, 2, 60);
  expect([limit.take('a', 5, 9), limit.take('a', 5)?.isFirst, limit.take('a', 5)?.isFirst]).toEqual([
    undefined,
    true,
    false,
  ]);
  for (let n = 0; n < 10_000; n += 1) limit.take(`b${n}`);
  expect(limit.take('a', 5)).toBeUndefined();
  now = 60_000;
  expect([limit.take('c'), limit.take('c'), limit.take('c')]).toEqual([
    undefined,
    undefined,
    { retryAfter: 60, isFirst: true },
  ]);
});
