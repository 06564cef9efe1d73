/** Clients in a table of your own, each with its whole registration as JSON, so that clients of every kind fit. */
import { createHash, randomBytes } from 'node:crypto';
import { checkClient, type ClientRegistration } from 'oauth-query';

export const TABLE = `CREATE TABLE clients (
  client_id    varchar(255) NOT NULL PRIMARY KEY,
  version      integer NOT NULL,
  registration text NOT NULL
)`;

export const SCOPES = { 'photos.read': 'See your photos' };

export interface Rows {
  read(client_id: string): Promise<{ version: number; registration: string } | undefined>;
  /** Writes a row with version 1. Rejects if the client exists. */
  insert(client_id: string, registration: string): Promise<unknown>;
  /** Replaces a row that has this version, and gives it the next one. Returns whether it did. */
  replace(client_id: string, version: number, registration: string): Promise<boolean>;
}

const newSecret = () => {
  const client_secret = randomBytes(32).toString('base64url');
  return { client_secret, hash: { sha256: createHash('sha256').update(client_secret).digest('base64url') } };
};

const checked = (client: ClientRegistration) => {
  const problems = checkClient(client, { scopes: SCOPES });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return JSON.stringify(client);
};

export const clientsIn = (rows: Rows) => {
  const change = async (
    client_id: string,
    changed: (client: ClientRegistration) => ClientRegistration,
  ): Promise<void> => {
    const row = await rows.read(client_id);
    if (row === undefined) throw new Error(`There is no client ${client_id}.`);
    const registration = checked(changed(JSON.parse(row.registration)));
    // If another change was faster, apply this one to its result.
    if (!(await rows.replace(client_id, row.version, registration))) await change(client_id, changed);
  };
  return {
    find: async (client_id: string): Promise<ClientRegistration | undefined> => {
      const row = await rows.read(client_id);
      return row && JSON.parse(row.registration);
    },
    endTokens: (client_id: string, validAfter: number) =>
      change(client_id, (client) => ({
        ...client,
        tokens_valid_after: Math.max(client.tokens_valid_after ?? 0, validAfter),
      })),
    change,
    /** Returns the secret: show it once. Public clients and those with keys have none. */
    add: async (client: ClientRegistration) => {
      if (client.token_endpoint_auth_method === 'none' || (client.jwks ?? client.jwks_uri) !== undefined) {
        await rows.insert(client.client_id, checked(client));
        return undefined;
      }
      const { client_secret, hash } = newSecret();
      await rows.insert(client.client_id, checked({ ...client, client_secret: [hash] }));
      return client_secret;
    },
    /** Returns a new secret. The old one works for some more seconds. */
    rotate: async (client_id: string, overlap: number, now = Date.now()) => {
      const { client_secret, hash } = newSecret();
      await change(client_id, (client) => {
        const [current] = Array.isArray(client.client_secret) ? client.client_secret : [];
        if (current === undefined) throw new Error(`The client ${client_id} has no secret.`);
        return { ...client, client_secret: [hash, { ...current, expiresAt: now + overlap * 1000 }] };
      });
      return client_secret;
    },
    disable: (client_id: string, disabled = true) => change(client_id, (client) => ({ ...client, disabled })),
  };
};

/** For `pg`, and any other driver with `query(text, values)`. */
interface PostgresDatabase {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export const rowsOfPostgres = (db: PostgresDatabase): Rows => ({
  read: async (id) =>
    (await db.query('SELECT version, registration FROM clients WHERE client_id = $1', [id])).rows[0] as
      | { version: number; registration: string }
      | undefined,
  insert: (id, registration) => db.query('INSERT INTO clients VALUES ($1, 1, $2)', [id, registration]),
  replace: async (id, version, registration) => {
    const text = `UPDATE clients SET version = version + 1, registration = $3
      WHERE client_id = $1 AND version = $2 RETURNING version`;
    return (await db.query(text, [id, version, registration])).rows.length === 1;
  },
});

/** For `node:sqlite`, `better-sqlite3` and `libsql`. */
interface SqliteDatabase {
  prepare(sql: string): {
    get(...values: (string | number)[]): unknown;
    run(...values: (string | number)[]): { changes: number | bigint };
  };
}

export const rowsOfSqlite = (db: SqliteDatabase): Rows => ({
  read: async (id) =>
    (db.prepare('SELECT version, registration FROM clients WHERE client_id = ?').get(id) ?? undefined) as
      | { version: number; registration: string }
      | undefined,
  insert: async (id, registration) => db.prepare('INSERT INTO clients VALUES (?, 1, ?)').run(id, registration),
  replace: async (id, version, registration) => {
    const sql = 'UPDATE clients SET version = version + 1, registration = ? WHERE client_id = ? AND version = ?';
    return Number(db.prepare(sql).run(registration, id, version).changes) === 1;
  },
});
