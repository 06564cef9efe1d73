import { feature, type FeatureHost } from 'oauth-query/feature';
import { memoryStore } from 'oauth-query/stores/memory';
import { expect, test } from 'vitest';
import { createServer } from '../../src/core/server/server.js';

test('a feature has records of its own, which no other feature reads, and which expire', async () => {
  const hosts = new Map<string, FeatureHost>();
  let now = 1_000_000;
  const keep = (name: string) => feature({ name, start: (host) => (hosts.set(name, host), {}) });
  createServer({
    issuer: 'https://example.org',
    store: memoryStore({ clock: () => now }),
    runtime: { clock: () => now },
    features: [keep('a'), keep('a:b')],
  } as never);
  const [a, b] = [hosts.get('a')?.records, hosts.get('a:b')?.records];
  expect(await a?.add('b:x', { exp: 2000 })).toBe(true);
  expect(await a?.add('b:x', { exp: 2000 })).toBe(false);
  expect(await b?.get(['x'])).toEqual([undefined]);
  expect(await b?.add('x', { exp: 2000 }, ['all'])).toBe(true);
  expect(await b?.list('all', { limit: 10 })).toEqual({ keys: ['x'] });
  expect(await a?.list('all', { limit: 10 })).toEqual({ keys: [] });
  const rev = a?.rev() ?? '';
  await a?.add('count', { exp: 2000, rev, n: 1 } as never);
  expect(await a?.swap('count', rev, { exp: 2000, rev: a.rev(), n: 2 } as never)).toBe(true);
  expect(await a?.swap('count', rev, { exp: 2000, rev: a.rev(), n: 3 } as never)).toBe(false);
  expect(await a?.get(['count', 'none'])).toMatchObject([{ n: 2 }, undefined]);
  now = 2_000_000;
  expect(await a?.get(['count'])).toEqual([undefined]);
  await expect(async () => a?.add('x'.repeat(61), { exp: 3000 })).rejects.toThrow('1 to 60');
});
