import { storeContract } from 'oauth-query/testing';
import { test } from 'vitest';

/** What a driver, a pool or a library could spoil although the store is the same: results of statements, keys, values, times, many rows. */
const OF_DRIVERS =
  /^of 20 simultaneous (adds|swaps of one rev) one|sent again|unchanged|pages of 1,000|order of the keys|distinguished|deadline/;

/** Registers the contract for a store with all functions; for the second driver of the same store, only the cases that depend on it. */
export function testContract(place: Parameters<typeof storeContract>[0], cases: 'all' | 'of drivers' = 'all'): void {
  for (const { name, run } of storeContract(place, { offers: ['getMany', 'list'] })) {
    if (cases === 'all' || OF_DRIVERS.test(name)) test.sequential(name, run);
  }
}
