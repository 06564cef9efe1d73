import { expect, test } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { noRedis, startRedis } from '../stores/engines/redis.js';
import { oauthQueryInProcess } from './program.js';

const run = (url: string, ...args: readonly string[]) =>
  oauthQueryInProcess(['client', ...args], { env: { STORE_URL: url } });
const ADD = ['add', 'job', '--grant', 'client_credentials'];

describeEngine('client commands over a PostgreSQL without the table', noPostgres, () => {
  test('names the missing table, and --create creates it', async () => {
    const { url, remove } = await startPostgres();
    try {
      const before = await run(url, ...ADD);
      expect([before.code, before.stdout]).toEqual([1, '']);
      expect(before.stderr).toMatch(
        /^The store cannot be used: .*oauth_records.* run oauth-query client add --create.*\n$/,
      );
      expect((await run(url, ...ADD, '--create')).code).toBe(0);
      expect((await run(url, 'list')).stdout).toContain('"client_id":"job"');
      expect((await run(url, ...ADD, '--create', '--table', 'other')).code).toBe(0);
    } finally {
      await remove();
    }
  }, 120_000);
});

describeEngine('client commands over a Redis with prefixes', noRedis, () => {
  test('only affect their own prefix', async () => {
    const { url, remove } = await startRedis();
    try {
      expect((await run(url, ...ADD, '--prefix', 'a:')).code).toBe(0);
      expect((await run(url, 'show', 'job')).code).toBe(1);
      expect((await run(url, 'show', 'job', '--prefix', 'a:')).code).toBe(0);
    } finally {
      await remove();
    }
  });
});
