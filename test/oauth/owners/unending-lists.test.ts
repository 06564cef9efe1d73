import { expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/fetch/index.js';
import type { Store } from '../../../src/core/base/ports.js';
import { everyRow } from '../../rows.js';
import { ISSUER, Nodes } from '../support/nodes.js';

type List = NonNullable<Store['list']>;

/** Two processes over one store, of which the second has this list of the connections of alice. */
const withList = async (listOf: (list: List, nodes: Nodes) => List) => {
  const nodes = new Nodes({
    clients: Array.from({ length: 30 }, (_, n) => ({
      client_id: `app-${n}`,
      client_secret: 'x'.repeat(30),
      redirect_uris: ['https://app.example/cb'],
    })),
  });
  const node = await nodes.start({
    between: (store) => ({ ...store, list: listOf(store.list ?? expect.fail(), nodes) }),
  });
  return { nodes, node, plain: await nodes.start() };
};

test('a list to which others keep adding: revoke gives up after ten passes, and says what to do', async () => {
  let connect: () => Promise<unknown> = async () => undefined;
  let passes = 0;
  const { nodes, node, plain } = await withList((list) => async (group, page) => {
    if (group.includes('connections') && page.after === undefined) {
      passes += 1;
      await connect();
    }
    return list(group, page);
  });
  await plain.flows.tokens('web');
  let n = 0;
  const { owner: _, ...usual } = nodes.shared.options;
  const { issue } = oauthQuery({ ...usual, issuer: ISSUER });
  connect = () => issue({ sub: 'alice', client_id: `app-${n++}`, scope: 'profile' });
  await expect(node.host.grants.revoke({ sub: 'alice' })).rejects.toThrow(
    /Others kept adding to a list while it was read 10 times.*call again, or prevent new sign-ins first/,
  );
  expect(passes).toBe(10);
  connect = async () => undefined;
  await node.host.grants.revoke({ sub: 'alice' });
  expect((await plain.host.grants.list({ sub: 'alice' })).grants).toEqual([]);
  await nodes.close();
});

test('a page that cannot be read: revoke rejects, and never reports that there was nothing', async () => {
  let fault: List | undefined;
  const { nodes, node, plain } = await withList((list) => (group, page) => (fault ?? list)(group, page));
  const { access_token } = await plain.flows.tokens('web');
  await everyRow(
    [
      ['it rejects', () => Promise.reject(new Error('cut'))],
      ['nonsense', async () => 'nonsense' as never],
      ['keys of others', async () => ({ keys: ['of another server'] })],
      ['a position that is none', async () => ({ keys: [], next: '\n' })],
      [
        'the second page is missing',
        async (_group, { after }) => {
          if (after !== undefined) throw new Error('cut');
          return { keys: [], next: 'b' };
        },
      ],
    ] as readonly (readonly [string, List])[],
    async ([, list]) => {
      fault = list;
      for (const target of [{ sub: 'alice' }, { client_id: 'web' }])
        await expect(node.host.grants.revoke(target)).rejects.toMatchObject({ name: 'UnavailableError' });
      await expect(node.host.owners.erase('alice')).rejects.toMatchObject({ name: 'UnavailableError' });
    },
  );
  fault = undefined;
  expect(await node.host.grants.revoke({ sub: 'alice' })).toBe(1);
  expect(await plain.flows.isActive(access_token)).toBe(false);
  await nodes.close();
});
