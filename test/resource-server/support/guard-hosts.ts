import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import koa3 from 'koa';
import koa2 from 'koa2';
import * as forExpress from '../../../src/adapters/express/index.js';
import * as forFastify from '../../../src/adapters/fastify/index.js';
import * as forFetch from '../../../src/adapters/fetch/index.js';
import * as forKoa from '../../../src/adapters/koa/index.js';
import * as forNode from '../../../src/adapters/node/index.js';
import {
  type IntrospectionVerifierOptions,
  introspectionVerifier,
  type JwtVerifierOptions,
  jwtVerifier,
  type Verifier,
} from '../../../src/resource-server/index.js';
import { type Answer, bearer, Client } from '../../hosts.js';
import { guardWith } from '../../hosts/guard-with.js';
import { listen } from '../../hosts/listen.js';

export const PHOTOS = 'https://photos.example/api';

/** `/<name>` → what it asks for. */
const ROUTES = {
  open: { scope: [] },
  profile: { scope: 'profile' },
  write: { scope: ['content.write', 'profile'] },
  photos: { scope: 'content.read', audience: PHOTOS },
} as const;

export type Setup = { readonly introspection: IntrospectionVerifierOptions } | { readonly jwt: JwtVerifierOptions };

type Adapter<Guard> = { readonly remoteGuard: (verifier: Verifier) => Guard };

const guardOf = <Guard>({ remoteGuard }: Adapter<Guard>, setup: Setup): Guard =>
  remoteGuard('jwt' in setup ? jwtVerifier(setup.jwt) : introspectionVerifier(setup.introspection));

/** The metadata of a guard's resource is mounted where the guard has one. */
const hasResource = (setup: Setup): boolean =>
  ('jwt' in setup ? setup.jwt : setup.introspection).resource !== undefined;

interface App {
  readonly listener: RequestListener;
  readonly guard: { close(): void };
}

const express =
  (framework: typeof express5) =>
  async (setup: Setup): Promise<App> => {
    const guard = guardOf(forExpress, setup);
    const app = framework();
    if (hasResource(setup)) app.use(guard.metadata);
    for (const [name, { scope, ...more }] of Object.entries(ROUTES)) {
      app.get(`/${name}`, guardWith(guard, scope, more), (req, res) => void res.json({ auth: req.auth }));
    }
    return { listener: app, guard };
  };

const koa =
  (Framework: typeof koa3) =>
  async (setup: Setup): Promise<App> => {
    const guard = guardOf(forKoa, setup);
    const app = new Framework();
    if (hasResource(setup)) app.use(guard.metadata);
    const routes = new Map(
      Object.entries(ROUTES).map(([name, { scope, ...more }]) => [`/${name}`, guardWith(guard, scope, more)]),
    );
    app.use(async (ctx, next) => routes.get(ctx.path)?.(ctx as Parameters<ReturnType<forKoa.RemoteGuard>>[0], next)); // The guard fills the state.
    app.use((ctx) => {
      ctx.body = { auth: ctx.state['auth'] as unknown };
    });
    const callback = app.callback();
    return { listener: (req, res) => void callback(req, res), guard };
  };

const fastifyApp = async (setup: Setup): Promise<App> => {
  const guard = guardOf(forFastify, setup);
  const app = fastify();
  if (hasResource(setup)) app.register(guard.metadata);
  for (const [name, { scope, ...more }] of Object.entries(ROUTES)) {
    app.get(`/${name}`, { onRequest: guardWith(guard, scope, more) }, async (request) => ({ auth: request.auth }));
  }
  await app.ready();
  return { listener: app.routing, guard };
};

const nodeApp = async (setup: Setup): Promise<App> => {
  const guard = guardOf(forNode, setup);
  const routes = new Map(
    Object.entries(ROUTES).map(([name, { scope, ...more }]) => [`/${name}`, guardWith(guard, scope, more)]),
  );
  const answer = async (...[req, res]: Parameters<RequestListener>): Promise<void> => {
    const protect = routes.get(req.url ?? '');
    if (protect === undefined) return void res.writeHead(404).end();
    await protect(req, res, (auth) => res.setHeader('content-type', 'application/json').end(JSON.stringify({ auth })));
  };
  const metadata = hasResource(setup) ? guard.metadata : undefined;
  const listener: RequestListener = (req, res) =>
    metadata === undefined ? void answer(req, res) : metadata(req, res, () => void answer(req, res));
  return { listener, guard };
};

const fetchApp = async (setup: Setup): Promise<App> => {
  const guard = guardOf(forFetch, setup);
  const routes = new Map(
    Object.entries(ROUTES).map(([name, { scope, ...more }]) => [`/${name}`, guardWith(guard, scope, more)]),
  );
  const metadata = hasResource(setup) ? guard.metadata : undefined;
  const answer = async (request: Request): Promise<Response> => {
    const guarded = routes.get(new URL(request.url).pathname);
    return guarded?.(request, (auth) => Response.json({ auth })) ?? new Response('', { status: 404 });
  };
  const listener = getRequestListener((request) => metadata?.(request) ?? answer(request));
  return { listener: (req, res) => void listener(req, res), guard };
};

const FRAMEWORKS = {
  express5: express(express5),
  express4: express(express4),
  koa3: koa(koa3),
  koa2: koa(koa2),
  fastify5: fastifyApp,
  node: nodeApp,
  fetch: fetchApp,
};

/** A resource server that listens. */
export interface ResourceServer {
  /** The root of the host. */
  readonly client: Client;
  get(route: keyof typeof ROUTES, token: string): Promise<Answer>;
  /** Sends the header as it is. */
  getWith(authorization: string): Promise<Answer>;
  /** Requests that have come so far. */
  readonly requests: number;
  closeGuard(): void;
  close(): void;
}

export interface GuardHost {
  readonly name: keyof typeof FRAMEWORKS;
  start(setup: Setup): Promise<ResourceServer>;
}

const start = async (name: keyof typeof FRAMEWORKS, setup: Setup): Promise<ResourceServer> => {
  const { listener, guard } = await FRAMEWORKS[name](setup);
  let requests = 0;
  const { origin, close } = await listen((req, res) => {
    requests += 1;
    listener(req, res);
  });
  const client = new Client(origin);
  return {
    client,
    get: (route, token) => client.get(`/${route}`, bearer(token)),
    getWith: (authorization) => client.get('/open', { authorization }),
    get requests() {
      return requests;
    },
    closeGuard: () => guard.close(),
    close: () => {
      guard.close();
      close();
    },
  };
};

const NAMES = Object.keys(FRAMEWORKS) as (keyof typeof FRAMEWORKS)[]; // Its own keys.

/** Each framework in each version. */
export const guardHosts: readonly GuardHost[] = NAMES.map((name) => ({ name, start: (setup) => start(name, setup) }));

/** For what does not depend on the framework. */
export const oneGuardHost: GuardHost = { name: 'fastify5', start: (setup) => start('fastify5', setup) };
