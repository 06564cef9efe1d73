import type { RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import * as forExpress from 'oauth-query/express';
import * as forFastify from 'oauth-query/fastify';
import * as forKoa from 'oauth-query/koa';
import { memoryStore } from 'oauth-query/stores/memory';
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

/** The options of the server, on every framework. */
export const optionsFor = ({ origin, signed }: Setup) => ({
  issuer: origin,
  secret: 'a secret of the benchmark, which is public',
  clients: [
    { ...SERVICE, grant_types: ['client_credentials' as const], scope: SCOPE },
    { ...WEB, redirect_uris: [REDIRECT_URI], scope: SCOPE },
    { ...API, grant_types: ['client_credentials' as const], introspect: true },
  ],
  scopes: { [SCOPE]: 'Read the content' },
  // Room for everything: the peers' Maps have no bound either.
  store: memoryStore({ max: 10_000_000 }),
  owner: () => ({ sub: OWNER }),
  loginUrl: '/login',
  lifetimes: {
    authorizationCode: LIFETIMES.code,
    accessToken: LIFETIMES.access,
    refreshTokenIdle: LIFETIMES.refresh,
    // The owner agrees once, on the consent page, and then to every code.
    rememberedConsent: 3600,
  },
  // One owner and one client take thousands of codes here.
  limits: { silentApprovals: 1_000_000 },
  query: { modules: { allpages: ({ limit }: { limit: number }) => ({ items: PAGES.slice(0, limit) }) } },
  onWarning: () => undefined,
  ...(signed ? { accessTokens: { format: 'jwt' as const } } : {}),
});

const credentials = { client_id: API.client_id, client_secret: API.client_secret };

/** Which guard stands before the route: the server's own, or that of another process. */
export const guardKind = ({ issuer, signed }: Setup): 'own' | 'introspection' | 'jwt' =>
  issuer === '' ? 'own' : signed ? 'jwt' : 'introspection';

const expressListener = (setup: Setup): RequestListener => {
  const app = express();
  const guards = {
    own: () => {
      const oauth = forExpress.oauthQuery(optionsFor(setup));
      app.use(oauth);
      return oauth.guard;
    },
    introspection: () => forExpress.introspectionGuard({ issuer: setup.issuer, credentials }),
    jwt: () => forExpress.jwtGuard({ issuer: setup.issuer }),
  };
  const guard = guards[guardKind(setup)]();
  return app.get(PATHS.content, guard(SCOPE), (_req, res) => void res.json(CONTENT));
};

const koaListener = (setup: Setup): RequestListener => {
  const app = new Koa();
  const guards = {
    own: () => {
      const oauth = forKoa.oauthQuery(optionsFor(setup));
      app.use(oauth);
      return oauth.guard;
    },
    introspection: () => forKoa.introspectionGuard({ issuer: setup.issuer, credentials }),
    jwt: () => forKoa.jwtGuard({ issuer: setup.issuer }),
  };
  const guard = guards[guardKind(setup)]();
  app.use(guard(SCOPE));
  app.use((ctx) => {
    if (ctx.path === PATHS.content) ctx.body = CONTENT;
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
};

const fastifyListener = async (setup: Setup): Promise<RequestListener> => {
  const app = Fastify();
  const guards = {
    own: async () => {
      const oauth = forFastify.oauthQuery(optionsFor(setup));
      await app.register(oauth);
      return oauth.guard;
    },
    introspection: async () => forFastify.introspectionGuard({ issuer: setup.issuer, credentials }),
    jwt: async () => forFastify.jwtGuard({ issuer: setup.issuer }),
  };
  const guard = await guards[guardKind(setup)]();
  app.get(PATHS.content, { onRequest: guard(SCOPE) }, async () => CONTENT);
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const made = { express: expressListener, koa: koaListener, fastify: fastifyListener };

export const listener = async (framework: Framework, setup: Setup): Promise<RequestListener> => made[framework](setup);
