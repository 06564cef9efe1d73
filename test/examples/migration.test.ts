import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basic, bearer, Client } from '../hosts.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

describe.each([
  ['from-node-oauth-oauth2-server', 'printer'],
  ['from-oidc-provider', 'client:printer'],
])('examples/migration/%s.ts', (name, subject) => {
  let program: Example;
  let client: Client;
  beforeAll(async () => {
    const port = await freePort();
    program = await startExample(`migration/${name}.ts`, [], { PORT: String(port) });
    client = new Client(`http://127.0.0.1:${port}`);
    await program.until(new RegExp(`http://127.0.0.1:${port}`));
  });
  afterAll(() => program.stop());

  const photosWith = async (path: string): Promise<unknown> => {
    const form = { grant_type: 'client_credentials', scope: 'photos.read' };
    const { status, json } = await client.post(path, form, basic('printer', 'printer-secret'));
    expect(status).toBe(200);
    const photos = await client.get('/photos', bearer(String(json['access_token'])));
    return [photos.status, photos.json];
  };

  test('an old token opens the route', async () => {
    expect(await photosWith('/old/token')).toEqual([200, { photosOf: subject }]);
  });

  test('a new token opens the route', async () => {
    expect(await photosWith('/oauth/token')).toEqual([200, { photosOf: 'client:printer' }]);
  });

  test('any other token gets 401', async () => {
    expect((await client.get('/photos', bearer('neither'))).status).toBe(401);
    expect((await client.get('/photos')).status).toBe(401);
  });
});
