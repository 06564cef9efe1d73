import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { remoteGuard } from '../../src/adapters/express/index.js';
import { generateKey } from '../../src/core/oauth/keys/signing-keys.js';
import { introspectionVerifier, jwtVerifier } from '../../src/resource-server/index.js';
import { bearer, oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { Flows } from '../oauth/support/tokens.js';
import { everyRow } from '../rows.js';
import { guardHosts, type ResourceServer, type Setup } from './support/guard-hosts.js';

const NOTES = 'https://notes.example/mcp';
const DOCUMENT = '/.well-known/oauth-protected-resource';

const RESOURCE = {
  resource: NOTES,
  scopes: ['profile'],
  name: 'Notes',
  documentation: 'https://notes.example/docs',
} as const;

const KINDS = guardHosts.flatMap((site) => (['introspection', 'jwt'] as const).map((kind) => ({ site, kind })));

describe.each(KINDS)('a resource in another process: $kind on $site.name', ({ site, kind }) => {
  const { options, errors, clock } = fixture({
    resources: { [NOTES]: {}, '/mcp': {} },
    ...(kind === 'jwt' && { jwt: [{ key: generateKey('ES256') }] }),
  });
  const failures: unknown[] = [];
  let running: RunningHost;
  let flows: Flows;
  let server: ResourceServer;

  beforeAll(async () => {
    running = (await oneHostEach[0].start({ options })) as RunningHost;
    flows = new Flows(running);
    const common = { issuer: running.base, clock, onError: (error: unknown) => failures.push(error), ...RESOURCE };
    const credentials = { client_id: 'api', client_secret: 'api-secret' };
    const setup: Setup = kind === 'jwt' ? { jwt: common } : { introspection: { ...common, credentials } };
    server = await site.start(setup);
  });
  afterAll(async () => {
    server.close();
    await running.close();
    expect([...errors, ...failures]).toEqual([]);
  });

  const tokenFor = async (resource?: string, scope = 'profile'): Promise<string> =>
    (await flows.tokens('web', resource === undefined ? { scope } : { scope, resource })).access_token;

  test('M1, M17 the guard serves the metadata of its resource, and nothing else', async () => {
    const { client } = server;
    const answer = await client.get(`${DOCUMENT}/mcp`);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(answer.json).toEqual({
      resource: NOTES,
      authorization_servers: [running.base],
      scopes_supported: ['profile'],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
      resource_documentation: 'https://notes.example/docs',
    });
    expect((await client.request(`${DOCUMENT}/mcp`, { method: 'POST' })).status).toBe(405);
    expect((await client.request(`${DOCUMENT}/mcp`, { method: 'OPTIONS' })).status).toBe(204);
    for (const path of [DOCUMENT, `${DOCUMENT}/`, `${DOCUMENT}/mcp/`, `${DOCUMENT}/profile`])
      expect((await client.get(path)).status).toBe(404);
  });

  test('#110 M9, M10, M11, M13, M16, M17 each challenge has the metadata and the scopes', async () => {
    const metadata = `resource_metadata="https://notes.example${DOCUMENT}/mcp"`;
    const challenge = async (route: 'profile' | 'write' | 'open', headers = {}) => {
      const answer = await server.client.get(`/${route}`, headers);
      expect(answer.headers['access-control-expose-headers']).toBe('www-authenticate');
      return [answer.status, answer.headers['www-authenticate']];
    };
    expect(await challenge('profile')).toEqual([401, `Bearer ${metadata}, scope="profile"`]);
    expect(await challenge('open')).toEqual([401, `Bearer ${metadata}`]);
    expect(await challenge('write', bearer('x'))).toEqual([
      401,
      `Bearer ${metadata}, error="invalid_token", error_description="The access token is not valid.", scope="content.write profile"`,
    ]);
    expect(await challenge('write', bearer(await tokenFor(NOTES)))).toEqual([
      403,
      `Bearer ${metadata}, error="insufficient_scope", error_description="The access token lacks a scope that this request requires.", scope="content.write profile"`,
    ]);
  });

  test('M12, M24 only tokens for the resource pass, in any spelling', async () => {
    expect((await server.get('profile', await tokenFor('HTTPS://Notes.Example:443/mcp'))).status).toBe(200);
    for (const token of [await tokenFor(), await tokenFor(running.base), await tokenFor(`${running.origin}/mcp`)]) {
      const { status, json } = await server.get('profile', token);
      expect([status, json['error_description']]).toEqual([401, expect.stringContaining(`resource=${NOTES} `)]);
    }
  });
});

describe('a guard with an invalid resource', () => {
  const issuer = 'https://auth.example';
  const credentials = { client_id: 'api', client_secret: 'secret' };

  test('M17 an invalid resource is rejected at construction', () =>
    everyRow(
      [
        [{ scopes: ['read'] }, /options\.scopes describes a resource\. .*options\.resource/],
        [{ name: 'Notes' }, /options\.name describes a resource/],
        [{ resource: NOTES, audience: NOTES }, /audience and options\.resource exclude each other/],
        [{ resource: '/mcp' }, /options\.resource must be an absolute URL/],
        [{ resource: 'http://notes.example' }, /options\.resource must begin with https/],
        [{ resource: `${NOTES}?x=1` }, /options\.resource must have neither a query nor a fragment/],
        [{ resource: NOTES, scopes: ['offline_access'] }, /scopes\[0\] is offline_access/],
        [{ resource: NOTES, scopes: ['two words'] }, /scopes\[0\] must be the name of a scope/],
      ],
      ([wrong, sentence]) => {
        expect(() => jwtVerifier({ issuer, ...wrong })).toThrow(sentence);
        expect(() => introspectionVerifier({ issuer, credentials, ...wrong })).toThrow(sentence);
      },
    ));

  test('M17 the metadata names the issuer, so it must be known', () => {
    const endpoint = `${issuer}/introspect`;
    expect(() => introspectionVerifier({ endpoint, credentials, resource: NOTES })).toThrow(
      /options\.issuer is missing/,
    );
  });

  test('M17 there is no metadata without a resource, and no resource of a single route', () => {
    const guard = remoteGuard(jwtVerifier({ issuer }));
    expect(() => guard.metadata).toThrow(/options\.resource/);
    expect(() => guard('read', { resource: NOTES })).toThrow(/introspectionVerifier\(\{ resource \}\)/);
  });
});
