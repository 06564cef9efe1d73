import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from 'oauth-query/stores/memory';
import { ContentDatabase, importExport, siteQuery } from '../../../examples/site/index.js';
import { query } from '../../../src/core/query/index.js';
import { openApi } from '../../../src/openapi/index.js';
import { sandbox } from '../../../src/sandbox/index.js';
import { Client, oneHostEach } from '../../hosts.js';
import { directQueries } from '../../hosts/direct.js';
import { shortTimer } from '../../oauth/support/fixture.js';

/** A site that listens, with its content in a folder of its own. */
export interface RunningSite {
  readonly origin: string;
  readonly file: string;
  readonly folder: string;
  readonly database: ContentDatabase;
  /** Everything that went wrong and that no client was told. */
  readonly failures: readonly unknown[];
  /** The answer to a query in formatversion 2, which is sent without a socket. */
  query(parameters: Readonly<Record<string, string>>, token?: string): Promise<Answered>;
  /** A token of a client's own, or of an owner. */
  token(username?: string): Promise<string>;
  close(): Promise<void>;
}

export type Entry = Readonly<Record<string, unknown>>;

/** An answer in formatversion 2, as far as the tests look. */
export interface Answered extends Entry {
  readonly query?: Entry;
  readonly continue?: Readonly<Record<string, string | number>>;
}

/** A list in an answer; empty when it is not there. */
export const entries = (value: unknown): readonly Entry[] => (Array.isArray(value) ? value : []);

export async function startSite(source: string | ((folder: string) => Promise<string>)): Promise<RunningSite> {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-site-'));
  const file = join(folder, 'site.db');
  const database = new ContentDatabase(file);
  await importExport(database, typeof source === 'string' ? source : await source(folder));
  const failures: unknown[] = [];
  const store = memoryStore();
  const options = (base: string) => ({ ...optionsOf(base, database, failures), issuer: base, store });
  const host = await oneHostEach[0].start({ options });
  const client = new Client(host.base);
  const send = directQueries(options(host.base), '/w/api.php');
  return {
    origin: host.origin,
    file,
    folder,
    database,
    failures,
    query: async (parameters, token) => (await send(parameters, token)).json,
    token: async (username) => {
      const form = username
        ? { grant_type: 'password', username, password: 'secret' }
        : { grant_type: 'client_credentials' };
      const { json } = await client.post('/oauth/token', { ...form, ...CLIENT });
      return String(json['access_token']);
    },
    close: async () => {
      await host.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CLIENT = { client_id: 'test', client_secret: 'test-secret' };

const optionsOf = (base: string, database: ContentDatabase, failures: unknown[]) => {
  const content = siteQuery(database);
  return {
    runtime: { timer: shortTimer },
    grants: ['client_credentials', 'password'] as const,
    scopes: { read: 'Read', bulk: { description: 'Read in bulk', rights: ['apihighlimits'] } },
    users: [{ username: 'alice', password: 'secret' }],
    clients: [{ ...CLIENT, grant_types: ['client_credentials', 'password'] as const, scope: 'read bulk' }],
    features: [
      query({
        ...content,
        path: ['/api', '/w/api.php'],
        site: { ...content.site, server: base },
      }),
      openApi(),
      sandbox(),
    ],
    onError: (error: unknown) => void failures.push(error),
    onWarning: () => undefined,
  };
};
