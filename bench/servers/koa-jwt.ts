import type { RequestListener } from 'node:http';
import Koa from 'koa';
import jwt from 'koa-jwt';
import type { Framework } from '../candidates.js';
import { CONTENT, PATHS, SCOPE, type Setup } from './setting.js';
import { hasScope, publicKeyOf } from './signing-key.js';

export const listener = async (_framework: Framework, { issuer }: Setup): Promise<RequestListener> => {
  const app = new Koa();
  app.silent = true;
  app.use(jwt({ secret: await publicKeyOf(issuer), issuer, audience: issuer, algorithms: ['ES256'] }));
  app.use((ctx) => {
    if (ctx.path !== PATHS.content) return;
    if (!hasScope(ctx.state['user'], SCOPE)) ctx.throw(403);
    ctx.body = CONTENT;
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
};
