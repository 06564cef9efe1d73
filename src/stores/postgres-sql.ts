import { tableNames, type TableNames } from './sql-store.js';

/** Statements that only take values. */
type Verb = 'look' | 'state' | 'migrate' | 'add' | 'swap' | 'get' | 'remove' | 'list' | 'clear' | 'clearGroups';

/** Executes one of them. */
export type Ask = (verb: Verb, ...values: (string | number)[]) => Promise<readonly unknown[]>;

interface Statements extends Record<Verb, string> {
  getMany(count: number): string;
  addTo(groups: number): string;
  swapIn(groups: number): string;
}

/** The maximum length: the longest name derived from it has 63 characters, and PostgreSQL truncates longer names. */
const MAX_NAME_LENGTH = 63 - '_groups_by_expiry'.length;

/** @throws TypeError if the table is not a plain name. */
export const postgresTables = (table: string): TableNames => tableNames('postgresStore', table, MAX_NAME_LENGTH);

export const statements = (names: TableNames): Statements => ({
  ...schemaStatements(names),
  ...recordStatements(names),
});

function schemaStatements({ table, groups, schema, name }: TableNames): Pick<Statements, 'look' | 'state' | 'migrate'> {
  // An index is created without the schema, but looked up with it.
  const index = `${name}_by_expiry`;
  const groupsIndex = `${name}_groups_by_expiry`;
  const rights = [table, groups].flatMap((one) =>
    ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(
      (right) => `has_table_privilege(to_regclass('${one}')::oid, '${right}')`,
    ),
  );
  // A swap is done in place if the new row fits into the page of the old one. A table of 0.2 has no room for that; only its owner can change it.
  const packed = `EXISTS (
        SELECT FROM pg_class WHERE oid = to_regclass('${table}') AND pg_has_role(relowner, 'USAGE')
        AND coalesce(array_to_string(reloptions, ' '), '') !~ 'fillfactor'
      )`;
  return {
    // Needs no permission on the tables, and takes no lock on them.
    look: `
      SELECT to_regclass('${schema}${index}') IS NOT NULL AND to_regclass('${schema}${groupsIndex}') IS NOT NULL AND 4 = (
        SELECT count(*) FROM pg_attribute
        WHERE attrelid = to_regclass('${table}') AND attname IN ('key', 'value', 'expires_at', 'nonce') AND NOT attisdropped
      ) AS complete, ${packed} AS packed`,
    state: `
      SELECT ${rights.join(' AND ')} AS writable, pg_is_in_recovery() AS replica,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed`,
    // "IF NOT EXISTS" alone fails if two sessions run it simultaneously, so they take turns. While a session waits for a table lock,
    // all later statements wait too, so it does not wait for long. The collation is the fastest one, and compares bytes.
    migrate: `
      DO $migrate$ BEGIN
        PERFORM set_config('lock_timeout', '1000', true);
        PERFORM pg_advisory_xact_lock(hashtext('${table}'));
        CREATE TABLE IF NOT EXISTS ${table} (
          key text COLLATE "C" PRIMARY KEY,
          value text NOT NULL,
          expires_at bigint NOT NULL,
          nonce text
        );
        IF ${packed} THEN
          ALTER TABLE ${table} SET (fillfactor = 90);
        END IF;
        IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attname = 'nonce' AND NOT attisdropped) THEN
          ALTER TABLE ${table} ADD COLUMN nonce text;
        END IF;
        IF to_regclass('${schema}${index}') IS NULL THEN
          CREATE INDEX ${index} ON ${table} (expires_at);
        END IF;
        CREATE TABLE IF NOT EXISTS ${groups} (
          grp text COLLATE "C",
          key text COLLATE "C",
          expires_at bigint NOT NULL,
          PRIMARY KEY (grp, key)
        );
        IF to_regclass('${schema}${groupsIndex}') IS NULL THEN
          CREATE INDEX ${groupsIndex} ON ${groups} (expires_at);
        END IF;
      END $migrate$`,
  };
}

function recordStatements({ table, groups }: TableNames): Omit<Statements, 'look' | 'state' | 'migrate'> {
  // One statement decides and writes: a second writer of a row waits for the first and then checks the expiry again. A row with
  // the nonce of this call was written by this call, when it was sent the first time. The nonce of a record that has a rev is its rev.
  const add = `
      INSERT INTO ${table} AS record (key, value, expires_at, nonce) VALUES ($1::text, $2, $3::bigint, $5)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, nonce = excluded.nonce
      WHERE record.expires_at <= $4 OR record.nonce = excluded.nonce
      RETURNING 1 AS wrote`;
  const swap = `
      UPDATE ${table} SET value = $2, expires_at = $3::bigint, nonce = $5
      WHERE key = $1::text AND nonce IN ($5, $6) AND expires_at > $4
      RETURNING 1 AS wrote`;
  // The record and its group entries become visible at the same moment. Only a call that writes the record writes entries.
  const listed = (write: string, first: number, count: number): string => {
    const names = Array.from({ length: count }, (_, at) => `($${first + at}::text)`);
    return `
        WITH record AS (${write}), entries AS (
          INSERT INTO ${groups} (grp, key, expires_at) SELECT grp, $1, $3 FROM record, (VALUES ${names.join(', ')}) AS named (grp)
          ON CONFLICT (grp, key) DO UPDATE SET expires_at = excluded.expires_at
        )
        SELECT wrote FROM record`;
  };
  return {
    add,
    addTo: (count) => listed(add, 6, count),
    swap,
    swapIn: (count) => listed(swap, 7, count),
    get: `SELECT value FROM ${table} WHERE key = $1 AND expires_at > $2`,
    getMany: (count) => {
      const keys = Array.from({ length: count }, (_, index) => `$${index + 2}`);
      return `SELECT key, value FROM ${table} WHERE key IN (${keys.join(', ')}) AND expires_at > $1`;
    },
    remove: `DELETE FROM ${table} WHERE key = $1`,
    // From key to key: fetching the first key of a group uses the index. In a single query, a planner that underestimates the group
    // reads and sorts all of it.
    list: `
      WITH RECURSIVE page (key, place) AS (
        (SELECT key, 1 FROM ${groups} WHERE grp = $1 AND key > $2 AND expires_at > $3 ORDER BY key LIMIT 1)
        UNION ALL
        SELECT entry.key, place + 1 FROM page, LATERAL (
          SELECT key FROM ${groups} WHERE grp = $1 AND key > page.key AND expires_at > $3 ORDER BY key LIMIT 1
        ) AS entry WHERE place < $4
      )
      SELECT key FROM page`,
    // Rows that another instance is clearing are skipped.
    clear: `
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS cleared`,
    clearGroups: `
      DELETE FROM ${groups} WHERE (grp, key) IN (
        SELECT grp, key FROM ${groups} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS cleared`,
  };
}
