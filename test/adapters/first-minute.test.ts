import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import * as forExpress from '../../src/adapters/express/index.js';
import type { AdapterOptions } from '../../src/adapters/facade.js';
import * as forFastify from '../../src/adapters/fastify/index.js';
import * as forKoa from '../../src/adapters/koa/index.js';

/** The shortest app of each framework: the middleware and one route behind its guard. */
const apps = {
  express: async (options?: AdapterOptions<unknown>) => {
    const oauth = forExpress.oauthQuery(options);
    const app = express().use(oauth);
    app.get('/resource', oauth.guard.any(), (req, res) => {
      res.json({ sub: req.auth?.sub });
    });
    return app;
  },
  koa: async (options?: AdapterOptions<unknown>) => {
    const oauth = forKoa.oauthQuery(options);
    const guard = oauth.guard.any();
    const app = new Koa().use(oauth);
    app.use((ctx, next) => (ctx.path === '/resource' ? guard(ctx as Parameters<typeof guard>[0], next) : next()));
    app.use((ctx) => {
      ctx.body = { sub: ctx.state['auth'].sub };
    });
    return app.callback();
  },
  fastify: async (options?: AdapterOptions<unknown>) => {
    const oauth = forFastify.oauthQuery(options);
    const app = fastify();
    await app.register(oauth);
    app.get('/resource', { preHandler: oauth.guard.any() }, async (req) => ({ sub: req.auth?.sub }));
    await app.ready();
    return app.server;
  },
};

describe.each(Object.entries(apps))('the first minute with %s', (_name, start) => {
  test('works without options: nothing can be requested, and one line names what is missing', async () => {
    const warnings: string[] = [];
    const app = await start({ onWarning: (message) => warnings.push(message) });
    const metadata = await request(app).get('/.well-known/oauth-authorization-server').expect(200);
    expect(metadata.body.issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await request(app)
      .post('/oauth/token')
      .type('form')
      .send({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' })
      .expect(401);
    await request(app).get('/resource').expect(401).expect('www-authenticate', 'Bearer realm="oauth"');
    expect(warnings).toEqual([expect.stringMatching(/issuer.*clients.*secret/)]);
  });
});
