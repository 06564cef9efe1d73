import { oauthQuery } from 'oauth-query/fetch';
import { memoryStore } from 'oauth-query/stores/memory';
import { expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { everyRow } from '../rows.js';

const PAGE = 50;
const GRANTS = 200;

test('a page of grants is two commands, one after the other, however many grants there are', async () => {
  const inner = memoryStore();
  const calls: string[] = [];
  const store: Store = {
    ...inner,
    get: (key) => (calls.push('get'), inner.get(key)),
    getMany: (keys) => (calls.push('getMany'), inner.getMany(keys)),
    list: (...page) => (calls.push('list'), inner.list(...page)),
  };
  const { issue, grants } = oauthQuery({
    store,
    issuer: 'https://many.example',
    secret: 'the secret of a test, which is long enough',
    clients: [{ client_id: 'photos', client_secret: 's', redirect_uris: ['https://photos.example/cb'] }],
    scopes: { read: 'Read' },
    users: [],
    onWarning: () => undefined,
  });
  for (let n = 0; n < GRANTS; n += 1)
    await issue({ sub: n % 2 === 0 ? 'alice' : `owner-${n}`, client_id: 'photos', scope: 'read' });
  await everyRow([{ client_id: 'photos' }, { sub: 'alice' }], async (of) => {
    const found = new Set<string>();
    let after: string | undefined;
    do {
      calls.length = 0;
      const page = await grants.list(of, { after, limit: PAGE });
      expect([page.grants.length, calls]).toEqual([PAGE, ['list', 'getMany']]);
      for (const { grant_id } of page.grants) found.add(grant_id);
      after = page.next;
    } while (after !== undefined && found.size < 150);
    expect(found.size).toBe('sub' in of ? GRANTS / 2 : 150);
  });
});
