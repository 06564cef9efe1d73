import { tableNames, type TableNames } from './sql-store.js';

/** The longest name of a table in MySQL, with `_groups` appended. */
const MAX_NAME_LENGTH = 64 - '_groups'.length;

/** The size of the columns for keys and groups. */
export const MAX_KEY_BYTES = 200;

/** @throws TypeError if the table is not a plain name. */
export const mysqlTables = (table: string): TableNames => tableNames('mysqlStore', table, MAX_NAME_LENGTH);

/** The statements of the store. Numbers of rows are part of the text: MySQL accepts no such parameter from every driver. */
export type Statements = ReturnType<typeof mysqlStatements>;

export const mysqlStatements = ({ table, groups }: TableNames) => ({
  // Keys are compared as bytes, also spaces at their end, whatever the character set of the connection.
  schema: [
    `CREATE TABLE IF NOT EXISTS ${table} (
  \`key\` VARBINARY(${MAX_KEY_BYTES}) NOT NULL PRIMARY KEY,
  value LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires_at BIGINT NOT NULL,
  rev VARBINARY(64) NOT NULL,
  turn TINYINT UNSIGNED NOT NULL DEFAULT 0,
  INDEX by_expiry (expires_at)
) ENGINE = InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${groups} (
  grp VARBINARY(${MAX_KEY_BYTES}) NOT NULL,
  \`key\` VARBINARY(${MAX_KEY_BYTES}) NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (grp, \`key\`),
  INDEX by_expiry (expires_at)
) ENGINE = InnoDB`,
  ],
  settings: `SHOW VARIABLES WHERE Variable_name IN ('autocommit', 'read_only', 'max_connections', 'max_allowed_packet', 'wsrep_on', 'wsrep_sync_wait')`,
  /** Changes nothing; fails unless the columns exist and this role may do everything. */
  trials: [
    `INSERT INTO ${table} (\`key\`, value, expires_at, rev, turn) SELECT \`key\`, value, expires_at, rev, turn FROM ${table} WHERE FALSE ON DUPLICATE KEY UPDATE turn = 0`,
    `INSERT INTO ${groups} (grp, \`key\`, expires_at) SELECT grp, \`key\`, expires_at FROM ${groups} WHERE FALSE ON DUPLICATE KEY UPDATE expires_at = 0`,
    `DELETE FROM ${table} WHERE FALSE`,
    `DELETE FROM ${groups} WHERE FALSE`,
  ],
  // The number of inserted rows is the same for every driver. With ON DUPLICATE KEY UPDATE, 1 means inserted for some, and unchanged for others.
  insert: `INSERT IGNORE INTO ${table} (\`key\`, value, expires_at, rev) VALUES (?, ?, ?, ?)`,
  look: `SELECT CONVERT(rev USING ascii) AS rev, CAST(expires_at AS CHAR) AS expires_at FROM ${table} WHERE \`key\` = ?`,
  // A driver reports the number of rows found, or of rows changed. `turn` makes both the same.
  renew: `UPDATE ${table} SET value = ?, expires_at = ?, rev = ?, turn = 1 - turn WHERE \`key\` = ? AND expires_at <= ?`,
  swap: `UPDATE ${table} SET value = ?, expires_at = ?, rev = ?, turn = 1 - turn WHERE \`key\` = ? AND rev IN (?, ?) AND expires_at > ?`,
  enter: (count: number): string =>
    `INSERT INTO ${groups} (grp, \`key\`, expires_at) VALUES ${list(count, '(?, ?, ?)')} ` +
    'ON DUPLICATE KEY UPDATE expires_at = GREATEST(expires_at, VALUES(expires_at))',
  get: `SELECT value FROM ${table} WHERE \`key\` = ? AND expires_at > ?`,
  getMany: (count: number): string =>
    `SELECT CONVERT(\`key\` USING ascii) AS \`key\`, value FROM ${table} WHERE \`key\` IN (${list(count, '?')}) AND expires_at > ?`,
  remove: `DELETE FROM ${table} WHERE \`key\` = ?`,
  // In the order of the primary key: a server that misjudges the size of the group would sort all of it.
  list: (limit: number): string =>
    `SELECT CONVERT(\`key\` USING ascii) AS \`key\` FROM ${groups} FORCE INDEX (PRIMARY) ` +
    `WHERE grp = ? AND ${groups}.\`key\` > ? AND expires_at > ? ORDER BY ${groups}.\`key\` LIMIT ${limit}`,
  clear: (size: number): string => `DELETE FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${size}`,
  clearGroups: (size: number): string =>
    `DELETE FROM ${groups} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${size}`,
});

const list = (count: number, one: string): string => Array.from({ length: count }, () => one).join(', ');
