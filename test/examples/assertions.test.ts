import {
  Client as McpClient,
  CrossAppAccessProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { discoverAndRequestJwtAuthGrant } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, Client } from '../hosts.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

describe('examples/assertions', () => {
  let provider: Example;
  let example: Example;
  let PROVIDER: string;
  let SERVER: string;
  beforeAll(async () => {
    const ports = [await freePort(), await freePort()] as const;
    [PROVIDER, SERVER] = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`];
    provider = await startExample('assertions/provider.ts', [], { PORT: String(ports[0]), SERVER });
    example = await startExample('assertions/main.ts', [], { PORT: String(ports[1]), PROVIDER });
    await Promise.all([provider.until(/listens on/), example.until(/Listening on/)]);
  });
  afterAll(() => Promise.all([provider.stop(), example.stop()]));

  test('an assistant that the company allows reads the notes of the employee, without a page', async () => {
    const authProvider = new CrossAppAccessProvider({
      clientId: 'assistant',
      clientSecret: 'assistant-secret',
      expectedIssuer: SERVER,
      assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, fetchFn }) => {
        const idToken = 'the ID token of employee 17';
        const asked = { idpUrl: PROVIDER, audience, resource, idToken, clientId: 'assistant', fetchFn };
        return (await discoverAndRequestJwtAuthGrant(asked)).jwtAuthGrant;
      },
    });
    const client = new McpClient({ name: 'assistant', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${SERVER}/mcp`), { authProvider }));
    expect((await client.callTool({ name: 'list_notes', arguments: {} })).content).toMatchObject([
      { text: 'Feed the rabbit' },
    ]);
    await client.close();
  });

  test.each([
    ['grant', (assertion: string) => ({ grant_type: JWT_BEARER, assertion })],
    [
      'client authentication',
      (client_assertion: string) => ({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
      }),
    ],
  ])('a job deploys without a secret, by the statement of its platform as %s', async (_name, formOf) => {
    const server = new Client(SERVER);
    const { text } = await new Client(PROVIDER).get('/statement');
    const { status, json } = await server.post('/oauth/token', formOf(text));
    expect(status).toBe(200);
    const deployed = await server.post('/deployments', {}, bearer(String(json['access_token'])));
    expect([deployed.status, deployed.json]).toEqual([200, { deployed_by: 'deployer' }]);
    // It is for this server itself, and not for the notes.
    expect((await server.get('/mcp', bearer(String(json['access_token'])))).status).toBe(401);
  });
});
