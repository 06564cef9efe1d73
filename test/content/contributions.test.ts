import { contentQuery, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { bothSources } from './support/both-sources.js';
import { startQuery } from './support/same-pages.js';
import { type Params, walk } from './support/walk.js';

/** Thousands of users with two edits each: of accounts, and of addresses in two ranges. */
const nameOf = (n: number): string =>
  n < 4_000
    ? `User ${n}`
    : n < 4_600
      ? `192.0.${2 + (n % 2)}.${Math.floor((n - 4_000) / 2) % 256}`
      : '2001:DB8:0:0:0:0:0:1';
const USERS = [...new Set(Array.from({ length: 4_601 }, (_, n) => nameOf(n)))];
const pages: readonly MemoryPage[] = USERS.map((user, n) => {
  const history = [0, 1].map((edit) => ({
    id: 2 * n + edit + 1,
    text: 'x',
    user,
    userid: user.startsWith('User') ? n + 1 : 0,
    minor: n === 0,
    timestamp: `2024-01-0${edit + 1}T00:00:00Z`,
  }));
  return { id: n + 1, title: `Page ${n}`, text: 'x', history };
});

const sorted = (names: readonly string[]): readonly string[] => [...names].sort((a, b) => (a < b ? -1 : 1));

test.each(Object.entries(bothSources(pages)))(
  'in %s, contributions of any number of users are listed user by user, the latest first',
  async (_, source) => {
    const host = await startQuery(contentQuery(source()));
    const listed = async (params: Params): Promise<readonly string[]> => {
      const answers = await walk(async (all) => (await host.query(all)).json, { list: 'usercontribs', ...params });
      return answers
        .flatMap(({ query }) => (query as { usercontribs: { user: string; timestamp: string }[] }).usercontribs)
        .map(({ user, timestamp }) => `${user} ${timestamp.slice(9, 10)}`);
    };
    const contributions = (users: readonly string[]): readonly string[] =>
      sorted(users).flatMap((user) => [`${user} 1`, `${user} 2`]);
    const accounts = USERS.filter((user) => user.startsWith('User'));
    const latest = [...contributions(accounts)].reverse();
    expect(await listed({ ucuserprefix: 'User', uclimit: 'max' })).toEqual(latest);
    // The last user of all.
    expect(await listed({ ucuserprefix: 'User', ucshow: 'minor' })).toEqual(['User 0 2', 'User 0 1']);
    const older = await listed({ ucuserprefix: 'User', ucend: '2024-01-02T00:00:00Z', uclimit: '300' });
    expect(older).toEqual(latest.filter((one) => one.endsWith('2')));
    expect(await listed({ ucuser: 'User 7|User 5', ucdir: 'newer', uclimit: '1' })).toEqual(
      contributions(['User 5', 'User 7']),
    );
    const inRange = USERS.filter((user) => user.startsWith('192.0.3.'));
    expect(inRange.length).toBeGreaterThan(200);
    expect(await listed({ uciprange: '192.0.3.9/24', ucdir: 'newer', uclimit: 'max' })).toEqual(contributions(inRange));
    expect(await listed({ uciprange: '192.0.3.7/32' })).toEqual(['192.0.3.7 2', '192.0.3.7 1']);
    expect(await listed({ uciprange: '2001:db8::/32' })).toHaveLength(2);
    expect(await listed({ uciprange: '2001:db9::/32' })).toEqual([]);
    await host.close();
  },
);
