/**
 * The process that is measured: `node server.js <framework> <candidate> <issuer> <signed>`, talking to its parent over
 * IPC.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BARE, type Framework, frameworks, FRONT, MINIMUM, OURS } from '../candidates.js';
import type { Setup } from './setting.js';

type Listener = (framework: Framework, setup: Setup) => Promise<RequestListener>;

/** Each candidate loads only what it needs. */
const listeners: Readonly<Record<string, () => Promise<{ listener: Listener }>>> = {
  [BARE]: () => import('./bare.js'),
  [MINIMUM]: () => import('./minimum.js'),
  [OURS]: () => import('./oauth-query.js'),
  [FRONT]: () => import('./oauth-query-front.js'),
  '@node-oauth/oauth2-server': () => import('./node-oauth.js'),
  '@jmondi/oauth2-server': () => import('./jmondi.js'),
  'oidc-provider': () => import('./oidc-provider.js'),
  'express-oauth2-jwt-bearer': () => import('./express-oauth2-jwt-bearer.js'),
  'koa-jwt': () => import('./koa-jwt.js'),
  '@fastify/jwt': () => import('./fastify-jwt.js'),
};

const [given, candidate = '', issuer = '', signed] = process.argv.slice(2);
const framework = frameworks.find((name) => name === given);
const load = listeners[candidate];
if (framework === undefined || load === undefined) {
  throw new TypeError(`There is no candidate ${candidate} on the framework ${given}.`);
}

let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => listener(request, response));
server.listen(0, '127.0.0.1', () => {
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  void load()
    .then((candidateModule) => candidateModule.listener(framework, { issuer, signed: signed === 'true', origin }))
    .then((made) => {
      listener = made;
      process.send?.({ port });
    });
});

process.on('message', (question) => {
  if (question === 'heap') {
    // Twice: what the first collection frees may have kept something else alive.
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed + external });
  } else {
    process.send?.({ cpu: process.cpuUsage() });
  }
});
// With `--cpu-prof` the profile is written when the process ends by itself.
process.on('disconnect', () => process.exit(0));
