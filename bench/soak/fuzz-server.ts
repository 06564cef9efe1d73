/** A server with all features enabled and short lifetimes, in a process of its own. It reports its port, and its memory on request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { memoryStore } from 'oauth-query/stores/memory';
import { DEVICE_LIMITS } from '../../src/core/oauth/device/devices.js';
import { LIMITS } from '../../src/core/oauth/facts/limits.js';
import { CLIENTS, SCOPES, USERS } from '../../test/oauth/support/fixture.js';

// One address sends everything, and must not be stopped by its limits.
Object.assign(LIMITS, { clientFailures: 1000, loginFailures: 1000, sourceFailures: 1000 });
Object.assign(DEVICE_LIMITS, { deviceRequests: 1_000_000 });

const store = memoryStore();
const app = express();
app.use(
  oauthQuery({
    store,
    secret: 'a secret of the soak that has 32 characters',
    clients: CLIENTS,
    scopes: SCOPES,
    users: USERS,
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
    resources: ['https://one.example'],
    cors: ['https://spa.example'],
    // Everything expires soon, so that the store is as full at the end as at the beginning.
    lifetimes: { accessToken: 10, refreshTokenIdle: 10, refreshTokenAbsolute: 20, deviceCode: 60, session: 60 },
    onWarning: () => undefined,
    onError: (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  }),
);
const server = createServer(app);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
  process.send?.({ port });
});
process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed, records: store.size });
});
process.on('disconnect', () => process.exit());
