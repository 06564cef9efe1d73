import type { IncomingMessage, ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import express from 'express';
import { oauthQuery, remoteGuard } from 'oauth-query/express';
import { authInfo, introspectionVerifier, onBehalfOf } from 'oauth-query/guard';
import { tokenExchange } from 'oauth-query/token-exchange';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '../hosts/listen.js';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

type Tool = (auth: AuthInfo) => Promise<string>;

/** A server of the SDK with one tool, in a process of its own as far as tokens are concerned. */
const serve = (place: Listening, issuer: string, name: string, tool: Tool): (() => void) => {
  const app = express();
  const credentials = { client_id: name, client_secret: `${name}-secret` };
  const verifier = introspectionVerifier({ issuer, credentials, resource: `${place.origin}/mcp`, cacheSeconds: 0 });
  const guard = remoteGuard(verifier);
  const answer = async (req: IncomingMessage & { auth: AuthInfo }, res: ServerResponse, message: unknown) => {
    const server = new McpServer({ name, version: '1.0.0' });
    server.registerTool(name, {}, async ({ authInfo: auth }) => ({
      content: [{ type: 'text', text: await tool(auth ?? expect.fail()) }],
    }));
    const transport = new StreamableHTTPServerTransport();
    res.once('close', () => void server.close());
    await server.connect(transport as Transport);
    await transport.handleRequest(req, res, message);
  };
  app.all('/mcp', express.json(), guard('notes.read'), (req, res, next) => {
    answer(Object.assign(req, { auth: authInfo(req) }), res, req.body).catch(next);
  });
  place.server.on('request', app);
  return () => verifier.close();
};

const call = async (url: string, token: string, name: string): Promise<string> => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Transport);
  try {
    const { content, isError } = await client.callTool({ name, arguments: {} });
    const [{ text }] = content as [{ text: string }];
    if (isError === true) throw new Error(text);
    return text;
  } finally {
    await client.close();
  }
};

let oauth: ReturnType<typeof oauthQuery>;
let assistant: string;
let notes: string;
const ends: (() => void)[] = [];
const received: string[] = [];

beforeAll(async () => {
  const [server, first, second] = [await listen(), await listen(), await listen()];
  const issuer = server.origin;
  [assistant, notes] = [`${first.origin}/mcp`, `${second.origin}/mcp`];
  const service = (client_id: string, audience: string) => ({
    ...{ client_id, client_secret: `${client_id}-secret`, audience, introspect: true },
    scope: 'notes.read',
  });
  oauth = oauthQuery({
    issuer,
    secret: 'a secret of the test that has 32 characters',
    scopes: { 'notes.read': 'Read your notes' },
    resources: { [assistant]: { name: 'Assistant' }, [notes]: { name: 'Notes' } },
    clients: [
      { client_id: 'editor', redirect_uris: ['http://127.0.0.1/cb'], scope: 'notes.read' },
      { ...service('assistant', assistant), grant_types: [EXCHANGE] },
      service('notes', notes),
    ],
    features: [tokenExchange({ from: { assistant: [notes] } })],
    users: [{ username: 'alice', password: 'wonderland' }],
  });
  server.server.on('request', express().use(oauth));
  const tokenFor = onBehalfOf({ issuer, credentials: { client_id: 'assistant', client_secret: 'assistant-secret' } });
  ends.push(
    serve(second, issuer, 'notes', async ({ token, clientId, extra }) => {
      received.push(token);
      return `The notes of ${String(extra?.['sub'])}, for ${clientId}`;
    }),
    serve(first, issuer, 'assistant', async (auth) => call(notes, await tokenFor(auth, notes), 'notes')),
    () => tokenFor.close(),
    ...[server, first, second].map(({ close }) => close),
  );
});
afterAll(() => ends.forEach((end) => end()));

test('a tool of one server of the SDK calls a tool of another for the user, with a token of its own', async () => {
  const asked = { sub: 'alice', client_id: 'editor', scope: ['notes.read'] as const, resource: assistant };
  const { access_token } = await oauth.issue(asked);
  expect(await call(assistant, access_token, 'assistant')).toBe('The notes of alice, for assistant');
  const [theirs = ''] = received;
  expect(theirs).not.toBe(access_token);
  // Each token is for one server alone.
  await expect(call(notes, access_token, 'notes')).rejects.toThrow(/invalid_token/);
  await expect(call(assistant, theirs, 'assistant')).rejects.toThrow(/invalid_token/);
  // The user disconnects the editor: the token that the assistant keeps ends with it.
  expect(await call(notes, theirs, 'notes')).toContain('alice');
  expect(await oauth.grants.revoke({ sub: 'alice', client_id: 'editor' })).toBe(1);
  await expect(call(notes, theirs, 'notes')).rejects.toThrow(/invalid_token/);
  await expect(call(assistant, access_token, 'assistant')).rejects.toThrow(/invalid_token/);
});
