import Router from '@koa/router';
import express from 'express';
import fastify from 'fastify';
import Koa, { type Context, type DefaultState } from 'koa';
import mount from 'koa-mount';
import type { Authorization } from 'oauth-query';
import { oauthQuery as forExpress, type OAuthQueryOptions } from 'oauth-query/express';
import { oauthQuery as forFastify } from 'oauth-query/fastify';
import { oauthQuery as forKoa } from 'oauth-query/koa';
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
expectTypeOf<Omit<OAuthQueryOptions, 'owner'>>().toExtend<Parameters<typeof forKoa>[0]>();
expectTypeOf<Omit<OAuthQueryOptions, 'owner'>>().toExtend<Parameters<typeof forFastify>[0]>();

// Express: `req.auth` is known everywhere, and may be absent.
{
  const oauth = forExpress();
  const app = express();
  app.use(oauth).use('/auth', oauth).use(oauth.wellKnown);
  app.get('/me/:id', oauth.guard('profile'), (req, res) => {
    expectTypeOf(req.auth).toEqualTypeOf<Authorization | undefined>();
    // The guard does not hide what Express knows by itself.
    expectTypeOf(req.params.id).toEqualTypeOf<string>();
    res.json(req.auth?.sub);
  });
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
  new Koa<DefaultState & { readonly user: string }>().use(oauth.guard()).use((ctx) => {
    expectTypeOf(ctx.state.auth.scope).toEqualTypeOf<string>();
    expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
  });
  new Router().get('/me', oauth.guard('profile'), (ctx) => {
    expectTypeOf(ctx.state.auth).toEqualTypeOf<Authorization>();
  });
}

// Fastify: `request.auth` is known everywhere, and may be absent; a guard fits each hook before the handler.
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
  app.get<{ Params: { readonly id: string } }>(
    '/me/:id',
    { onRequest: guard, preValidation: guard, preHandler: [guard, oauth.guard('a b')] },
    async (request) => {
      expectTypeOf(request.auth).toEqualTypeOf<Authorization | undefined>();
      expectTypeOf(request.params.id).toEqualTypeOf<string>();
      return request.auth?.sub;
    },
  );
}

expectTypeOf(forExpress().revokeGrant).toEqualTypeOf<(grantId: string) => Promise<void>>();
expectTypeOf(forKoa().revokeGrant).toEqualTypeOf<(grantId: string) => Promise<void>>();
expectTypeOf(forFastify().revokeGrant).toEqualTypeOf<(grantId: string) => Promise<void>>();
