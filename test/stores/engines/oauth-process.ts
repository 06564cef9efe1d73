import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { inspect } from 'node:util';
/**
 * One of several server processes on one store, for tests that race them or kill them. Its arguments are the address of the
 * store and its {@link ProcessSettings} as JSON. It prints its port, and ends with its input.
 */
import express, { type Request, type Response } from 'express';
import { assertions } from 'oauth-query/assertions';
import { storedClients } from 'oauth-query/clients';
import { oauthQuery } from 'oauth-query/express';
import { openStore } from 'oauth-query/stores/open';
import { tokenExchange } from 'oauth-query/token-exchange';
import type { Store } from '../../../src/core/base/ports.js';
import { DEVICE_LIMITS } from '../../../src/core/oauth/device/devices.js';
import { LIMITS } from '../../../src/core/oauth/facts/limits.js';
import { haltable } from './haltable.js';
import type { ProcessSettings } from './oauth-processes.js';
import { ownCluster } from './own-cluster.js';

// Whoever started this process is gone.
process.stdin.on('end', () => process.exit()).resume();

const [, , address = '', json = '{}'] = process.argv;
const settings: ProcessSettings = JSON.parse(json);
const { services = [] } = settings;
const at = (service: string): string => `https://${service}.example`;
const clock = (): number => Date.now() + (settings.ahead ?? 0);
const abandoned: unknown[] = [];
const onError = (error: unknown): void => {
  if (/A request was abandoned|The process stood still/.test(String(error))) abandoned.push(error);
  else if (settings.quiet !== true) console.error(error);
};
async function open(): Promise<Store> {
  const { driver, ownClient } = settings;
  if (ownClient === true) return ownCluster(address, driver);
  const opened = await openStore(address, { clock, onError, ...(driver === undefined ? {} : { driver }) });
  // On a full machine, the first connection takes longer than a call may.
  for (let attempt = 1; ; attempt += 1) {
    try {
      await opened.migrate();
      return opened;
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

const opened = await open();
const halting = haltable(opened, async () => {
  console.log('halted');
  await once(process.stdin, 'data');
});
const store = settings.lists === true ? opened : halting.store;

function hasLine(): boolean {
  try {
    return readSync(0, Buffer.alloc(64)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}

const app = express();
app.get('/halt', ({ query }, response) => {
  halting.haltAt(Number(query['call']), query['moment'] === 'before' ? 'before' : 'after');
  response.json({});
});
app.get('/abandoned', (_request, response) => void response.json({ count: abandoned.length }));
// Long work of the application, without a pause, until a line comes.
app.get('/block', (_request, response) => {
  response.json({});
  setImmediate(() => {
    writeSync(1, 'blocked\n');
    while (!hasLine()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  });
});
app.get('/calls', (_request, response) => void response.json({ calls: halting.calls }));
// All owners of this test come from one address at the same moment, and one of them agrees to every code.
Object.assign(LIMITS, { silentApprovals: 1e6, unprovenRecords: 1e6 });
Object.assign(DEVICE_LIMITS, { userCodeFailures: 100, deviceRequests: 1e6 });
const oauth = oauthQuery({
  store,
  runtime: { clock },
  issuer: 'http://127.0.0.1:9',
  secret: 'the secret that all processes of this test share',
  clients: [
    { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['http://127.0.0.1/cb'] },
    { client_id: 'tv', grant_types: ['device_code'], refresh: 'rotating' },
    { client_id: 'service', client_secret: 'service-secret' },
    { client_id: 'api', client_secret: 'api-secret', introspect: true },
    ...(settings.partnerKey === undefined
      ? []
      : [
          {
            client_id: 'partner',
            client_secret: 'partner-secret',
            grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'] as const,
          },
        ]),
    ...services.map((name) => ({
      client_id: name,
      client_secret: `${name}-secret`,
      audience: at(name),
      grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] as const,
    })),
    storedClients(store),
  ],
  resources: Object.fromEntries(services.map((name) => [at(name), { name }])),
  features: [
    ...(settings.partnerKey === undefined
      ? []
      : [
          assertions({
            issuers: [
              {
                ...{ issuer: 'https://partner.example', jwks: { keys: [settings.partnerKey] } },
                owner: () => ({ sub: 'alice' }),
              },
            ],
          }),
        ]),
    ...(services.length === 0
      ? []
      : [
          tokenExchange({
            from: Object.fromEntries(services.map((name) => [name, services.filter((one) => one !== name).map(at)])),
            depth: 8,
          }),
        ]),
  ],
  ...(settings.signingKey !== undefined && { jwt: [{ key: settings.signingKey }] }),
  scopes: { read: 'Read' },
  ...(settings.users === true
    ? {
        users: {
          authenticate: (username, password) => password === 'right' && { sub: `sub-of-${username}`, username },
        },
      }
    : // The login of this host is a header.
      { owner: (request: Request) => ({ sub: request.get('x-owner') ?? 'alice' }), loginUrl: '/login' }),
  lifetimes: {
    // One consent is enough for all codes of an owner.
    rememberedConsent: 3_600,
    authorizationCode: settings.authorizationCode ?? 600,
    // Unless a test wants another window, every second use is refused, and every first one can be looked at afterwards.
    refreshGrace: settings.refreshGrace ?? 0,
    codeReplayTolerance: settings.codeReplayTolerance ?? 60,
  },
  onError,
});
app.use(oauth);
const answer = (response: Response, work: Promise<object>): void => {
  work.then(
    (json) => response.json(json),
    (error: unknown) => response.status(500).json({ error: inspect(error) }),
  );
};
app.get('/revoke-all', ({ query }, response) => {
  const { sub, client_id } = query;
  answer(
    response,
    oauth.grants
      .revoke(sub === undefined ? { client_id: String(client_id) } : { sub: String(sub) })
      .then((ended) => ({ ended })),
  );
});
app.get('/issue', ({ query }, response) => {
  const { sub, resource } = query;
  answer(response, oauth.issue({ sub: String(sub), client_id: 'web', scope: ['read'], resource: String(resource) }));
});
app.get('/erase', ({ query }, response) => answer(response, oauth.owners.erase(String(query['sub']))));
app.get('/sign-out', ({ query }, response) => {
  answer(
    response,
    oauth.owners.signOut(String(query['sub'])).then(() => ({})),
  );
});
app.get('/export', ({ query }, response) => {
  answer(
    response,
    (async () => {
      const records: object[] = [];
      for await (const record of oauth.owners.export(String(query['sub']))) records.push(record);
      return { records };
    })(),
  );
});
app.get('/guarded', oauth.guard('read'), (_request, response) => void response.json({ ok: true }));

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`);
});
// Longer than any test: a kept connection must not end just when its client sends something.
server.keepAliveTimeout = 600_000;
