import { describe, expect, test } from 'vitest';
import { catalogue, type ModuleDescriptor, type QueryOptions } from '../../src/core/query/index.js';
import { hostFor } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { startJoined } from './joined.js';

const SECRET = 'key-of-the-watchlist-51423';

const modules: readonly ModuleDescriptor[] = Object.values(catalogue);
const sensitive = modules.flatMap(({ name, prefix, parameters }) =>
  Object.entries(parameters)
    .filter(([, parameter]) => parameter.sensitive)
    .map(([parameter]) => [name, prefix + parameter] as const),
);

const given: unknown[] = [];
/** Handlers that fail in every way that is reported. */
const query: QueryOptions = {
  verifyWatchlistToken: ({ owner, token }) => {
    given.push(token);
    if (owner === 'Bob') throw new TypeError('The database is away.');
    return new Promise(() => {});
  },
  resolvePages: () => {
    throw new TypeError('The database is away.');
  },
};

describe.each(hostFor(import.meta.url))('a sensitive parameter on $name', (host) => {
  const joined = useStarted(() => startJoined(host, { ...query, timeout: 10 }));

  test('reaches the function that checks it, and is in no response, event or error', async () => {
    expect(sensitive).toEqual([
      ['watchlist', 'wltoken'],
      ['watchlistraw', 'wrtoken'],
    ]);
    const answers: unknown[] = [];
    given.length = 0;
    for (const [list, parameter] of sensitive) {
      for (const more of [
        {},
        { titles: 'Apple' },
        { list: 'allpages' },
        { [parameter.replace('token', 'owner')]: 'Alice' },
        { [parameter.replace('token', 'owner')]: 'Bob' },
        { [parameter]: `\u001f${SECRET}` },
        { [parameter]: `${SECRET}\u0007` },
        { errorformat: 'raw', list: `${list}|nosuch` },
      ]) {
        answers.push(await joined.get({ action: 'query', list, [parameter]: SECRET, ...more }, 'user'));
      }
    }
    expect(given).toContain(SECRET);
    expect(joined.told.map(String).join()).toContain('The database is away.');
    expect(joined.told.map(String).join()).toContain('within 10 ms (query: options.timeout)');
    const told = joined.told.map((one) => (one instanceof Error ? `${one.stack}` : JSON.stringify(one)));
    expect([...told, ...answers.map((one) => JSON.stringify(one))].filter((text) => text.includes(SECRET))).toEqual([]);
  });
});
