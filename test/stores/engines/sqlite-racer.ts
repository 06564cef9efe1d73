/**
 * One of several processes that race for the same keys in one file: waits for a line on its input, adds every key several
 * times at once, and prints the keys for which it was told that it wrote.
 */
import { once } from 'node:events';
import { sqliteStore } from 'oauth-query/stores/sqlite';

const [file = '', keys = '0', times = '0'] = process.argv.slice(2);

const store = sqliteStore({ file });
process.stdout.write('ready\n');
await once(process.stdin, 'data');

const won: number[] = [];
const expiresAt = Date.now() + 3_600_000;
for (let key = 0; key < Number(keys); key += 1) {
  const adds = Array.from({ length: Number(times) }, () => store.add(`race:${key}`, { by: process.pid }, expiresAt));
  won.push(...(await Promise.all(adds)).filter(Boolean).map(() => key));
}
process.stdout.write(`${JSON.stringify(won)}\n`);
await store.close();
process.exit();
