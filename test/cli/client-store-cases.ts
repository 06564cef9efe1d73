import { storedClients } from 'oauth-query/clients';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic, Client, oneHostEach, type RunningHost } from '../hosts.js';
import { oauthQueryInProcess, type Run } from './program.js';

const REDIRECT = 'https://photos.example/cb';

/** What the commands over a store do, with a server that reads clients in the same store. */
export const clientStoreCases = (address: () => string): void => {
  let store: OpenedStore;
  let host: RunningHost;
  let http: Client;

  beforeAll(async () => {
    store = await openStore(address());
    await store.migrate();
    const [first] = oneHostEach;
    const clients = storedClients(store, { cacheSeconds: 0 });
    host = await first.start({ options: { store, clients, scopes: { read: 'Read', write: 'Write' } } });
    http = new Client(host.base);
  });
  afterAll(async () => {
    await host?.close();
    await store?.close();
  });

  const run = (args: readonly string[], input = ''): Promise<Run> =>
    oauthQueryInProcess(['client', ...args], { input, env: { STORE_URL: address() } });

  const json = async (args: readonly string[], input = ''): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run(args, input);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };

  const own = async (id: string, secret: unknown): Promise<number> =>
    (await http.post('/oauth/token', 'grant_type=client_credentials', basic(id, String(secret)))).status;

  test('add prints the client_id and the secret once, and the server accepts both', async () => {
    const { client_id, client_secret } = await json(['add', '--grant', 'client_credentials', '--scope', 'read']);
    expect(await own(String(client_id), client_secret)).toBe(200);
    expect((await run(['show', String(client_id)])).stdout).not.toMatch(/[\w-]{43}/);
  });

  test('every field has an option or is read as JSON, and options take precedence', async () => {
    const { registration, client_secret, secrets } = await json(
      ['add', 'web', '--name', 'Photos', '--redirect-uri', REDIRECT, '--redirect-uri', `${REDIRECT}2`, '--from', '-'],
      '{ "client_name": "Other", "scope": "read write", "default_scope": "read", "require_pkce": true, "client_uri": "https://photos.example/" }',
    );
    expect(registration).toEqual({
      client_name: 'Photos',
      redirect_uris: [REDIRECT, `${REDIRECT}2`],
      scope: 'read write',
      default_scope: 'read',
      require_pkce: true,
      client_uri: 'https://photos.example/',
    });
    expect([client_secret, secrets]).toEqual([expect.stringMatching(/^[\w-]{43}$/), [{ hash: 'sha256' }]]);
  });

  test('--public creates no secret; a given secret or given keys are used', async () => {
    const spa = await json(['add', 'spa', '--public', '--redirect-uri', REDIRECT]);
    expect([spa['secrets'], 'client_secret' in spa]).toEqual([[], false]);
    const chosen = 'correct horse battery staple';
    const typed = await json(['add', 'typed', '--from', '-'], JSON.stringify({ client_secret: chosen }));
    expect([typed['secrets'], 'client_secret' in typed]).toEqual([[{ hash: 'scrypt' }], false]);
    expect([await own('typed', chosen), await own('typed', 'another')]).toEqual([200, 401]);
    const none = await json(
      ['add', 'none', '--from', '-'],
      JSON.stringify({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] }),
    );
    expect(none['secrets']).toEqual([]);
  });

  test('change replaces given fields, null removes them, and a different version is a conflict', async () => {
    await json(['add', 'changing', '--public', '--redirect-uri', REDIRECT, '--scope', 'read', '--name', 'Old']);
    const changed = await json(['change', 'changing', '--name', 'New', '--from', '-'], '{ "scope": null }');
    expect([changed['version'], changed['registration']]).toEqual([
      2,
      { client_name: 'New', redirect_uris: [REDIRECT] },
    ]);
    const { code, stdout, stderr } = await run(['change', 'changing', '--name', 'Newer', '--if-version', '1']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'Client "changing" was changed in the meantime. Reload it before you change it again.\n',
    ]);
    expect((await json(['show', 'changing']))['version']).toBe(2);
    expect((await json(['change', 'changing', '--name', 'Newer', '--if-version', '2']))['version']).toBe(3);
  });

  test('rotate prints a new secret once, and until when the old one works; 0 ends it immediately', async () => {
    const { client_secret: first } = await json(['add', 'rotating']);
    const { secrets, client_secret: second } = await json(['rotate', 'rotating', '--overlap', '3600']);
    const until = (secrets as readonly { readonly expires_at?: number }[])[1]?.expires_at ?? 0;
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect([await own('rotating', first), await own('rotating', second)]).toEqual([200, 200]);
    const third = await json(['rotate', 'rotating', '--overlap', '0']);
    expect(third['secrets']).toEqual([{ hash: 'sha256' }]);
    expect([await own('rotating', second), await own('rotating', third['client_secret'])]).toEqual([401, 200]);
  });

  test('disable, enable, end-tokens and remove take effect at the server', async () => {
    const { client_secret } = await json(['add', 'job']);
    const token = (
      await http.post('/oauth/token', 'grant_type=client_credentials', basic('job', String(client_secret)))
    ).json['access_token'];
    const isActive = async (): Promise<unknown> =>
      (await http.post('/oauth/introspect', { token: String(token) }, basic('job', String(client_secret)))).json[
        'active'
      ];
    await json(['disable', 'job']);
    expect(await own('job', client_secret)).toBe(401);
    await json(['enable', 'job']);
    expect([await own('job', client_secret), await isActive()]).toEqual([200, true]);
    await json(['end-tokens', 'job']);
    expect([await own('job', client_secret), await isActive()]).toEqual([200, false]);
    const removed = await run(['remove', 'job', '--yes']);
    expect(removed).toEqual({ code: 0, stdout: '{"client_id":"job","removed":true}\n', stderr: '' });
    expect(await own('job', client_secret)).toBe(401);
    const again = await run(['remove', 'job', '--yes']);
    expect(again).toEqual({ code: 1, stdout: '', stderr: 'There is no client "job".\n' });
  });

  test('list prints a line for each client, over several pages', async () => {
    const clients = storedClients(store, { issuer: 'https://many.example' });
    const names = Array.from({ length: 130 }, (_, n) => `client-${n}`);
    for (const client_id of names) await clients.add({ client_id, redirect_uris: [REDIRECT] });
    await clients.disable('client-7');
    const { stdout } = await run(['list', '--issuer', 'https://many.example']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): { client_id: string } => JSON.parse(line));
    expect(lines.map(({ client_id }) => client_id).sort()).toEqual(names.toSorted());
    const none = await run(['list', '--issuer', 'https://none.example']);
    expect(none).toEqual({ code: 0, stdout: '', stderr: '' });
  });
};
