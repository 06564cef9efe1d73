import { describe, expect, test } from 'vitest';
import { FetchBounds } from '../../src/clients/documents/fetch-bounds.js';
import { limitWith } from '../../src/core/base/limits/source.js';
import { UnusableClientError } from '../../src/core/oauth/clients/own-registry.js';

/** Fetches that go on until they are released. */
class Fetches {
  readonly bounds: FetchBounds;
  readonly #ends: (() => void)[] = [];

  constructor(clock: () => number = () => 0) {
    this.bounds = new FetchBounds({ clock, limitAt: limitWith([]) });
  }

  /** Whether the fetch was admitted. */
  async begin(ip: string, host: string): Promise<boolean> {
    let hasBegun = false;
    const work = () =>
      new Promise<void>((resolve) => {
        hasBegun = true;
        this.#ends.push(resolve);
      });
    const running = this.bounds.run(ip, host, work).catch((error: unknown) => {
      if (!(error instanceof UnusableClientError)) throw error;
      expect([error.reason, error.retryAfter > 0]).toEqual(['unavailable', true]);
    });
    await Promise.race([running, Promise.resolve().then(() => undefined)]);
    return hasBegun;
  }

  async end(count = 1): Promise<void> {
    for (const end of this.#ends.splice(0, count)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const countOf = async (count: number, begin: (n: number) => Promise<boolean>): Promise<number> => {
  let begun = 0;
  for (let n = 0; n < count; n += 1) if (await begin(n)) begun += 1;
  return begun;
};

const ipOf = (n: number): string => `192.0.2.${n}`;

describe('M34: concurrent fetches', () => {
  test('are limited to 4 per source, where an IPv6 network is one source', async () => {
    const fetches = new Fetches();
    expect(await countOf(10, (n) => fetches.begin(ipOf(1), `h${n}`))).toBe(4);
    expect(await countOf(10, (n) => fetches.begin(`2001:db8::${n + 1}`, `h${n}`))).toBe(4);
    expect(await fetches.begin(ipOf(2), 'h')).toBe(true);
  });

  test('are limited to 4 per host, for all callers', async () => {
    const fetches = new Fetches();
    expect(await countOf(10, (n) => fetches.begin(ipOf(n), 'host'))).toBe(4);
    expect(await fetches.begin(ipOf(20), 'other')).toBe(true);
  });

  test('are limited to 32 in total', async () => {
    const fetches = new Fetches();
    expect(await countOf(100, (n) => fetches.begin(ipOf(n), `h${n}`))).toBe(32);
  });

  test('no longer count when they have ended, also after a failure', async () => {
    const fetches = new Fetches();
    await countOf(4, () => fetches.begin(ipOf(1), 'host'));
    expect(await fetches.begin(ipOf(1), 'host')).toBe(false);
    await fetches.end();
    expect(await fetches.begin(ipOf(1), 'host')).toBe(true);
    await fetches.end(4);
    const failing = fetches.bounds.run(ipOf(1), 'host', () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    expect(await countOf(10, () => fetches.begin(ipOf(1), 'host'))).toBe(4);
  });

  test('are limited to 60 per minute and source, not counting rejected ones', async () => {
    let now = 0;
    const fetches = new Fetches(() => now);
    const one = async (n: number): Promise<boolean> => {
      const hasBegun = await fetches.begin(ipOf(1), `h${n}`);
      await fetches.end();
      return hasBegun;
    };
    expect(await countOf(100, one)).toBe(60);
    now += 60_000;
    expect(await countOf(100, one)).toBe(60);
  });

  test('of callers without an address are limited to 20 times as many, because they are one source', async () => {
    const fetches = new Fetches();
    expect(await countOf(100, (n) => fetches.begin('', `h${n}`))).toBe(32);
  });
});
