import type { RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import type { ServerOptions } from 'oauth-query';
import * as forExpress from 'oauth-query/express';
import * as forFastify from 'oauth-query/fastify';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import * as forKoa from 'oauth-query/koa';
import { query } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';
import { openStore } from 'oauth-query/stores/open';
import type { Framework } from '../candidates.js';
import {
  API,
  CONTENT,
  LIFETIMES,
  OWNER,
  PAGES,
  PATHS,
  REDIRECT_URI,
  SCOPE,
  SERVICE,
  WEB,
  type Setup,
} from './setting.js';

async function storeAt(url: string | undefined) {
  // Without a practical limit: the peers' Maps have none either.
  if (url === undefined) return memoryStore({ max: 10_000_000 });
  const store = await openStore(url);
  await store.migrate();
  await store.check();
  return store;
}

// One owner and one client request thousands of codes. No option lifts the limit, because no site needs that.
const { LIMITS } = await import(new URL('./oauth/facts/limits.js', import.meta.resolve('oauth-query')).href);
LIMITS.silentApprovals = 1_000_000;

/** The options of the server, on every framework. */
export const optionsFor = async ({ origin, signed, store }: Setup) => ({
  issuer: origin,
  secret: 'a secret of the benchmark, which is public',
  clients: [
    { ...SERVICE, grant_types: ['client_credentials' as const], scope: SCOPE },
    { ...WEB, redirect_uris: [REDIRECT_URI], scope: SCOPE },
    { ...API, grant_types: ['client_credentials' as const], introspect: true },
  ],
  scopes: { [SCOPE]: 'Read the content' },
  store: await storeAt(store),
  owner: () => ({ sub: OWNER }),
  loginUrl: '/login',
  lifetimes: {
    authorizationCode: LIFETIMES.code,
    accessToken: LIFETIMES.access,
    refreshTokenIdle: LIFETIMES.refresh,
    // The owner allows access once, on the consent page; later codes need no question.
    rememberedConsent: 3600,
  },
  features: [query({ modules: { allpages: ({ limit }: { limit: number }) => ({ items: PAGES.slice(0, limit) }) } })],
  onWarning: () => undefined,
  ...(signed ? { jwt: true as const } : {}),
});

/** The options of a server for a setup. */
export type OptionsFor = (setup: Setup) => Promise<Omit<ServerOptions, 'runtime'>>;

const credentials = { client_id: API.client_id, client_secret: API.client_secret };

/** Which guard protects the route: the server's own, or one for another process. */
const guardKind = ({ issuer, signed }: Setup): 'own' | 'introspection' | 'jwt' =>
  issuer === '' ? 'own' : signed ? 'jwt' : 'introspection';

const expressListener = async (setup: Setup, optionsOf: OptionsFor): Promise<RequestListener> => {
  const app = express();
  const guards = {
    own: async () => {
      const oauth = forExpress.oauthQuery(await optionsOf(setup));
      app.use(oauth);
      return oauth.guard;
    },
    introspection: async () => forExpress.remoteGuard(introspectionVerifier({ issuer: setup.issuer, credentials })),
    jwt: async () => forExpress.remoteGuard(jwtVerifier({ issuer: setup.issuer })),
  };
  const guard = await guards[guardKind(setup)]();
  // With the peers, another copy of the types of Express is installed here.
  const protect = guard(SCOPE) as unknown as express.RequestHandler;
  return app.get(PATHS.content, protect, (_req, res) => void res.json(CONTENT));
};

const koaListener = async (setup: Setup, optionsOf: OptionsFor): Promise<RequestListener> => {
  const app = new Koa();
  const guards = {
    own: async () => {
      const oauth = forKoa.oauthQuery(await optionsOf(setup));
      app.use(oauth);
      return oauth.guard;
    },
    introspection: async () => forKoa.remoteGuard(introspectionVerifier({ issuer: setup.issuer, credentials })),
    jwt: async () => forKoa.remoteGuard(jwtVerifier({ issuer: setup.issuer })),
  };
  const guard = await guards[guardKind(setup)]();
  app.use(guard(SCOPE));
  app.use((ctx) => {
    if (ctx.path === PATHS.content) ctx.body = CONTENT;
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
};

const fastifyListener = async (setup: Setup, optionsOf: OptionsFor): Promise<RequestListener> => {
  const app = Fastify();
  const guards = {
    own: async () => {
      const oauth = forFastify.oauthQuery(await optionsOf(setup));
      await app.register(oauth);
      return oauth.guard;
    },
    introspection: async () => forFastify.remoteGuard(introspectionVerifier({ issuer: setup.issuer, credentials })),
    jwt: async () => forFastify.remoteGuard(jwtVerifier({ issuer: setup.issuer })),
  };
  const guard = await guards[guardKind(setup)]();
  app.get(PATHS.content, { onRequest: guard(SCOPE) }, async () => CONTENT);
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const made = { express: expressListener, koa: koaListener, fastify: fastifyListener };

export const listener = async (
  framework: Framework,
  setup: Setup,
  optionsOf: OptionsFor = optionsFor,
): Promise<RequestListener> => made[framework](setup, optionsOf);
