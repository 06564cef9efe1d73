import { describe, expect, test } from 'vitest';
import { FetchBounds } from '../../src/clients/documents/fetch-bounds.js';
import { limitWith } from '../../src/core/base/limits/source.js';
import { UnusableClientError } from '../../src/core/oauth/clients/client-finder.js';

/** Fetches that go on until they are released. */
class Fetches {
  readonly #bounds: FetchBounds;
  readonly #ends: (() => void)[] = [];

  constructor(clock: () => number = () => 0) {
    this.#bounds = new FetchBounds({ clock, limitAt: limitWith([]) });
  }

  /** Whether the fetch was admitted. */
  begin(ip: string, host: string): boolean {
    try {
      this.#ends.push(this.#bounds.begin(ip, host));
      return true;
    } catch (error) {
      if (!(error instanceof UnusableClientError)) throw error;
      expect([error.reason, error.retryAfter > 0]).toEqual(['unavailable', true]);
      return false;
    }
  }

  end(count = 1): void {
    for (const end of this.#ends.splice(0, count)) end();
  }
}

const countOf = (count: number, begin: (n: number) => boolean): number =>
  Array.from({ length: count }, (_, n) => begin(n)).filter(Boolean).length;

const ipOf = (n: number): string => `192.0.2.${n}`;

describe('M34: concurrent fetches', () => {
  test('are limited to 4 per source, where an IPv6 network is one source', () => {
    const fetches = new Fetches();
    expect(countOf(10, (n) => fetches.begin(ipOf(1), `h${n}`))).toBe(4);
    expect(countOf(10, (n) => fetches.begin(`2001:db8::${n + 1}`, `h${n}`))).toBe(4);
    expect(fetches.begin(ipOf(2), 'h')).toBe(true);
  });

  test('are limited to 4 per host, for all callers', () => {
    const fetches = new Fetches();
    expect(countOf(10, (n) => fetches.begin(ipOf(n), 'host'))).toBe(4);
    expect(fetches.begin(ipOf(20), 'other')).toBe(true);
  });

  test('are limited to 32 in total', () => {
    const fetches = new Fetches();
    expect(countOf(100, (n) => fetches.begin(ipOf(n), `h${n}`))).toBe(32);
  });

  test('no longer count when they have ended', () => {
    const fetches = new Fetches();
    countOf(4, () => fetches.begin(ipOf(1), 'host'));
    expect(fetches.begin(ipOf(1), 'host')).toBe(false);
    fetches.end();
    expect(fetches.begin(ipOf(1), 'host')).toBe(true);
    fetches.end(4);
    expect(countOf(10, () => fetches.begin(ipOf(1), 'host'))).toBe(4);
  });

  test('are limited to 60 per minute and source, not counting rejected ones', () => {
    let now = 0;
    const fetches = new Fetches(() => now);
    const one = (n: number): boolean => {
      const hasBegun = fetches.begin(ipOf(1), `h${n}`);
      fetches.end();
      return hasBegun;
    };
    expect(countOf(100, one)).toBe(60);
    now += 60_000;
    expect(countOf(100, one)).toBe(60);
  });

  test('of callers without an address are limited to 20 times as many, because they are one source', () => {
    const fetches = new Fetches();
    expect(countOf(100, (n) => fetches.begin('', `h${n}`))).toBe(32);
  });
});
