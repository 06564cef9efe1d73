/**
 * One of several server processes on one store, for tests that race them or kill them. Its only argument is where the store is:
 * `sqlite:<file>`, `redis://…`, `redis-cluster:<url>,<url>,…` or `postgres://…`. It prints its port, and ends with its input.
 */
import express, { type Request } from 'express';
import { createClient, createCluster } from 'redis';
import pg from 'pg';
import { oauthQuery } from 'oauth-query/express';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import type { Store } from '../../../src/core/ports.js';

// Whoever started this process is gone.
process.stdin.on('end', () => process.exit()).resume();

async function openStore(where: string): Promise<Store> {
  const list = where.slice(where.indexOf(':') + 1);
  if (where.startsWith('sqlite:')) return sqliteStore({ file: list });
  if (where.startsWith('redis-cluster:')) {
    const cluster = createCluster({ rootNodes: list.split(',').map((url) => ({ url })) });
    cluster.on('error', () => undefined);
    await cluster.connect();
    return redisStore({ sendCommand: (args, key) => cluster.sendCommand(key, false, args) });
  }
  if (where.startsWith('redis:')) {
    const client = createClient({ url: where, disableOfflineQueue: true });
    client.on('error', () => undefined);
    await client.connect();
    return redisStore({ sendCommand: (args) => client.sendCommand(args) });
  }
  const pool = new pg.Pool({ connectionString: where });
  pool.on('error', () => undefined);
  const store = postgresStore({ query: (text, values) => pool.query(text, values) });
  await store.migrate();
  return store;
}

const app = express();
const oauth = oauthQuery({
  store: await openStore(process.argv[2] ?? ''),
  issuer: 'http://127.0.0.1:9',
  secret: 'the secret that all processes of this test share',
  clients: [
    { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['http://127.0.0.1/cb'] },
    { client_id: 'tv', grant_types: ['device_code'], refresh: 'rotating' },
    { client_id: 'service', client_secret: 'service-secret' },
    { client_id: 'api', client_secret: 'api-secret', introspect: true },
  ],
  scopes: { read: 'Read' },
  // All owners of this test come from one address at the same moment.
  limits: { userCodeFailures: 100 },
  // The login of this host is a header.
  owner: (request: Request) => ({ sub: request.get('x-owner') ?? 'alice' }),
  loginUrl: '/login',
  lifetimes: {
    // One consent is enough for all codes of an owner.
    rememberedConsent: 3_600,
    authorizationCode: 600,
    // Every second use is refused, and every first one can be looked at afterwards.
    refreshGrace: 0,
    codeReplayTolerance: 60,
  },
  onError: (error) => console.error(error),
});
app.use(oauth);
app.get('/guarded', oauth.guard('read'), (_request, response) => void response.json({ ok: true }));

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`);
});
