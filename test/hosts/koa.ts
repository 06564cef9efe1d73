import { bodyParser as newParser } from '@koa/bodyparser';
import Router from '@koa/router';
import type Koa from 'koa';
import oldParser from 'koa-bodyparser';
import mount from 'koa-mount';
import { oauthQuery } from '../../src/adapters/koa/index.js';
import { guardWith } from './guard-with.js';
import type { BuildApp } from './setup.js';

export const koaApp =
  (Framework: typeof Koa, parser: typeof newParser | typeof oldParser): BuildApp =>
  async ({ options, guarded, prefix, parserInFront, errors }) => {
    const oauth = oauthQuery(options);
    const app = new Framework();
    app.silent = true; // Koa prints a message when a client disconnects.
    const ownParsers = parserInFront ? [] : [parser()];
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        errors.push(error);
        ctx.status = 500;
        ctx.body = { host: 'error' };
      }
    });
    if (parserInFront) app.use(parser());
    if (prefix === '') app.use(oauth);
    else app.use(mount(prefix, oauth)).use(oauth.wellKnown);

    const router = new Router();
    for (const [name, { scope, ...more }] of Object.entries(guarded)) {
      router.get(`/guarded/${name}`, guardWith(oauth.guard, scope, more), (ctx) => {
        ctx.body = { auth: ctx.state.auth };
      });
    }
    router.get('/signed-in', async (ctx) => {
      ctx.body = { owner: (await oauth.owner(ctx)) ?? null };
    });
    router.post(['/echo', '/json'], ...ownParsers, (ctx) => {
      ctx.body = { body: ctx.request.body };
    });
    router.get('/broken', () => {
      throw new Error('a bug of the host');
    });
    app.use(router.routes());
    const callback = app.callback();
    return {
      listener: (req, res) => void callback(req, res),
      grants: oauth.grants,
      issue: oauth.issue,
      owners: oauth.owners,
      close: async () => undefined,
    };
  };

export { newParser, oldParser };
