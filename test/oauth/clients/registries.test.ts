import { checkClient, type ClientRegistry, type ClientRow } from 'oauth-query';
import { describe, expect, test } from 'vitest';
import { type Answer, basic, bearer, Client, hostFor, type HostOptions } from '../../hosts.js';
import { Browser, wordsOf } from '../support/browser.js';
import { CLIENTS, fixture, SCOPES } from '../support/fixture.js';
import { refusal } from '../support/tokens.js';

/** What a table answers: every column, those of its own too. */
const ROW = {
  client_id: 'shop',
  client_secret: 'shop-secret',
  client_name: 'The Shop',
  redirect_uris: ['https://shop.example/cb'],
  grant_types: ['client_credentials', 'authorization_code'] as string[],
  scope: 'profile content.read',
  default_scope: null,
  token_endpoint_auth_method: 'client_secret_basic' as string,
  jwks: null,
  refresh: null,
  disabled: false,
  logo_uri: 'https://shop.example/logo.png',
  client_uri: 'http://127.0.0.1:8080/',
  policy_uri: null,
  tos_uri: null,
  contacts: ['ops@shop.example'],
  created_at: new Date(0),
  redirect_url: 'https://shop.example/old',
  client_secret_expires_at: 0,
} satisfies ClientRow & Readonly<Record<string, unknown>>;

const table = (...rows: readonly object[]): ClientRegistry => {
  const find = (id: string) => rows.find((row) => 'client_id' in row && row.client_id === id);
  // What a driver answers has the type `any`.
  return { find: (id) => Promise.resolve(find(id) as ClientRow | undefined) };
};

describe.each(hostFor(import.meta.url))('a registry of the application, $name', ({ start }) => {
  const serve = async (clients: NonNullable<HostOptions['clients']>) => {
    const warnings: string[] = [];
    const { options, errors } = fixture();
    const host = await start({ options: { ...options, clients, onWarning: (text) => warnings.push(text) } });
    const http = new Client(host.base);
    return {
      errors,
      warnings: () => warnings.filter((text) => text.startsWith('clients.find')),
      guarded: (token: unknown) => new Client(host.origin).get('/guarded/profile', bearer(String(token))),
      page: (client_id: string) => new Browser(host).authorize({ response_type: 'code', client_id }),
      token: (id: string, secret = `${id}-secret`): Promise<Answer> =>
        http.post('/oauth/token', 'grant_type=client_credentials', basic(id, secret)),
    };
  };

  test('may return a table row: null is absent, and each unknown column is warned of once', async () => {
    const server = await serve(table(ROW, { ...ROW, client_id: 'shop2' }));
    for (const id of ['shop', 'shop2', 'shop'])
      expect((await server.token(id, 'shop-secret')).json['scope'], id).toBe('profile content.read');
    expect((await server.page('shop')).status).toBe(200);
    expect(server.warnings()).toEqual([
      'clients.find: The column "created_at" is ignored: registrations have no such field. (OQ309)',
      'clients.find: The column "redirect_url" is ignored: registrations have no such field. Did you mean redirect_uris? (OQ309)',
    ]);
    expect(server.errors).toEqual([]);
  });

  test('is warned of a secret that could be guessed, once, unless the server is on loopback', async () => {
    const warnings: string[] = [];
    const rows = table(ROW, { ...ROW, client_id: 'shop2' });
    for (const issuer of ['http://127.0.0.1', 'https://shop.example']) {
      const { options } = fixture();
      const onWarning = (text: string) => warnings.push(text);
      const host = await start({ options: { ...options, issuer, clients: rows, onWarning } });
      const http = new Client(host.base);
      for (const id of ['shop', 'shop2'])
        await http.post('/oauth/token', 'grant_type=client_credentials', basic(id, 'shop-secret'));
    }
    expect(warnings.filter((text) => text.includes('client_secret'))).toEqual([
      'clients.find: The client_secret of "shop" has fewer than 22 characters, so it could be guessed. Generate one with: npx oauth-query secret (OQ204)',
    ]);
  });

  test('a warning escapes characters that a log or a terminal would obey', async () => {
    const server = await serve(table({ ...ROW, ['x\u009b2J\u202e']: 1 } as ClientRow));
    await server.page('shop');
    expect(server.warnings()).toContain(
      String.raw`clients.find: The column "x\u009b2J\u202e" is ignored: registrations have no such field. (OQ309)`,
    );
  });

  test('a row without a secret is a public client, and never one with a missing secret', async () => {
    const server = await serve(table({ ...ROW, client_secret: null }));
    expect(refusal(await server.token('shop'))).toEqual([401, 'invalid_client']);
    expect(server.errors.map(String)).toEqual([
      'TypeError: Client "shop": client_credentials requires a client_secret, jwks or jwks_uri. Client "shop": token_endpoint_auth_method requires a client_secret.',
    ]);
  });

  test.each([
    ['disabled: 1', { disabled: 1 }, 'disabled must be true or false'],
    ['texts instead of lists', { redirect_uris: '["https://shop.example/cb"]' }, 'redirect_uris must be an array of'],
    ['an end of the secret', { client_secret_expires_at: 1_893_456_000 }, 'client_secret_expires_at is not supported'],
    ['an address without TLS', { logo_uri: 'http://shop.example/logo.png' }, 'logo_uri must be an https address'],
    ['a script', { policy_uri: 'javascript:alert(1)' }, 'policy_uri must be an https address'],
    ['a scope that is gone', { scope: 'profile photos' }, 'scope names "photos", which options.scopes does not have'],
  ])('an invalid row affects only its client, and onError receives the field: %s', async (_what, wrong, problem) => {
    let isWrong = false;
    const { find } = table(...CLIENTS);
    const server = await serve({
      find: (id) => (id === 'shop' ? ({ ...ROW, ...(isWrong ? wrong : {}) } as ClientRow) : find(id)),
    });
    const { access_token } = (await server.token('shop')).json;
    expect((await server.guarded(access_token)).status).toBe(200);
    isWrong = true;
    expect(refusal(await server.token('shop'))).toEqual([401, 'invalid_client']);
    const page = await server.page('shop');
    expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining('is not known')]);
    expect((await server.guarded(access_token)).status).toBe(401);
    expect(server.errors).toHaveLength(3);
    for (const error of server.errors) expect(String(error)).toContain(`TypeError: Client "shop": ${problem}`);
    expect((await server.token('service')).status).toBe(200);
  });

  test.each([
    ['a table that does not tell cases apart', { ...ROW, client_id: 'SHOP' }],
    ['a text', 'shop'],
    ['a list', [ROW]],
  ])('that returns another client has no result: %s', async (_what, answer) => {
    const server = await serve({ find: () => answer as unknown as ClientRow });
    expect(refusal(await server.token('shop'))).toEqual([401, 'invalid_client']);
    expect(server.errors.map(String)).toEqual([
      expect.stringMatching(/clients\.find returned (a different client from the one requested|an array: )/),
    ]);
  });

  test('a row that is the same object again is neither validated nor reported again', async () => {
    const server = await serve(table({ ...ROW, disabled: 1 }));
    for (let n = 0; n < 3; n += 1) expect((await server.token('shop')).status).toBe(401);
    expect(server.errors).toHaveLength(1);
  });

  test('registries can be combined with a list: the list first, then the first registry that knows the client', async () => {
    const asked: string[] = [];
    const heard = (name: string, registry: ClientRegistry): ClientRegistry => ({
      find: (id) => (asked.push(`${name} ${id}`), registry.find(id)),
    });
    const server = await serve([
      heard('a', table({ ...ROW, client_id: 'a' }, { ...ROW, client_id: 'both', disabled: true })),
      ...CLIENTS,
      heard('b', table({ ...ROW, client_id: 'b' }, { ...ROW, client_id: 'both' }, { ...ROW, client_id: 'service' })),
    ]);
    const statuses = [];
    for (const [id, secret] of [
      ['service', 'service-secret'],
      ['a', 'shop-secret'],
      ['b', 'shop-secret'],
      ['both', 'shop-secret'],
      ['nobody', 'shop-secret'],
    ] as const)
      statuses.push((await server.token(id, secret)).status);
    expect(statuses).toEqual([200, 200, 200, 401, 401]);
    expect(asked).toEqual(['a a', 'a b', 'b b', 'a both', 'a nobody', 'b nobody']);
    expect(server.errors).toEqual([]);
  });

  test('that fails is 503 for clients it might know, whatever later registries have', async () => {
    const away: ClientRegistry = { find: () => Promise.reject(new Error('the database is away')) };
    const server = await serve([...CLIENTS, away, table(ROW)]);
    expect((await server.token('service')).status).toBe(200);
    const answer = await server.token('shop');
    expect([...refusal(answer), answer.headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '5']);
    expect((await server.page('shop')).status).toBe(503);
    expect(server.errors.map(String)).toEqual(Array(2).fill('UnavailableError: clients.find failed.'));
    expect(server.errors.map((error) => (error as Error).cause)).toEqual(
      Array(2).fill(new Error('the database is away')),
    );
  });
});

describe('checkClient', () => {
  test('finds no problems in clients that a server accepts', () => {
    for (const client of CLIENTS) expect(checkClient(client, { scopes: SCOPES })).toEqual([]);
    expect(checkClient({ client_id: 'spa', redirect_uris: ['https://a.example/cb'], client_secret: null })).toEqual([]);
  });

  test('reports all problems before a client is saved', () => {
    const { created_at: _, redirect_url: __, client_secret_expires_at: ___, ...row } = ROW;
    expect(
      checkClient(
        { ...row, logo_uri: 'ftp://shop.example', contacts: [5] as unknown as string[], scope: 'profile photos' },
        { scopes: SCOPES },
      ),
    ).toEqual([
      'Client "shop": logo_uri must be an https address, an http one on loopback, or a data: URL of a picture (at most 64 KiB).',
      'Client "shop": contacts[0] must be a string.',
      'Client "shop": scope names "photos", which options.scopes does not have.',
    ]);
    expect(checkClient(ROW)).toEqual([
      expect.stringContaining('Client "shop": created_at is unknown. Known are client_id,'),
      'Client "shop": redirect_url is unknown. Did you mean redirect_uris?',
      'Client "shop": client_secret_expires_at is not supported; give the client_secret an expiresAt, in milliseconds.',
    ]);
  });

  test('validates against the given scopes and grants of the server, otherwise accepts any', () => {
    const row = { client_id: 'a', client_secret: 'b', grant_types: ['urn:example:grant'], scope: 'photos' };
    expect(checkClient(row)).toEqual([]);
    expect(checkClient(row, { scopes: {}, customGrants: [] })).toEqual([
      'Client "a": grant_types names "urn:example:grant", which no feature has: add customGrant(…) to options.features.',
      'Client "a": scope names "photos", which options.scopes does not have.',
    ]);
    expect(checkClient({ ...row, scope: 'look' }, { scopes: { look: 'Look' } })).toEqual([]);
  });

  test('a misspelled field is reported with the closest known one', () => {
    const given = { clientId: 'web', secret: 'x' } as unknown as ClientRow;
    expect(checkClient(given)).toEqual([
      'A client without client_id: clientId is unknown. Did you mean client_id?',
      'A client without client_id: secret is unknown. Did you mean client_secret?',
      'A client without client_id: client_id must be printable ASCII, at most 512 characters.',
    ]);
  });

  test.each([[null], [undefined], [5], ['web'], [{}]])('of %j is also a message', (given) => {
    expect(checkClient(given as unknown as ClientRow)).toEqual([
      'A client without client_id: client_id must be printable ASCII, at most 512 characters.',
    ]);
  });
});
