import { expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import type { Clock, Store } from '../../../src/core/base/ports.js';
import type { OwnerRecord } from '../../../src/core/oauth/owners/owner-records.js';

const START = Date.UTC(2030, 0, 1);
const HOUR = 3_600_000;

/** So many that each part of a list gets a new entry, which may remove expired ones. */
const OTHERS = 48;

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const serverOver = (store: Store, clock: Clock, name: string) =>
  oauthQuery({
    store,
    issuer: 'https://extended.example',
    secret: 'the secret of a test, which is long enough',
    runtime: { clock },
    clients: [`app-${name}`, ...range(OTHERS).map((n) => `other-${n}`)].map((client_id) => ({
      client_id,
      client_secret: 's'.repeat(32),
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code'],
    })),
    scopes: { read: 'Read' },
    users: [],
    onWarning: () => undefined,
  });
type Server = ReturnType<typeof serverOver>;

/** What ends the grant of an owner for a client, and how many grants it ends. */
const ENDINGS: readonly (readonly [
  title: string,
  count: number,
  end: (server: Server, sub: string, client_id: string) => Promise<number>,
])[] = [
  ['grants.revoke of an owner', 1 + OTHERS, ({ grants }, sub) => grants.revoke({ sub })],
  ['grants.revoke of a client', 1, ({ grants }, _sub, client_id) => grants.revoke({ client_id })],
  ['grants.revoke of an owner for a client', 1, ({ grants }, sub, client_id) => grants.revoke({ sub, client_id })],
  ['owners.erase', 1 + OTHERS, async ({ owners }, sub) => (await owners.erase(sub)).grants],
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
    const issue = async (over: Store, to: string) =>
      (await serverOver(over, clock, name).issue({ sub, username: 'Alice Appleby', client_id: to, scope: 'read' }))
        .access_token;
    await issue(whileExtending(store), client_id);
    now += 1.5 * HOUR;
    const token = await issue(whileExtending(store), client_id);
    // The first entry of the connection has ended, and every process agrees about that.
    now = START + 2.4 * HOUR;
    for (const n of range(OTHERS)) await issue(store, `other-${n}`);
    return { server: serverOver(store, clock, name), token, client_id, sub, issue: () => issue(store, client_id) };
  };

  test.each(ENDINGS)('%s ends what an extended connection has', async (title, count, end) => {
    const { server, token, client_id, sub } = await issueTwice(title.replaceAll(/\W/g, '-'));
    const connections = (await recordsOf(server, sub)).filter(({ type }) => type === 'connection');
    expect(connections, 'owners.export is complete').toHaveLength(1 + OTHERS);
    expect((await server.check.any(token)).authorization).toMatchObject({ sub });
    expect(await end(server, sub, client_id)).toBe(count);
    expect((await server.check.any(token)).authorization).toBeUndefined();
    expect((await server.grants.list({ client_id })).grants, 'no name is left').toEqual([]);
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
    const { server, token, client_id, sub } = await issueTwice(`03-${title.replaceAll(/\W/g, '-')}`, asIn03);
    expect(await end(server, sub, client_id)).toBe(count);
    expect((await server.check.any(token)).authorization).toBeUndefined();
    expect((await server.grants.list({ client_id })).grants).toEqual([]);
  });

  test('the next sign-in writes the entries of a connection of 0.3 again', async () => {
    const { server, sub, issue } = await issueTwice('03-again', asIn03);
    await issue();
    const found = (await recordsOf(server, sub)).filter(({ type }) => type === 'connection');
    expect(found).toHaveLength(1 + OTHERS);
  });
}
