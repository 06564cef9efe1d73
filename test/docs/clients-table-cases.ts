import type { ClientRegistration, ClientRegistry } from 'oauth-query';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientsIn, type Rows, SCOPES, TABLE } from '../../examples/clients/table.js';
import { basic, bearer, Client, oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';

interface Table extends ClientRegistry {
  /** The secret of a confidential client. */
  add(client: ClientRegistration): Promise<string>;
  rotate(client_id: string, overlap: number, now?: number): Promise<string>;
  disable(client_id: string, disabled?: boolean): Promise<void>;
  change(client_id: string, changed: (client: ClientRegistration) => ClientRegistration): Promise<void>;
}

/** The table of examples/clients, with a real database behind a server. */
export const clientsTableCases = (
  open: () => Promise<{ rows: Rows; run(sql: string): unknown; close(): unknown }>,
): void => {
  const { options, clock, advance, errors } = fixture();
  let database: Awaited<ReturnType<typeof open>>;
  let table: Table;
  let host: RunningHost;
  let http: Client;

  beforeAll(async () => {
    database = await open();
    await database.run('DROP TABLE IF EXISTS clients');
    await database.run(TABLE);
    table = clientsIn(database.rows) as Table; // All clients of the test but one have a secret.
    const [first] = oneHostEach;
    host = await first.start({
      options: { ...options, clients: table, scopes: SCOPES },
      guarded: { photos: { scope: 'photos.read' } },
    });
    http = new Client(host.base);
  }, 120_000);
  afterAll(async () => {
    await host?.close();
    await database?.close();
  });

  const token = (id: string, secret: string) =>
    http.post('/oauth/token', 'grant_type=client_credentials', basic(id, secret));
  const own = async (id: string, secret: string): Promise<number> => (await token(id, secret)).status;
  const isLetIn = async (access: unknown): Promise<boolean> =>
    (await http.get('/guarded/photos', bearer(String(access)))).status === 200;

  test('an added client is known immediately, any other is unknown', async () => {
    const secret = await table.add({ client_id: 'job', client_name: 'Job', scope: 'photos.read' });
    expect([await own('job', secret), await own('job', 'x'), await own('nobody', secret)]).toEqual([200, 401, 401]);
    const web = await table.add({ client_id: 'web', redirect_uris: ['https://app.example/cb'] });
    expect(await own('web', web), 'it is for owners').toBe(400);
    expect(await table.find('web')).toMatchObject({
      redirect_uris: ['https://app.example/cb'],
      client_secret: [{ sha256: expect.stringMatching(/^[\w-]{43}$/) }],
    });
  });

  test('an invalid client is not saved, and no client is added twice', async () => {
    const wrong = { client_id: 'wrong', redirect_uris: ['http://app.example/cb'], scope: 'photos.raed' };
    const message = `Client "wrong": scope names "photos.raed", which options.scopes does not have.
Client "wrong": the redirect URI "http://app.example/cb" must begin with https://; http:// is only for loopback addresses.`;
    await expect(table.add(wrong)).rejects.toThrow(new Error(message));
    expect((await table.find('wrong')) ?? undefined).toBeUndefined();
    await table.add({ client_id: 'twice' });
    await expect(table.add({ client_id: 'twice' })).rejects.toThrow();
  });

  test('a secret is rotated without downtime, repeatedly', async () => {
    const first = await table.add({ client_id: 'rotating' });
    const second = await table.rotate('rotating', 3600, clock());
    expect([await own('rotating', first), await own('rotating', second)]).toEqual([200, 200]);
    const third = await table.rotate('rotating', 3600, clock());
    const all = async () => [await own('rotating', first), await own('rotating', second), await own('rotating', third)];
    advance(3599);
    expect(await all()).toEqual([401, 200, 200]);
    advance(1);
    expect(await all()).toEqual([401, 401, 200]);
    await expect(table.rotate('nobody', 0)).rejects.toThrow('There is no client nobody.');
  });

  test('a public client has no secret to rotate, and gets refresh tokens if it is registered for them', async () => {
    const spa = { client_id: 'spa', redirect_uris: ['https://spa.example/cb'], refresh: 'rotating' } as const;
    expect(await table.add({ ...spa, token_endpoint_auth_method: 'none' })).toBeUndefined();
    expect(await table.find('spa')).toEqual({ ...spa, token_endpoint_auth_method: 'none' });
    await expect(table.rotate('spa', 0)).rejects.toThrow('The client spa has no secret.');
    const page = await http.get(
      `/oauth/authorize?response_type=code&client_id=spa&redirect_uri=https%3A%2F%2Fspa.example%2Fcb&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`,
    );
    expect(page.status).not.toBe(400);
  });

  test('of simultaneous changes none is lost', async () => {
    await table.add({ client_id: 'busy' });
    const contacts = Array.from({ length: 8 }, (_one, index) => `person-${index}@app.example`);
    await Promise.all(
      contacts.map((contact) =>
        table.change('busy', (client) => ({ ...client, contacts: [...(client.contacts ?? []), contact] })),
      ),
    );
    expect([...((await table.find('busy'))?.contacts ?? [])].toSorted()).toEqual(contacts);
  });

  test("disabling ends the client's access, and can be undone", async () => {
    const secret = await table.add({ client_id: 'off' });
    const { access_token } = (await token('off', secret)).json;
    expect(await isLetIn(access_token)).toBe(true);
    await table.disable('off');
    expect([await own('off', secret), await isLetIn(access_token)]).toEqual([401, false]);
    await table.disable('off', false);
    expect([await own('off', secret), await isLetIn(access_token)]).toEqual([200, true]);
  });

  test('grants.revoke({ client_id }) ends all grants, and the time never goes back', async () => {
    const secret = await table.add({ client_id: 'leaked' });
    const { access_token } = (await token('leaked', secret)).json;
    expect(await isLetIn(access_token)).toBe(true);
    await host.grants.revoke({ client_id: 'leaked' });
    expect(await isLetIn(access_token)).toBe(false);
    await table.endTokens?.('leaked', 1000);
    expect(await isLetIn(access_token)).toBe(false);
    advance(1);
    expect(await isLetIn((await token('leaked', secret)).json['access_token'])).toBe(true);
  });

  test('an invalid row is an unknown client, and nothing else breaks', async () => {
    expect(errors).toEqual([]);
    const secret = await table.add({ client_id: 'broken' });
    await database.run(
      `UPDATE clients SET registration = '{"client_id":"broken","client_secret":"x","scope":"a  b"}' WHERE client_id = 'broken'`,
    );
    expect(await own('broken', secret)).toBe(401);
    expect(errors.map(String)).toEqual([expect.stringContaining('scope must be scopes separated by single spaces')]);
  });
};
