import { expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import { storedClients } from '../../../src/clients/index.js';
import type { Clock, Store } from '../../../src/core/base/ports.js';
import type { OwnerRecord } from '../../../src/core/oauth/owners/owner-records.js';
import { adminPages } from '../../../src/features/admin/index.js';
import { openIdConnect } from '../../../src/features/openid/index.js';
import { rsaPair } from '../../rsa.js';

const ISSUER = 'https://extended.example';
const START = Date.UTC(2030, 0, 1);
const HOUR = 3_600_000;

/** So many that each part of a list gets a new entry, which may remove expired ones. */
const OTHERS = 48;

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const { privateKey: KEY } = rsaPair();

/** The clients that were told by a logout token. */
const told: string[] = [];

const serverOver = (store: Store, clock: Clock, name: string, errors: unknown[]) =>
  oauthQuery({
    store,
    issuer: ISSUER,
    secret: 'the secret of a test, which is long enough',
    runtime: { clock },
    clients: [`app-${name}`, ...range(OTHERS).map((n) => `other-${n}`)].map((client_id) => ({
      client_id,
      client_secret: 's'.repeat(32),
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code'],
      scope: 'read openid',
      ...(client_id === `app-${name}` && { backchannel_logout_uri: `https://app.example/${name}` }),
    })),
    scopes: { read: 'Read' },
    // Whoever the request says: the pages are the subject, and not the sign-in.
    owner: ({ headers }) => ({ sub: headers.get('x-owner') ?? 'an administrator' }),
    loginUrl: '/login',
    features: [
      openIdConnect({
        keys: [{ key: KEY }],
        revokeAtLogout: true,
        logoutUrl: '/signed-out',
        sendLogoutToken: async (address) => void told.push(address),
      }),
      adminPages({ clients: storedClients(store, { clock }), isAdmin: () => true }),
    ],
    onWarning: () => undefined,
    // A page tidies up after its response, maybe when the test is over and its store is closed.
    onError: (error) => void errors.push(error),
  });
type Server = ReturnType<typeof serverOver>;

/** Opens a page as this owner, and sends its form with these fields; the question that follows is answered by yes. */
const press = async (
  { handler }: Server,
  sub: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<undefined> => {
  let cookie = '';
  const send = async (body?: URLSearchParams): Promise<Response> => {
    const headers = { 'x-owner': sub, cookie };
    const sent = body === undefined ? { headers } : { headers, method: 'POST', body };
    const [address = path] = body === undefined ? [] : path.split('?');
    const response = await handler(new Request(ISSUER + address, sent));
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
  const page = await (await send()).text();
  const hidden = [...page.matchAll(/<input type="hidden" name="(form_token|resume)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const pressed = await send(new URLSearchParams({ ...Object.fromEntries(hidden), ...fields, confirmed: 'yes' }));
  expect(pressed.status, await pressed.text()).toBe(303);
};

/** What ends the grant of an owner for a client, and how many grants it ends; pages show no number. */
const ENDINGS: readonly (readonly [
  title: string,
  count: number | undefined,
  end: (server: Server, sub: string, client_id: string) => Promise<number | undefined>,
])[] = [
  ['grants.revoke of an owner', 1 + OTHERS, ({ grants }, sub) => grants.revoke({ sub })],
  ['grants.revoke of a client', 1, ({ grants }, _sub, client_id) => grants.revoke({ client_id })],
  ['grants.revoke of an owner for a client', 1, ({ grants }, sub, client_id) => grants.revoke({ sub, client_id })],
  ['owners.erase', 1 + OTHERS, async ({ owners }, sub) => (await owners.erase(sub)).grants],
  [
    'the button Disconnect',
    undefined,
    (server, sub, client_id) => press(server, sub, '/oauth/grants', { disconnect: client_id }),
  ],
  [
    'the button Disconnect all',
    undefined,
    (server, sub) => press(server, sub, '/oauth/grants', { decision: 'disconnect_all' }),
  ],
  [
    'revokeAtLogout',
    undefined,
    (server, sub, client_id) => press(server, sub, `/oauth/logout?client_id=${client_id}`, {}),
  ],
  [
    'the button End all grants of administrators',
    undefined,
    (server, _sub, client_id) =>
      press(server, 'an administrator', '/oauth/admin?new=1', { act: 'end_all', client: client_id }),
  ],
];

const recordsOf = async ({ owners }: Server, sub: string): Promise<readonly OwnerRecord[]> => {
  const found: OwnerRecord[] = [];
  for await (const record of owners.export(sub)) found.push(record);
  return found;
};

/**
 * Registers the tests of owners who come back, so that their connection is extended, and act after its first expiry.
 *
 * @param open - Called before each test.
 */
export function extendedConnectionCases(open: (clock: Clock) => Promise<Store>): void {
  const issueTwice = async (name: string, whileExtending: (store: Store) => Store = (store) => store) => {
    let now = START;
    const clock = (): number => now;
    const store = await open(clock);
    const client_id = `app-${name}`;
    const sub = `owner-${name}`;
    const errors: unknown[] = [];
    const server = serverOver(store, clock, name, errors);
    const first = serverOver(whileExtending(store), clock, name, errors);
    const issue = async (to: string, by = server) =>
      (await by.issue({ sub, username: 'Alice Appleby', client_id: to, scope: ['read', 'openid'] })).access_token;
    await issue(client_id, first);
    now += 1.5 * HOUR;
    const token = await issue(client_id, first);
    // The first entry of the connection has ended, and every process agrees about that.
    now = START + 2.4 * HOUR;
    for (const n of range(OTHERS)) await issue(`other-${n}`);
    return { server, errors, token, client_id, sub, issue: () => issue(client_id) };
  };

  test('a logout token is sent for an extended connection', async () => {
    const { server, sub } = await issueTwice('told');
    await server.grants.revoke({ sub });
    await expect.poll(() => told).toContain('https://app.example/told');
  });

  test('grants.apps has an extended connection, and so has it of an owner with more than 2,000 grants', async () => {
    const { server, sub, client_id } = await issueTwice('many');
    const found = async () => (await server.grants.apps({ sub })).find((app) => app.client_id === client_id);
    expect(await found()).toMatchObject({ scope: 'read openid', grants: 1 });
    for (let n = 0; n < 20; n += 1)
      await Promise.all(range(100).map(() => server.issue({ sub, client_id, scope: 'read' })));
    const app = await found();
    expect(app).toMatchObject({ client_id });
    expect(app?.grants).toBeUndefined();
  }, 120_000);

  test.each(ENDINGS)('%s ends what an extended connection has', async (title, count, end) => {
    const { server, errors, token, client_id, sub } = await issueTwice(title.replaceAll(/\W/g, '-'));
    const connections = (await recordsOf(server, sub)).filter(({ type }) => type === 'connection');
    expect(connections, 'owners.export is complete').toHaveLength(1 + OTHERS);
    expect((await server.check.any(token)).authorization).toMatchObject({ sub });
    expect(await end(server, sub, client_id)).toBe(count);
    expect((await server.check.any(token)).authorization).toBeUndefined();
    expect((await server.grants.list({ client_id })).grants, 'no name is left').toEqual([]);
    expect(errors).toEqual([]);
  });

  /** 0.3 extended a connection without its entries, and knows no mark of that. */
  const asIn03 = (store: Store): Store => ({
    ...store,
    swap: (key, before, { ...value }, expiresAt) => {
      Reflect.deleteProperty(value, 'listed');
      return store.swap(key, before, value, expiresAt);
    },
  });

  test.each(ENDINGS)('%s ends what a connection of 0.3 has, although its list has ended', async (title, count, end) => {
    const { server, errors, token, client_id, sub } = await issueTwice(`03-${title.replaceAll(/\W/g, '-')}`, asIn03);
    expect(await end(server, sub, client_id)).toBe(count);
    // "Disconnect all" finds it by its grants, after the response.
    await expect.poll(async () => (await server.check.any(token)).authorization).toBeUndefined();
    await expect.poll(async () => (await server.grants.list({ client_id })).grants).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('the next sign-in writes the entries of a connection of 0.3 again', async () => {
    const { server, sub, issue } = await issueTwice('03-again', asIn03);
    await issue();
    const found = (await recordsOf(server, sub)).filter(({ type }) => type === 'connection');
    expect(found).toHaveLength(1 + OTHERS);
  });
}
