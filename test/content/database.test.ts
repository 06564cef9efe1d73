import { contentQuery, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { ContentDatabase } from '../../src/content/sqlite/database.js';
import { sqliteSource } from '../../src/content/sqlite/source.js';
import { watchlist, watchlistraw } from '../../src/content/sqlite/watchlist.js';
import { fillDatabase } from './support/fill-database.js';
import { startQuery } from './support/same-pages.js';

test('a failed transaction tells its own error, also after SQLite has rolled back', () => {
  const database = new ContentDatabase(':memory:');
  const fail = (): void => {
    database.exec('ROLLBACK');
    throw new Error('The disk is full.');
  };
  expect(() => database.transaction(fail)).toThrow('The disk is full.');
  database.close();
});

test('with its token, the watchlist of another user is read', async () => {
  const edit = (id: number, user: string): NonNullable<MemoryPage['history']> => [
    { id, user, userid: id, timestamp: '2024-01-01T00:00:00Z', text: 'x' },
  ];
  const database = new ContentDatabase(':memory:');
  fillDatabase(database, [
    { id: 1, title: 'Of Alice', text: 'x', history: edit(1, 'Alice') },
    { id: 2, title: 'Of Bob', text: 'x', history: edit(2, 'Bob') },
  ]);
  const modules = { watchlist: watchlist(database), watchlistraw: watchlistraw(database) };
  const host = await startQuery({
    ...contentQuery({ ...sqliteSource(database), modules }),
    verifyWatchlistToken: ({ owner, token }) => (`${owner} ${token}` === 'Bob b' ? 'valid' : 'wrong'),
  });
  const raw = await host.query({ list: 'watchlistraw', wrowner: 'bob', wrtoken: 'b' });
  expect(raw.json['watchlistraw']).toEqual([{ ns: 0, title: 'Of Bob' }]);
  const changes = await host.query({ list: 'watchlist', wlowner: 'Bob', wltoken: 'b', wlprop: 'title', wlallrev: '1' });
  expect(changes.json['query']).toMatchObject({ watchlist: [{ ns: 0, title: 'Of Bob' }] });
  const wrong = await host.query({ list: 'watchlist', wlowner: 'Alice', wltoken: 'b' });
  expect(wrong.json['error']).toMatchObject({ code: 'bad_wltoken' });
  await host.close();
  database.close();
});
