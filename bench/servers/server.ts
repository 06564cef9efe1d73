/** The measured process: `node server.js <ServerTask as JSON>`. It answers its parent's questions over IPC. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { BARE, FEATURES, type Framework, FRONT, ID_TOKEN, MINIMUM, MINIMUM_PLUS, OURS } from '../candidates.js';
import type { ServerTask, Setup } from './setting.js';

type Listener = (framework: Framework, setup: Setup) => Promise<RequestListener>;

/** Each candidate loads only what it needs. */
const listeners: Readonly<Record<string, () => Promise<{ listener: Listener }>>> = {
  [BARE]: () => import('./bare.js'),
  [MINIMUM]: () => import('./minimum.js'),
  [MINIMUM_PLUS]: () => import('./minimum-plus.js'),
  [OURS]: () => import('./oauth-query.js'),
  [FRONT]: () => import('./oauth-query-front.js'),
  [FEATURES]: () => import('./oauth-query-features.js'),
  [ID_TOKEN]: () => import('./oauth-query-features.js'),
  '@node-oauth/oauth2-server': () => import('./node-oauth.js'),
  '@jmondi/oauth2-server': () => import('./jmondi.js'),
  'oidc-provider': () => import('./oidc-provider.js'),
  'express-oauth2-jwt-bearer': () => import('./express-oauth2-jwt-bearer.js'),
  'koa-jwt': () => import('./koa-jwt.js'),
  '@fastify/jwt': () => import('./fastify-jwt.js'),
};

// Written by `MeasuredServer`, which starts this process.
const { framework, candidate, issuer, signed, store, origin, certificate } = JSON.parse(
  process.argv[2] ?? '{}',
) as ServerTask;
const load = listeners[candidate];
if (load === undefined) throw new TypeError(`There is no candidate ${candidate}.`);

let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A TCP server that listens has an address with a port.
  return (server.address() as AddressInfo).port;
};
// A connection may be idle for as long as the other candidates take.
const settings = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
const answer: RequestListener = (request, response) => listener(request, response);
const port = await listening(createServer(settings, answer));
const tls = { cert: certificate?.cert, key: certificate?.key, minVersion: 'TLSv1.3' } as const;
const tlsPort =
  certificate === undefined ? undefined : await listening(createTlsServer({ ...settings, ...tls }, answer));
listener = await (
  await load()
).listener(framework, { issuer, signed, store, origin: origin ?? `http://127.0.0.1:${port}` });
process.send?.({ port, tlsPort });

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

process.on('message', (question) => {
  if (question === 'heap') {
    // Twice, because what the first collection frees may have kept other objects alive.
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed + external });
  } else if (question === 'allocated') {
    process.send?.({ allocated: { used: process.memoryUsage().heapUsed, collections } });
  } else {
    process.send?.({ cpu: process.cpuUsage() });
  }
});
// With `--cpu-prof` the profile is written when the process ends by itself.
process.on('disconnect', () => process.exit(0));
