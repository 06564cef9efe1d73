import { randomBytes } from 'node:crypto';
import { type PostgresStore, postgresStore } from 'oauth-query/stores/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { noPostgres, type PostgresServer, startPostgres } from './engines/postgres.js';

const CHAINS = 500;
const SWAPS = 4_000;
const LATER = Date.now() + 86_400_000;

const text = (bytes: number): string => randomBytes(bytes).toString('base64url');
/** As large as the record of a grant's refresh tokens. */
const chain = (rev: string) => ({ rev, text: text(330) });

/** Swaps records that are a few hundred bytes long, in a table that also receives as many that are never swapped. */
async function refreshMany(store: PostgresStore): Promise<void> {
  const revs = new Map<number, string>();
  for (let n = 0; n < CHAINS; n += 1) {
    revs.set(n, `${n}`);
    await store.add(`chain:${n}`, chain(`${n}`), LATER);
    await store.add(`grant:${n}`, { text: text(250) }, LATER);
  }
  const worker = async (first: number): Promise<void> => {
    for (let n = first; n < SWAPS; n += 4) {
      const key = n % CHAINS;
      const rev = text(12);
      expect(await store.swap(`chain:${key}`, revs.get(key) ?? '', chain(rev), LATER)).toBe(true);
      revs.set(key, rev);
      await store.add(`token:${n}`, { text: text(120) }, LATER);
    }
  };
  await Promise.all([0, 1, 2, 3].map(worker));
}

describeEngine('PostgreSQL: updates in place', noPostgres, () => {
  let server: PostgresServer;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client(server.url);
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await server?.remove();
  });

  const fillFactorOf = async (table: string): Promise<unknown> =>
    (await admin.query('SELECT reloptions FROM pg_class WHERE relname = $1', [table])).rows[0].reloptions;

  test('at least 95 % of swaps write no index entry, with the fill factor that migrate sets', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 4 });
    const store = postgresStore({
      query: (...query) => pool.query(query[0], query[1]),
      timeout: 10_000,
      clearEvery: false,
    });
    await store.migrate();
    await refreshMany(store);
    await pool.end(); // a connection reports its statistics when it ends, at the latest
    expect(await fillFactorOf('oauth_records')).toEqual(['fillfactor=90']);
    await expect.poll(async () => (await updates()).all, { timeout: 10_000 }).toBe(SWAPS);
    const { all, inPlace } = await updates();
    expect(inPlace / all).toBeGreaterThanOrEqual(0.95);
  });

  const updates = async (): Promise<{ readonly all: number; readonly inPlace: number }> => {
    const { rows } = await admin.query(
      "SELECT n_tup_upd AS all, n_tup_hot_upd AS in_place FROM pg_stat_user_tables WHERE relname = 'oauth_records'",
    );
    return { all: Number(rows[0].all), inPlace: Number(rows[0].in_place) };
  };

  test('migrate sets it on a table of an earlier version, but not another one, and not for a role that does not own the table', async () => {
    await admin.query(`
      CREATE ROLE app LOGIN;
      CREATE TABLE old (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, expires_at bigint NOT NULL, nonce text);
      CREATE INDEX old_by_expiry ON old (expires_at);
      CREATE TABLE old_groups (grp text COLLATE "C", key text COLLATE "C", expires_at bigint NOT NULL, PRIMARY KEY (grp, key));
      CREATE INDEX old_groups_by_expiry ON old_groups (expires_at)`);
    const as = new pg.Client(server.url.replace('postgres@', 'app@'));
    await as.connect();
    const storeOf = (client: pg.Client) =>
      postgresStore({ query: (...query) => client.query(query[0], query[1]), table: 'old', clearEvery: false });
    await storeOf(as).migrate();
    await as.end();
    expect(await fillFactorOf('old')).toBeNull();
    await storeOf(admin).migrate();
    expect(await fillFactorOf('old')).toEqual(['fillfactor=90']);
    await admin.query('ALTER TABLE old SET (fillfactor = 50)');
    await admin.query('DROP INDEX old_by_expiry');
    await storeOf(admin).migrate();
    expect(await fillFactorOf('old')).toEqual(['fillfactor=50']);
  });
});
