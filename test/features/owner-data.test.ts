import { feature } from 'oauth-query/feature';
import { oauthQuery } from 'oauth-query/fetch';
import { memoryStore } from 'oauth-query/stores/memory';
import { expect, test } from 'vitest';

/** Two notes of each user, more than one page of a list. */
const keeping = (name: string, failures: Error[] = []) =>
  feature({
    name,
    start: ({ records }) => ({
      provide: records,
      owners: {
        async *exportOwner(sub) {
          let after: string | undefined;
          do {
            const page: Awaited<ReturnType<typeof records.list>> = await records.list(sub, { after, limit: 1 });
            for (const found of await records.get(page.keys)) if (found !== undefined) yield { note: found['note'] };
            after = page.next;
          } while (after !== undefined);
        },
        eraseOwner: async (sub) => {
          const failure = failures.pop();
          if (failure !== undefined) throw failure;
          const { keys } = await records.list(sub, { limit: 100 });
          await Promise.all(keys.map((key) => records.delete(key)));
        },
      },
      routes: [
        {
          path: `/${name}`,
          POST: async () => {
            const exp = 4_000_000_000;
            for (const sub of ['alice', 'bob'])
              for (const note of ['tea', 'milk']) await records.add(`${sub}-${note}`, { exp, note } as never, [sub]);
            return { status: 200, headers: {}, body: '' };
          },
        },
      ],
    }),
  });

test('owners.export and owners.erase include what features store about an owner', async () => {
  const issuer = 'http://127.0.0.1:3000';
  const failures: Error[] = [];
  const features = [keeping('b'), keeping('a', failures), feature({ name: 'c' })];
  const oauth = oauthQuery({ issuer, users: [], store: memoryStore(), onWarning: () => undefined, features });
  for (const name of ['a', 'b']) await oauth.fetch(new Request(`${issuer}/${name}`, { method: 'POST' }));
  const exported = async (sub: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const record of oauth.owners.export(sub)) found.push(JSON.stringify(record));
    return found;
  };
  const ofBoth = ['a', 'b'].flatMap((name) =>
    ['tea', 'milk'].map((note) => JSON.stringify({ type: 'feature', feature: name, data: { note } })),
  );
  expect((await exported('alice')).toSorted()).toEqual(ofBoth.toSorted());

  failures.push(new Error('not now'));
  await expect(oauth.owners.erase('alice')).rejects.toThrow('not now');
  await oauth.owners.erase('alice');
  expect(await exported('alice')).toEqual([]);
  expect(await exported('bob')).toHaveLength(4);
});
