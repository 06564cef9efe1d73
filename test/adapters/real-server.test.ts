import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RandomBytes } from '../../src/core/base/ports.js';
import { type Answer, basic, bearer, Client, everyTransport, type HostOptions, type RunningHost } from '../hosts.js';

/** Different bytes on every call, and the same ones in every host. */
const countingBytes = (): RandomBytes => {
  let calls = 0;
  return (size) =>
    createHash('shake256', { outputLength: size })
      .update(String((calls += 1)))
      .digest();
};

const optionsWith = (issuer: string): HostOptions => ({
  issuer,
  secret: 'a secret for tests that is long enough',
  clients: [
    {
      client_id: 'service',
      client_secret: 'service-secret',
      grant_types: ['client_credentials'],
      scope: 'profile content.read',
    },
    { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['http://127.0.0.1/callback'] },
  ],
  scopes: { profile: 'Your profile', 'content.read': 'Read', admin: 'Everything' },
  users: [{ username: 'alice', password: 'wonderland' }],
  runtime: { random: countingBytes(), clock: () => Date.UTC(2030, 0, 1) },
});

const CREDENTIALS = basic('service', 'service-secret');

/** What the framework adds to every answer. */
const OF_THE_FRAMEWORK = new Set(['date', 'connection', 'keep-alive', 'x-powered-by']);

const comparable = ({ status, headers, text }: Answer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_FRAMEWORK.has(name))),
  text,
});

/** With one issuer, one clock and one source of randomness every byte has to be the same. */
describe.each([
  ['at the root', 'https://op.example', everyTransport.filter(({ mount }) => mount === 'bare' || mount === 'parser')],
  ['below a prefix', 'https://op.example/auth', everyTransport.filter(({ mount }) => mount === 'prefix')],
])('every host %s', (_title, issuer, hosts) => {
  const running: { readonly name: string; readonly host: RunningHost; readonly client: Client }[] = [];

  beforeAll(async () => {
    for (const { name, start } of hosts) {
      const host = await start({ options: optionsWith(issuer) });
      running.push({ name, host, client: new Client(host.base) });
    }
  });
  afterAll(() => Promise.all(running.map(({ host }) => host.close())));

  test.each<[string, (client: Client, host: RunningHost) => Promise<Answer>]>([
    ['a token', (client) => client.post('/oauth/token', { grant_type: 'client_credentials' }, CREDENTIALS)],
    ['a wrong grant type', (client) => client.post('/oauth/token', { grant_type: 'x' }, CREDENTIALS)],
    ['no credentials', (client) => client.post('/oauth/token', { grant_type: 'client_credentials' })],
    ['an empty form', (client) => client.post('/oauth/token', '')],
    [
      'a repeated parameter',
      (client) =>
        client.post('/oauth/token', { grant_type: ['client_credentials', 'client_credentials'] }, CREDENTIALS),
    ],
    [
      'another content type',
      (client) =>
        client.request('/oauth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
    ],
    ['no content type', (client) => client.request('/oauth/token', { method: 'POST' })],
    [
      'a broken content type',
      (client) => client.request('/oauth/token', { method: 'POST', headers: { 'content-type': '/' }, body: 'a=b' }),
    ],
    ['GET at the token endpoint', (client) => client.get('/oauth/token')],
    ['HEAD at the token endpoint', (client) => client.request('/oauth/token', { method: 'HEAD' })],
    ['OPTIONS at the token endpoint', (client) => client.request('/oauth/token', { method: 'OPTIONS' })],
    ['PROPFIND at the token endpoint', (client) => client.request('/oauth/token', { method: 'PROPFIND' })],
    ['DELETE at the token endpoint', (client) => client.request('/oauth/token', { method: 'DELETE' })],
    ['the metadata', (client) => client.get('/.well-known/oauth-authorization-server')],
    ['HEAD of the metadata', (client) => client.request('/.well-known/oauth-authorization-server', { method: 'HEAD' })],
    ['the sign-in page', (client) => client.get('/oauth/authorize?response_type=code&client_id=web')],
    ['an unknown client', (client) => client.get('/oauth/authorize?response_type=code&client_id=nobody')],
    ['a redirect', (client) => client.get('/oauth/authorize?response_type=token&client_id=web&state=x')],
    ['the device page', (client) => client.get('/oauth/device')],
    ['the guard without a token', (_, { origin }) => new Client(origin).get('/guarded/profile')],
    ['the guard with a wrong token', (_, { origin }) => new Client(origin).get('/guarded/profile', bearer('wrong'))],
  ])('gives the same responses: %s', async (_title, ask) => {
    const [first, ...others] = await Promise.all(
      running.map(async ({ name, host, client }) => ({ name, ...comparable(await ask(client, host)) })),
    );
    for (const other of others) expect(other).toEqual({ ...first, name: other.name });
    expect(first?.status).toBeLessThan(500);
  });

  test('issues tokens that its guard accepts', async () => {
    for (const { name, host, client } of running) {
      const { json } = await client.post('/oauth/token', { grant_type: 'client_credentials' }, CREDENTIALS);
      const { status, json: seen } = await new Client(host.origin).get(
        '/guarded/profile',
        bearer(String(json['access_token'])),
      );
      expect([name, status, seen]).toEqual([
        name,
        200,
        { auth: expect.objectContaining({ client_id: 'service', iss: issuer }) },
      ]);
    }
  });
});
