import Router from '@koa/router';
import Koa from 'koa';
import { oauthQuery } from 'oauth-query/koa';
import type { BuildApp } from './app.js';

export const buildApp: BuildApp = async ({ options, pages }) => {
  const app = new Koa();
  const router = new Router();
  const oauth = oauthQuery(options);
  app.use(oauth);

  router.get('/me', oauth.guard('profile'), (ctx) => {
    const { sub, username, client_id, scope } = ctx.state.auth;
    ctx.body = { sub, username, client_id, scope };
  });
  router.get('/content', oauth.guard('content.read'), (ctx) => {
    ctx.body = { ok: true };
  });
  router.get('/open', (ctx) => {
    ctx.body = { ok: true };
  });
  for (const [path, page] of Object.entries(pages)) {
    router.get(path, (ctx) => {
      const { type, body } = page(new URLSearchParams(ctx.querystring));
      ctx.type = type;
      ctx.body = body;
    });
  }
  app.use(router.routes());
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { error: 'not_found' };
  });
  const callback = app.callback();
  return (req, res) => void callback(req, res);
};
