/**
 * A first program in a package of its own: it installs the tarball, and is compiled against its declarations and run with
 * its JavaScript. A server for each framework, a token, and a guarded route.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import type { Authorization } from 'oauth-query';
import { oauthQuery as expressOAuth } from 'oauth-query/express';
import { oauthQuery as fastifyOAuth } from 'oauth-query/fastify';
import { oauthQuery as fetchOAuth } from 'oauth-query/fetch';
import { oauthQuery as koaOAuth } from 'oauth-query/koa';
import { oauthQuery as nodeOAuth } from 'oauth-query/node';
import { memoryStore } from 'oauth-query/stores/memory';

const options = {
  issuer: 'http://127.0.0.1',
  clients: [
    { client_id: 'service', client_secret: 'service-secret', grant_types: ['client_credentials'], scope: 'read' },
  ],
  scopes: { read: 'Read' },
} as const;

const subject = (auth: Authorization | undefined): string => auth?.sub ?? 'nobody';

const frameworks: Record<string, () => Promise<Server>> = {
  async express() {
    const oauth = expressOAuth({ ...options, store: memoryStore() });
    const app = express();
    app.use(oauth);
    app.get('/me', oauth.guard('read'), (req, res) => {
      res.json({ sub: subject(req.auth) });
    });
    return createServer(app);
  },
  async koa() {
    const oauth = koaOAuth({ ...options, store: memoryStore() });
    const app = new Koa();
    app.use(oauth);
    app.use(oauth.guard('read'));
    app.use((ctx) => {
      ctx.body = { sub: subject(ctx.state.auth) };
    });
    const handle = app.callback();
    return createServer((request, response) => void handle(request, response));
  },
  async fastify() {
    const oauth = fastifyOAuth({ ...options, store: memoryStore() });
    const app = Fastify();
    await app.register(oauth);
    app.get('/me', { preHandler: oauth.guard('read') }, async (request) => ({ sub: subject(request.auth) }));
    await app.ready();
    return createServer((request, response) => app.routing(request, response));
  },
  async node() {
    const oauth = nodeOAuth({ ...options, store: memoryStore() });
    const guard = oauth.guard('read');
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      await guard(request, response, (auth) => response.end(JSON.stringify({ sub: subject(auth) })));
    };
    return createServer((request, response) => oauth(request, response, () => void answer(request, response)));
  },
  async fetch() {
    const oauth = fetchOAuth({ ...options, store: memoryStore() });
    const guard = oauth.guard('read');
    const answer = async (request: Request): Promise<Response> => {
      return oauth.fetch(request) ?? guard(request, (auth) => Response.json({ sub: subject(auth) }));
    };
    // A minimal bridge to `Request` and `Response`.
    const bridge = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = 'GET', url = '', headers } = message;
      const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      const body = method === 'POST' ? await text(message) : null;
      const answered = await answer(new Request(`http://127.0.0.1${url}`, { method, headers: entries, body }));
      response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
    };
    return createServer((message, response) => void bridge(message, response));
  },
};

async function tokenAndGuard(origin: string): Promise<void> {
  const basic = Buffer.from('service:service-secret').toString('base64');
  const refused = await fetch(`${origin}/me`);
  assert.equal(refused.status, 401);
  const granted = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' }),
  });
  assert.equal(granted.status, 200, await granted.clone().text());
  // The response of the token endpoint, whose status was checked.
  const { access_token } = (await granted.json()) as { access_token: string };
  const welcome = await fetch(`${origin}/me`, { headers: { authorization: `Bearer ${access_token}` } });
  assert.deepEqual([welcome.status, await welcome.json()], [200, { sub: 'client:service' }]);
}

for (const [name, start] of Object.entries(frameworks)) {
  const server = await start();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  await tokenAndGuard(`http://127.0.0.1:${port}`);
  server.close();
  server.closeAllConnections();
  console.log(`  ${name}: a token was issued and gave access to a guarded route`);
}
