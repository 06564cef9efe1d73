import Router from '@koa/router';
import express from 'express';
import fastify from 'fastify';
import { type GuardedRouter, oauthQuery, type OAuthQuery } from 'oauth-query/express';
import { type GuardedRoute, oauthQuery as forFastify } from 'oauth-query/fastify';
import type { Feature } from 'oauth-query/feature';
import { feature, featureMaker } from 'oauth-query/feature';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import { type AuthorizedState, oauthQuery as forKoa } from 'oauth-query/koa';
import { oauthQuery as forNode } from 'oauth-query/node';
import { openIdConnect } from 'oauth-query/openid';
import { query } from 'oauth-query/query';
import { expectTypeOf } from 'vitest';

const tenants = () =>
  feature({
    name: 'tenants',
    scopes: { 'tenant.read': 'See your tenant' },
    claims: { names: ['tenant'], of: ({ owner }) => (owner === undefined ? {} : { tenant: owner.sub }) },
  });
const levels = () =>
  feature({ name: 'levels', claims: { names: ['level'], of: async () => ({ level: 3 }) }, start: () => ({}) });

const options = {
  scopes: { 'photos.read': 'See your photos', 'photos.write': { description: 'Change your photos' } },
  features: [tenants(), levels(), openIdConnect()],
} as const;
const oauth = oauthQuery({ ...options, claims: { names: ['plan'], of: () => ({ plan: 'free' as 'free' | 'paid' }) } });

// Scopes of the options and of features, and no others.
oauth.guard('photos.read');
oauth.guard(['photos.read', 'tenant.read', 'openid']);
// @ts-expect-error there is no such scope
oauth.guard('photos.raed');
// @ts-expect-error two scopes are a list
oauth.guard('photos.read photos.write');
// @ts-expect-error an empty list would let any token pass
oauth.guard([]);
void oauth.check('token', { scope: 'tenant.read' });
// @ts-expect-error there is no such scope
void oauth.check('token', { scope: 'nope' });
void oauth.issue({ sub: 'alice', client_id: 'web', scope: ['photos.read', 'openid'] });
// @ts-expect-error there is no such scope
void oauth.issue({ sub: 'alice', client_id: 'web', scope: 'nope' });

oauthQuery({ scopes: { 'photos.read': 'See your photos' } }).guard('photos.read');
// @ts-expect-error there is no such scope, and there are no features
oauthQuery({ scopes: { 'photos.read': 'See your photos' } }).guard('photos.raed');

// Without `scopes`, and where they are not known, any text may be one.
oauthQuery().guard('anything');
oauthQuery({ features: [tenants()] }).guard('anything');
oauthQuery({ scopes: {} as Record<string, string> }).guard('anything');
oauthQuery({ features: [] as Feature[] }).guard('anything');

// What knows its scopes and claims fits where any may be named.
const handedOn = (server: OAuthQuery): unknown => server.guard('anything');
handedOn(oauth);

// Claims of features and of the application, all of them optional.
type Claims = { readonly tenant?: string | undefined; readonly level?: number; readonly plan?: 'free' | 'paid' };
const app = express();
app.get('/photos', oauth.guard('photos.read'), (req, res) => {
  expectTypeOf(req.auth.claims.level).toEqualTypeOf<number | undefined>();
  expectTypeOf(req.auth.claims.plan).toEqualTypeOf<'free' | 'paid' | undefined>();
  expectTypeOf(req.auth.claims.tenant).toEqualTypeOf<string | undefined>();
  // @ts-expect-error there is no such claim
  res.json(req.auth.claims.tenent);
});
app.get('/open', (req) => expectTypeOf(req.auth?.claims).not.toBeAny());
const photos: GuardedRouter<{ readonly level?: number }> = express.Router();
photos.use(oauth.guard('photos.read'));
photos.get('/', (req) => expectTypeOf(req.auth.claims.level).toEqualTypeOf<number | undefined>());
void (oauth.check('token', { scope: 'openid' }) satisfies Promise<unknown>).then(({ authorization }) =>
  expectTypeOf(authorization?.claims.level).toEqualTypeOf<number | undefined>(),
);
const router = new Router<AuthorizedState<Claims>>();
router.get('/', forKoa(options).guard('photos.read'), (ctx) => {
  expectTypeOf(ctx.state.auth.claims.level).toEqualTypeOf<number | undefined>();
});
const server = fastify();
server.get('/', { preHandler: forFastify(options).guard('photos.read') }, async (request) => {
  expectTypeOf(request.auth.claims.level).toEqualTypeOf<number | undefined>();
});
server.get<{ Params: { id: string } } & GuardedRoute<{ level?: number }>>('/:id', async (request) => {
  expectTypeOf(request.auth.claims.level).toEqualTypeOf<number | undefined>();
});
void forNode(options).guard('photos.read')({} as never, {} as never, (auth) => {
  expectTypeOf(auth.claims.level).toEqualTypeOf<number | undefined>();
});
void forFetch(options).guard('photos.read')(new Request('https://a.example'), (auth) => {
  expectTypeOf(auth.claims.level).toEqualTypeOf<number | undefined>();
  return new Response();
});

// What a feature needs must be there, and its value is typed.
const counter = featureMaker('counter', () =>
  feature({ name: 'counter', start: () => ({ provide: { next: () => 1 } }) }),
);
const needy = () =>
  feature({
    name: 'needy',
    needs: [counter],
    start: (host) => {
      expectTypeOf(host.use(counter).next()).toBeNumber();
      // @ts-expect-error it is not in needs
      host.use(query);
      return {};
    },
  });
oauthQuery({ features: [needy(), counter()] });
// @ts-expect-error counter() is missing
oauthQuery({ features: [needy()] });
// @ts-expect-error a feature is the result of its function
oauthQuery({ features: [levels] });
// @ts-expect-error features are a list
oauthQuery({ features: levels() });
// @ts-expect-error a name of the protocol
feature({ name: 'wrong', claims: { names: ['sub'], of: () => ({ sub: 'alice' }) } });
// @ts-expect-error a date is not JSON
feature({ name: 'wrong', claims: { names: ['since'], of: () => ({ since: new Date() }) } });
// @ts-expect-error the name of a claim that its function does not return
feature({ name: 'wrong', claims: { names: ['tenant'], of: () => ({ level: 3 }) } });
