import { type MysqlQuery, mysqlStore, type MysqlStoreOptions } from 'oauth-query/stores/mysql';
import { expect, test } from 'vitest';
import { parseMysqlAddress } from '../../src/stores/drivers/mysql-address.js';
import { everyRow } from '../rows.js';

const LATER = () => Date.now() + 3_600_000;
const over = (query: MysqlQuery, more: Partial<MysqlStoreOptions> = {}) =>
  mysqlStore({ query, clearEvery: false, ...more });

/** Answers in turn; an error is thrown. It records what was sent. */
function answering(...answers: unknown[]): { query: MysqlQuery; sent: [text: string, ...values: unknown[]][] } {
  const sent: [string, ...unknown[]][] = [];
  return {
    sent,
    query: async (text, values) => {
      sent.push([text, ...values]);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const serverError = (errno: number): Error => Object.assign(new Error('refused'), { errno });
const wrote = (affectedRows: number | bigint) => ({ affectedRows });

test('a deadlock or a lost certification is sent again with the same rev, also if a library has wrapped it', async () => {
  const wrapped = new Error('Failed query', { cause: serverError(1213) });
  const { query, sent } = answering(serverError(1213), wrapped, serverError(1020), wrote(1));
  expect(await over(query).swap('a', '1', { rev: '2' }, LATER())).toBe(true);
  expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBe(1);
  const adding = answering(serverError(1213), wrote(1n));
  expect(await over(adding.query).add('a', {}, LATER())).toBe(true);
  expect(adding.sent[0]).toEqual(adding.sent[1]);
});

test('a call that always loses rejects, and so does every other error at once', async () => {
  const always = answering(...Array.from({ length: 100 }, () => serverError(1213)));
  await expect(over(always.query).swap('a', '1', { rev: '2' }, LATER())).rejects.toMatchObject({ errno: 1213 });
  expect(always.sent.length).toBeLessThan(20);
  const once = answering(serverError(1205));
  await expect(over(once.query).swap('a', '1', { rev: '2' }, LATER())).rejects.toMatchObject({ errno: 1205 });
  expect(once.sent).toHaveLength(1);
});

test('a missing table or column says what to do, in every call', async () => {
  const calls: readonly ((store: ReturnType<typeof over>) => Promise<unknown>)[] = [
    (store) => store.add('a', {}, LATER(), ['g']),
    (store) => store.swap('a', '1', { rev: '2' }, LATER()),
    (store) => store.get('a'),
    (store) => store.getMany(['a']),
    (store) => store.list('g', { limit: 1 }),
    (store) => store.delete('a'),
    (store) => store.clearExpired(1),
  ];
  await everyRow(calls, async (call) => {
    for (const errno of [1146, 1054]) {
      const cause = new Error('Failed query', { cause: serverError(errno) });
      const message = expect.stringContaining('oauth_records_groups is missing or incomplete; call migrate()');
      await expect(call(over(answering(cause).query))).rejects.toMatchObject({ message, code: 'OQ115', cause });
    }
    await expect(call(over(answering(serverError(1142)).query))).rejects.toMatchObject({ errno: 1142 });
  });
});

test('an add that finds a record: its own is true, a live one false, an expired one is replaced', () => {
  const now = Date.now();
  return everyRow(
    [
      // What the server answers after the insert that wrote nothing, and the result.
      [[[{ rev: 'mine', expires_at: String(now + 60_000) }]], true],
      [[[{ rev: 'other', expires_at: String(now + 60_000) }]], false],
      [[[{ rev: 'other', expires_at: String(now) }], wrote(1)], true],
      // Another call replaced it, or deleted it, in between.
      [
        [[{ rev: 'other', expires_at: '1' }], wrote(0), wrote(0), [{ rev: 'third', expires_at: String(now + 1) }]],
        false,
      ],
      [[[], wrote(1)], true],
    ] as const,
    async ([answers, result]) => {
      const { query } = answering(wrote(0), ...answers);
      expect(await over(query, { clock: () => now }).add('a', { rev: 'mine' }, now + 60_000)).toBe(result);
    },
  );
});

test('a result of an unexpected form is an error that says what to return', async () => {
  const pair = answering([[], []], [wrote(1), undefined]);
  await expect(over(pair.query).get('a')).rejects.toThrow('return the first element of what mysql2 returns');
  await expect(over(pair.query).delete('a')).rejects.toThrow('return the first element of what mysql2 returns');
  const nonsense = answering([{ value: '5' }], undefined, [{}]);
  await expect(over(nonsense.query).get('a')).rejects.toMatchObject({ code: 'STORE_ANSWER' });
  await expect(over(nonsense.query).delete('a')).rejects.toMatchObject({ code: 'STORE_ANSWER' });
  await expect(over(nonsense.query).list('g', { limit: 1 })).rejects.toMatchObject({ code: 'STORE_ANSWER' });
});

test('values are sent in ASCII, and never as a part of the statement', async () => {
  const { query, sent } = answering(wrote(1), wrote(1));
  await over(query).add("a'b", { name: 'ü☃💾\'"\\' }, LATER(), ["g'"]);
  for (const [text, ...values] of sent) {
    expect(values).toHaveLength(text.match(/\?/g)?.length ?? 0);
    expect(text).not.toContain("'");
  }
  const json = String(sent[1]?.[2]);
  expect(json).toMatch(/^[\0-\x7f]*$/);
  expect(JSON.parse(json)).toEqual({ name: 'ü☃💾\'"\\' });
});

test.each(['records; DROP TABLE users', '`records`', 'a.b.c', '', 'x'.repeat(58)])(
  'the table name %j is rejected',
  (table) => {
    expect(() => over(answering().query, { table })).toThrow(/table must be a name/);
  },
);

test('addresses: several hosts, TLS and encoded credentials; an invalid one is rejected without its secret', async () => {
  expect(parseMysqlAddress('mariadb://u%40:p%2F@a:3307,b,[::1]:1/db?ssl=true')).toEqual({
    hosts: [
      { host: 'a', port: 3_307 },
      { host: 'b', port: 3_306 },
      { host: '::1', port: 1 },
    ],
    username: 'u@',
    password: 'p/',
    database: 'db',
    tls: true,
  });
  await everyRow(
    [
      'mysql://host/db',
      'mysql://u:secret@host',
      'mysql://u:secret@host/',
      'mysql://u:%zzsecret@host/db',
      'mysql://u:secret@host/db?ssl=no',
      'mysql://u:secret@host:99999/db',
    ],
    async (url) => {
      expect(() => parseMysqlAddress(url)).toThrow(/must look like mariadb:\/\/user:password/);
      expect(() => parseMysqlAddress(url)).not.toThrow(/secret/);
    },
  );
});
