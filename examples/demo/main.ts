/** A small site with everything switched on: an authorization server, its clients and owners, and guarded routes. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BuildApp } from './app.js';
import { siteQuery, type Database } from '../site/index.js';
import { Complaint } from './complaint.js';
import { openContent } from './content.js';
import { drainable } from './drain.js';
import { callbackPage, guide } from './guide.js';
import { type Framework, readSettings, type Settings } from './settings.js';
import { SITE } from './site.js';
import { type OpenStore, openStore } from './store.js';

const listen = async (server: Server, { host, port }: Settings): Promise<string> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new Complaint(`Port ${port} is in use. Take another one, for example: PORT=${port + 1} npm start`);
    if (code === 'EACCES')
      throw new Complaint(`Port ${port} needs special rights. Take one from 1024 on: PORT=3000 npm start`);
    throw error;
  }
  const address = server.address() as AddressInfo; // It listens on a port and not on a pipe.
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
};

/** Only the framework that is wanted is loaded. */
const FRAMEWORK_APPS: Readonly<Record<Framework, () => Promise<{ readonly buildApp: BuildApp }>>> = {
  express: () => import('./express.js'),
  koa: () => import('./koa.js'),
  fastify: () => import('./fastify.js'),
};

const createApp = async (
  settings: Settings,
  base: string,
  store: OpenStore,
  content: Database,
): Promise<RequestListener> => {
  const { buildApp } = await FRAMEWORK_APPS[settings.framework]();
  const query = siteQuery(content);
  try {
    return await buildApp({
      options: {
        ...SITE,
        store: store.store,
        issuer: settings.issuer ?? base,
        lifetimes: settings.lifetimes,
        query: { ...query, site: { ...query.site, server: settings.issuer ?? base } },
      },
      pages: { '/': () => guide(base), '/callback': (query) => callbackPage(base, query) },
    });
  } catch (error) {
    // The library's own sentence about ISSUER or a lifetime that it does not accept.
    if (error instanceof TypeError) throw new Complaint(error.message);
    throw error;
  }
};

const start = async (): Promise<void> => {
  const settings = readSettings(process.env);
  const content = await openContent(process.argv[2]);
  const store = await openStore(settings.store);
  const server = createServer();
  const drain = drainable(server);
  const base = await listen(server, settings);
  const app = createApp(settings, base, store, content);
  // Who asks before the app is there waits for it.
  server.on('request', (req, res) => void app.then((listener) => listener(req, res)));
  await app;

  // The store is needed until the last request has its answer.
  const stop = (): void => void drain().then(() => store.close().finally(() => content.close()));
  process.once('SIGINT', stop).once('SIGTERM', stop);

  console.log(`oauth-query demo on ${settings.framework}, store ${withoutPassword(settings.store)}: ${base}

It listens on this machine only, and has to: everybody knows its secrets.

${guide(base)}`);
};

const withoutPassword = (store: string): string => store.replace(/\/\/[^@/]*@/, '//');

try {
  await start();
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  console.error(error.message);
  process.exit(1);
}
