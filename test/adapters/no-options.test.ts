import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery } from 'oauth-query/express';
import { oauthQuery as forFastify } from 'oauth-query/fastify';
import { oauthQuery as forKoa } from 'oauth-query/koa';
import { expect, test } from 'vitest';

/** Four lines for each framework: no options, and a guarded route. */
const SERVERS = {
  express: () => {
    const app = express();
    const oauth = oauthQuery();
    app.use(oauth);
    app.get('/photos', oauth.guard('photos.read'), (req, res) => void res.json({ of: req.auth.sub }));
    return app.listen(0, '127.0.0.1');
  },
  koa: () => {
    const app = new Koa();
    const oauth = forKoa();
    app.use(oauth);
    app.use(oauth.guard('photos.read'));
    app.use((ctx) => void (ctx.body = { of: ctx.state.auth.sub }));
    return app.listen(0, '127.0.0.1');
  },
  fastify: async () => {
    const app = fastify();
    const oauth = forFastify();
    await app.register(oauth);
    app.get('/photos', { preHandler: oauth.guard('photos.read') }, async (request) => ({ of: request.auth.sub }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

test.each(Object.entries(SERVERS))(
  'on %s, a server without options answers, and its guard refuses',
  async (_name, start) => {
    const server = await start();
    try {
      if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
      expect(metadata).toMatchObject({ issuer: url, token_endpoint: `${url}/oauth/token` });
      const refused = await fetch(`${url}/photos`);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="oauth"']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
