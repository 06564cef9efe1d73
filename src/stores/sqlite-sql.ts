import type { SqliteDatabase } from './sqlite-file.js';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS oauth_records (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS oauth_records_by_expiry ON oauth_records (expires_at);
  CREATE TABLE IF NOT EXISTS oauth_records_groups (
    grp TEXT NOT NULL,
    key TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (grp, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS oauth_records_groups_by_expiry ON oauth_records_groups (expires_at)`;

// One statement decides and writes, so SQLite's write lock makes it atomic across threads and processes.
const ADD = `
  INSERT INTO oauth_records (key, value, expires_at) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
  WHERE oauth_records.expires_at <= ?`;

const SWAP = `
  UPDATE oauth_records SET value = ?, expires_at = ?
  WHERE key = ? AND json_extract(value, '$.rev') IN (?, ?) AND expires_at > ?`;

const ENTER = 'INSERT OR REPLACE INTO oauth_records_groups (grp, key, expires_at) VALUES (?, ?, ?)';

// One row with one text, because only this works the same in all drivers.
const LIST = `
  SELECT json_group_array(key) AS keys FROM (
    SELECT key FROM oauth_records_groups WHERE grp = ? AND key > ? AND expires_at > ? ORDER BY key LIMIT ?
  )`;

const CLEAR = `
  DELETE FROM oauth_records
  WHERE key IN (SELECT key FROM oauth_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

const CLEAR_GROUPS = `
  DELETE FROM oauth_records_groups
  WHERE (grp, key) IN (SELECT grp, key FROM oauth_records_groups WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/** Creates what is missing, and prepares the store's statements. */
export function prepare(database: SqliteDatabase) {
  database.exec(SCHEMA);
  return {
    add: database.prepare(ADD),
    swap: database.prepare(SWAP),
    get: database.prepare('SELECT value FROM oauth_records WHERE key = ? AND expires_at > ?'),
    remove: database.prepare('DELETE FROM oauth_records WHERE key = ?'),
    enter: database.prepare(ENTER),
    list: database.prepare(LIST),
    clear: database.prepare(CLEAR),
    clearGroups: database.prepare(CLEAR_GROUPS),
  };
}
