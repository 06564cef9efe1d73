import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { AuthInfo as SdkAuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import express from 'express';
import { describe, expect, test } from 'vitest';
import * as forExpress from '../../src/adapters/express/index.js';
import * as forFetch from '../../src/adapters/fetch/index.js';
import { authInfo } from '../../src/resource-server/index.js';
import { bearer, Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';

const NOW = Date.UTC(2026, 0, 1);
const OPTIONS = {
  issuer: 'https://op.example',
  secret: 'a secret for tests that is long enough',
  runtime: { clock: () => NOW },
  scopes: { read: 'Read', write: 'Write' },
  resources: { '/mcp': {}, 'https://other.example': {} },
  clients: [{ client_id: 'app', redirect_uris: ['https://app.example/cb'] }],
  users: [{ username: 'alice', password: 'wonderland' }],
  onWarning: () => undefined,
};
const GUARD = ['read', { resource: '/mcp' }] as const;

/** As a transport of the SDK for Node: it takes the request of the host, and reads `auth`. */
const handle = (req: IncomingMessage & { auth?: SdkAuthInfo }): string =>
  JSON.stringify({ ...req.auth, isUrl: req.auth?.resource instanceof URL });

type Build = () => Promise<readonly [RequestListener, Pick<forExpress.OAuthQuery, 'issue'>]>;

/** Both kinds of headers; the other hosts have those of Node too. */
const apps: Readonly<Record<string, Build>> = {
  express5: async () => {
    const oauth = forExpress.oauthQuery(OPTIONS);
    const app = express().get('/mcp', oauth.guard(...GUARD), (req, res) => {
      res.end(handle(Object.assign(req, { auth: authInfo(req) })));
    });
    return [app, oauth];
  },
  fetch: async () => {
    const oauth = forFetch.oauthQuery(OPTIONS);
    const guard = oauth.guard(...GUARD);
    const listener = getRequestListener((request) =>
      guard(request, (auth) => {
        const authorized: SdkAuthInfo = authInfo({ auth, headers: request.headers });
        return Response.json({ ...authorized, isUrl: authorized.resource instanceof URL });
      }),
    );
    return [(req, res) => void listener(req, res), oauth];
  },
};

const listenTo = async (listener: RequestListener): Promise<Client> => new Client((await listen(listener)).origin);

describe.each(Object.entries(apps))('what the MCP SDK reads from a request on %s', (_name, build) => {
  const ask = async (resource: string | readonly string[]) => {
    const [listener, { issue }] = await build();
    const client = await listenTo(listener);
    const token = (await issue({ sub: 'alice', client_id: 'app', scope: 'read write', resource })).access_token;
    return { token, answer: await client.get('/mcp', bearer(token)) };
  };

  test('M47 the token, its client, scopes, expiry in seconds and resource', async () => {
    const { token, answer } = await ask('https://op.example/mcp');
    const exp = NOW / 1000 + 3600;
    expect(answer.json).toEqual({
      token,
      clientId: 'app',
      scopes: ['read', 'write'],
      expiresAt: exp,
      resource: 'https://op.example/mcp',
      isUrl: true,
      extra: {
        sub: 'alice',
        client_id: 'app',
        scope: 'read write',
        aud: 'https://op.example/mcp',
        iss: 'https://op.example',
        exp,
        iat: NOW / 1000,
        token_type: 'Bearer',
      },
    });
  });

  test('M47 no resource if the token is for several', async () => {
    const { answer } = await ask(['https://op.example/mcp', 'https://other.example']);
    expect(answer.json).toMatchObject({ isUrl: false, extra: { aud: expect.any(Array) } });
    expect(answer.json).not.toHaveProperty('resource');
  });
});

test('M47 nothing without a guard before it', () => {
  for (const headers of [{}, { authorization: 'Bearer x' }, new Headers({ authorization: 'Bearer x' })])
    expect(() => authInfo({ auth: undefined, headers })).toThrow(/in front of the handler/);
});

test('M47 a tool of the SDK receives the caller', async () => {
  const oauth = forExpress.oauthQuery(OPTIONS);
  const app = express().use(express.json());
  app.all('/mcp', oauth.guard(...GUARD), async (req, res) => {
    const server = new McpServer({ name: 'who', version: '1.0.0' });
    server.registerTool('who', { description: 'Says who is calling.' }, ({ authInfo }) => ({
      content: [{ type: 'text', text: `${authInfo?.clientId} for ${String(authInfo?.extra?.['sub'])}` }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once('close', () => void server.close());
    await server.connect(transport as Transport);
    await transport.handleRequest(Object.assign(req, { auth: authInfo(req) }), res, req.body);
  });
  const client = await listenTo(app);
  const { access_token } = await oauth.issue({
    sub: 'alice',
    client_id: 'app',
    scope: 'read',
    resource: 'https://op.example/mcp',
  });
  const answer = await client.request('/mcp', {
    method: 'POST',
    headers: {
      ...bearer(access_token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', arguments: {} } }),
  });
  expect([answer.status, answer.json['result']]).toEqual([200, { content: [{ type: 'text', text: 'app for alice' }] }]);
});
