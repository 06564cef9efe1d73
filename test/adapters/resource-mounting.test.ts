import type { RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import mount from 'koa-mount';
import { describe, expect, test } from 'vitest';
import { oauthQuery as forExpress } from '../../src/adapters/express/index.js';
import { oauthQuery as forFastify } from '../../src/adapters/fastify/index.js';
import { oauthQuery as forKoa } from '../../src/adapters/koa/index.js';
import { memoryStore } from '../../src/stores/memory.js';
import { Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';

const ISSUER = 'https://op.example/auth';
const DOCUMENT = '/.well-known/oauth-protected-resource/mcp';
const EXPOSED = { 'access-control-expose-headers': 'mcp-session-id' };

const listenTo = async (listener: RequestListener): Promise<Client> => new Client((await listen(listener)).origin);

const optionsWith = (warnings: string[]) => ({
  issuer: ISSUER,
  secret: 'a secret for tests that is long enough',
  clients: [],
  scopes: { read: 'Read' },
  resources: { '/mcp': { scopes: ['read'] } },
  store: memoryStore(),
  onWarning: (sentence: string) => warnings.push(sentence),
});

type Build = (warnings: string[]) => Promise<RequestListener>;

/** Each with a guarded route and the server below `/auth`. */
const apps: Readonly<Record<string, Build>> = {
  express5: async (warnings) => {
    const oauth = forExpress(optionsWith(warnings));
    const app = express();
    app.use((_req, res, next) => {
      res.set(EXPOSED);
      next();
    });
    app.get('/mcp', oauth.guard('read', { resource: '/mcp' }), (_req, res) => void res.end());
    app.use('/auth', oauth);
    return app.use(oauth.wellKnown);
  },
  koa3: async (warnings) => {
    const oauth = forKoa(optionsWith(warnings));
    const guarded = oauth.guard('read', { resource: '/mcp' }) as Koa.Middleware; // It fills the state itself.
    const app = new Koa().use(async (ctx, next) => {
      ctx.set(EXPOSED);
      await next();
    });
    app.use(async (ctx, next) => (ctx.path === '/mcp' ? guarded(ctx, next) : next()));
    app.use(mount('/auth', oauth));
    app.use(oauth.wellKnown);
    const callback = app.callback();
    return (req, res) => void callback(req, res);
  },
  fastify5: async (warnings) => {
    const oauth = forFastify(optionsWith(warnings));
    const app = fastify();
    app.addHook('onRequest', async (_request, reply) => void reply.headers(EXPOSED));
    app.get('/mcp', { preHandler: oauth.guard('read', { resource: '/mcp' }) }, async () => '');
    app.register(oauth, { prefix: '/auth' });
    app.register(oauth.wellKnown);
    await app.ready();
    return app.routing;
  },
};

describe.each(Object.entries(apps))('a resource, and a server with a path, on %s', (_name, build) => {
  test('M1, M6 has its metadata at the root of the host, and no warning about where the server is mounted', async () => {
    const warnings: string[] = [];
    const client = await listenTo(await build(warnings));
    const refused = await client.get('/mcp');
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="https://op.example${DOCUMENT}", scope="read"`,
    );
    expect((await client.get(DOCUMENT)).json).toMatchObject({
      resource: 'https://op.example/mcp',
      authorization_servers: [ISSUER],
    });
    expect((await client.get('/auth/oauth/jwks')).status).toBe(200);
    expect(warnings.filter((sentence) => sentence.includes('mounted at'))).toEqual([]);
  });

  test('M16 headers that the application exposes to scripts stay exposed', async () => {
    const client = await listenTo(await build([]));
    expect((await client.get('/mcp')).headers['access-control-expose-headers']).toBe(
      'mcp-session-id, www-authenticate',
    );
  });
});

describe('a guard of an undeclared resource', () => {
  const warnings: string[] = [];
  const oauth = forExpress({ ...optionsWith(warnings), resources: { '/mcp': {}, 'https://api.example/v1': {} } });

  test.each([
    ['/mpc', /does not describe "\/mpc"\. Did you mean "\/mcp"\?/],
    ['https://op.example/auth/mcp', /does not describe/],
    ['https://other.example', /does not describe "https:\/\/other\.example"\. Add it there/],
    [ISSUER, /does not describe/],
  ])('%s is rejected at construction', (resource, sentence) => {
    expect(() => oauth.guard('read', { resource })).toThrow(sentence);
  });

  test('cannot have an audience as well', () => {
    expect(() => oauth.guard('read', { resource: '/mcp', audience: ISSUER })).toThrow(/exclude each other/);
  });

  test('M24 accepts every spelling of its URL, and its path', () => {
    for (const resource of ['https://OP.example:443/mcp', 'HTTPS://op.example/mcp', '/mcp'])
      expect(() => oauth.guard('read', { resource })).not.toThrow();
  });

  test('a resource on another host causes a warning that its metadata is not served here', () => {
    warnings.splice(0);
    oauth.guard('read', { resource: 'https://api.example/v1' });
    expect(warnings).toEqual([
      expect.stringContaining('https://api.example/.well-known/oauth-protected-resource/v1, which is not on the host'),
    ]);
  });
});
