import { createServer, type IncomingMessage } from 'node:http';
import Router from '@koa/router';
import express from 'express';
import fastify, { type FastifyRequest } from 'fastify';
import Koa, { type Context, type DefaultState } from 'koa';
import mount from 'koa-mount';
import { type Authorization, customGrant, type Owner, type OwnerGrants } from 'oauth-query';
import {
  type GuardedLocals,
  type GuardedRouter,
  oauthQuery as forExpress,
  type OAuthQueryOptions,
} from 'oauth-query/express';
import type { OAuthQueryOptions as FastifyOptions } from 'oauth-query/fastify';
import { type GuardedRoute, oauthQuery as forFastify } from 'oauth-query/fastify';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import type { OAuthQueryOptions as KoaOptions } from 'oauth-query/koa';
import { oauthQuery as forKoa } from 'oauth-query/koa';
import { oauthQuery as forNode } from 'oauth-query/node';
import { memoryStore } from 'oauth-query/stores/memory';
import { expectTypeOf } from 'vitest';

// No options at all are fine, and the options are the same but for the request that `owner` gets.
expectTypeOf(forExpress).toBeCallableWith();
expectTypeOf(forKoa).toBeCallableWith();
expectTypeOf(forFastify).toBeCallableWith();
forExpress({ loginUrl: '/login', owner: (req) => expectTypeOf(req).toEqualTypeOf<express.Request>() && undefined });
forKoa({ loginUrl: '/login', owner: (ctx) => expectTypeOf(ctx).toEqualTypeOf<Context>() && undefined });
forFastify({ loginUrl: '/login', owner: async ({ ip, headers }) => ({ sub: ip, username: headers.host ?? '' }) });
// @ts-expect-error an owner has a sub
forExpress({ loginUrl: '/login', owner: () => ({ username: 'alice' }) });
// @ts-expect-error there is no such option
forExpress({ client: [] });
// @ts-expect-error a client has a client_id
forKoa({ clients: [{ client_secret: 'x' }] });
expectTypeOf<Omit<OAuthQueryOptions, 'owner'>>().toExtend<KoaOptions>();
expectTypeOf<Omit<OAuthQueryOptions, 'owner'>>().toExtend<FastifyOptions>();

// A grant of the host's own knows the names of its parameters, and which of them are always there.
forExpress({
  clients: [{ client_id: 'gateway', client_secret: 'x', grant_types: ['urn:example:grant'] }],
  features: [
    customGrant('urn:example:grant', {
      parameters: { ticket: { required: true }, note: {} },
      handle: ({ parameters }) => {
        expectTypeOf(parameters).toEqualTypeOf<{ readonly ticket: string; readonly note: string | undefined }>();
        // @ts-expect-error there is no such parameter
        expectTypeOf(parameters.tickets).toBeAny();
        return { sub: parameters.ticket };
      },
    }),
    // @ts-expect-error an answer has no subject
    customGrant('urn:example:wrong', { handle: () => ({ subject: 'alice' }) }),
    customGrant('urn:example:plain', {
      parameters: { ticket: {} },
      handle: ({ parameters }) => ({ sub: parameters.ticket ?? '' }),
    }),
  ],
});
// @ts-expect-error a grant of the host's own is named by a URI
forExpress({ clients: [{ client_id: 'gateway', grant_types: ['voucher'] }] });

// Express: `req.auth` is known everywhere, and is there behind a guard.
{
  const oauth = forExpress();
  const app = express();
  app.use(oauth).use('/auth', oauth).use(oauth.wellKnown);
  app.get('/me/:id', oauth.guard('profile'), (req, res) => {
    expectTypeOf(req.auth).toEqualTypeOf<Authorization>();
    // The guard does not hide what Express knows by itself.
    expectTypeOf(req.params.id).toEqualTypeOf<string>();
    res.json(req.auth.sub);
  });
  app.get('/open', (req) => expectTypeOf(req.auth).toEqualTypeOf<Authorization | undefined>());
  // The guard may stand anywhere before the handler, on a router and in `use`.
  app.get('/me', express.json(), oauth.guard('a'), oauth.guard('b'), (req) =>
    expectTypeOf(req.auth).not.toBeNullable(),
  );
  express.Router().post('/me', oauth.guard.any(), (req) => expectTypeOf(req.auth).toEqualTypeOf<Authorization>());
  app.use('/me', oauth.guard.any(), (req) => expectTypeOf(req.auth).toEqualTypeOf<Authorization>());
  // A handler that is written for any request, and types of the application's own, still fit.
  const plain = (req: express.Request): string | undefined => req.auth?.sub;
  app.get('/me', oauth.guard.any(), (req) => plain(req));
  app.get('/me', oauth.guard.any(), plain);
  interface Locals {
    readonly user: string;
  }
  app.get<object, string, object, object, Locals & GuardedLocals>('/me', oauth.guard.any(), (req, res) => {
    expectTypeOf(req.auth).toEqualTypeOf<Authorization>();
    expectTypeOf(res.locals.user).toEqualTypeOf<string>();
  });
  app.get<object, string, object, object, Locals>('/me', oauth.guard.any(), (req) => {
    expectTypeOf(req.auth).toEqualTypeOf<Authorization | undefined>();
  });
  const photos: GuardedRouter = express.Router();
  photos.use(oauth.guard('profile'));
  photos.get('/:id', (req, res) => {
    expectTypeOf(req.auth).toEqualTypeOf<Authorization>();
    expectTypeOf(req.params.id).toEqualTypeOf<string>();
    res.json({ of: req.auth.sub });
  });
  app.use('/photos', photos);
  app.use('/admin', oauth.guard(['a', 'b'], { audience: ['https://api.example'] }), express.Router());
  // @ts-expect-error a scope is text
  oauth.guard(1);
  // @ts-expect-error there is no such option
  oauth.guard('profile', { scope: 'x' });
}

// Koa: behind a guard `ctx.state.auth` is there, and what the app has put into the state stays known.
{
  const oauth = forKoa();
  const app = new Koa();
  app.use(oauth).use(mount('/auth', oauth)).use(oauth.wellKnown);
  app.use(oauth.guard('profile')).use((ctx) => {
    expectTypeOf(ctx.state.auth).toEqualTypeOf<Authorization>();
  });
  new Koa<DefaultState & { readonly user: string }>().use(oauth.guard.any()).use((ctx) => {
    expectTypeOf(ctx.state.auth.scope).toEqualTypeOf<string>();
    expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
  });
  new Router().get('/me', oauth.guard('profile'), (ctx) => {
    expectTypeOf(ctx.state.auth).toEqualTypeOf<Authorization>();
  });
}

// Fastify: `request.auth` is known everywhere, and is there behind a guard, which fits each hook before the handler.
{
  const oauth = forFastify();
  const app = fastify();
  app.register(oauth);
  app.register(oauth, { prefix: '/auth' });
  app.register(oauth.wellKnown);
  // @ts-expect-error there is no such option
  app.register(oauth, { path: '/auth' });
  const guard = oauth.guard('profile');
  app.addHook('onRequest', guard);
  for (const hooks of [{ onRequest: guard }, { preValidation: guard }, { preHandler: [guard, oauth.guard('a b')] }])
    app.get('/me', hooks, async ({ auth }) => expectTypeOf(auth).toEqualTypeOf<Authorization>());
  app.get('/open', async ({ auth }) => expectTypeOf(auth).toEqualTypeOf<Authorization | undefined>());
  // A route that names its types says so itself; without that the authorization may be absent.
  interface Route {
    readonly Params: { readonly id: string };
  }
  app.get<Route & GuardedRoute>('/me/:id', { onRequest: guard }, async ({ auth, params }) => {
    expectTypeOf(params.id).toEqualTypeOf<string>();
    return expectTypeOf(auth).toEqualTypeOf<Authorization>();
  });
  app.get<Route>('/me/:id', { preHandler: [guard] }, async ({ auth }) =>
    expectTypeOf(auth).toEqualTypeOf<Authorization | undefined>(),
  );
  const plain = (request: FastifyRequest): string | undefined => request.auth?.sub;
  app.get('/me', { preHandler: guard }, async (request) => plain(request));
}

// Without a framework the guard calls what answers, so that nothing passes where its result is not looked at.
expectTypeOf(forNode().guard('profile')).parameter(2).parameter(0).toEqualTypeOf<Authorization>();
expectTypeOf(forFetch().guard('profile')).parameter(1).parameter(0).toEqualTypeOf<Authorization>();
expectTypeOf(forFetch().guard.any()).returns.toEqualTypeOf<Promise<Response>>();
// @ts-expect-error A scope that may be missing is not one.
forNode().guard(undefined);
// @ts-expect-error An empty list would let any token pass.
forFetch().guard([]);
// @ts-expect-error The same without a request.
void forFetch().check('token', {});
expectTypeOf(forFetch().fetch).returns.toEqualTypeOf<Promise<Response> | undefined>();
forNode({ loginUrl: '/login', owner: (req) => expectTypeOf(req).toEqualTypeOf<IncomingMessage>() && undefined });
forFetch({ loginUrl: '/login', owner: (req) => expectTypeOf(req).toEqualTypeOf<Request>() && undefined });
createServer(forNode());
express().use(forNode());

expectTypeOf(forExpress().grants).toEqualTypeOf<OwnerGrants>();
expectTypeOf(forKoa().grants).toEqualTypeOf<OwnerGrants>();
expectTypeOf(forFastify().grants).toEqualTypeOf<OwnerGrants>();

// Routes with types of their own may pass their requests, and what has only the headers of one.
type SignedIn = Promise<Owner | undefined>;
declare const typed: express.Request<{ id: string }, { a: 1 }, { b: 2 }, { c: '3' }, { d: 4 }>;
expectTypeOf(forExpress().owner(typed)).toEqualTypeOf<SignedIn>();
new Router<{ user: string }>().get('/', async (ctx) => expectTypeOf(forKoa().owner(ctx)).toEqualTypeOf<SignedIn>());
fastify().get<{ Params: { id: string }; Headers: { a: '1' } }>('/', async (request) =>
  expectTypeOf(forFastify().owner(request)).toEqualTypeOf<SignedIn>(),
);
createServer((req) => expectTypeOf(forNode().owner(req)).toEqualTypeOf<SignedIn>());
expectTypeOf(forFetch().owner({ headers: new Headers() })).toEqualTypeOf<SignedIn>();
// @ts-expect-error a Request of fetch is not one of Node
void forNode().owner(new Request('http://127.0.0.1'));

// With exactOptionalPropertyTypes, what only production has need not be spread.
const production: { readonly store?: ReturnType<typeof memoryStore> } = {};
forExpress({
  store: production.store,
  secret: process.env['SECRET'],
  runtime: { clock: undefined, random: undefined },
});
