import { expect, test } from 'vitest';
import { FLOWS } from '../../bench/soak/flows.js';
import { soak } from '../../bench/soak/soak.js';
import { describeEngine } from './engines/availability.js';
import { noRedis } from './engines/redis.js';

describeEngine('a server with every feature, in several processes on one Redis', noRedis, () => {
  test('under load every response is correct, and a rolling restart costs a client at most one retry', async () => {
    const options = { seconds: 5, connections: 20, processes: 2, sampleEvery: 60 };
    const { steady, rolling } = await soak(options, true);
    for (const phase of [steady, rolling]) {
      expect(Object.fromEntries(phase?.journal.errors ?? [])).toEqual({});
      expect([...(phase?.journal.flows.keys() ?? [])].toSorted()).toEqual(FLOWS.map(({ name }) => name).toSorted());
    }
    expect(Object.fromEntries(steady.journal.retries)).toEqual({});
    expect(rolling?.restarts).toBeGreaterThan(0);
    // A process that drains cuts off no connection on which a request may be on its way.
    expect([...(rolling?.journal.retries.keys() ?? [])].filter((reason) => reason.includes('kept'))).toEqual([]);
    expect(rolling?.journal.retries.get('connection refused, nothing was sent')).toBeGreaterThan(0);
  }, 180_000);
});
