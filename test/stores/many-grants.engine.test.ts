import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { instrumentedStore } from 'oauth-query/stores/instrument';
import { memoryStore } from 'oauth-query/stores/memory';
import { openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import type { GrantsOf } from '../../src/core/oauth/owners/listed-grants.js';
import { describeEngine } from './engines/availability.js';
import { MANY } from './engines/many.js';
import { PLACES } from './engines/places.js';

/** This owner has given a part of the client's grants. */
const OWNER = 'alice';
const OF_OWNER = 1_000;
const PAGE = 50;

const serverOn = (store: Store) =>
  oauthQuery({
    store,
    issuer: 'https://many.example',
    secret: 'the secret of a test, which is long enough',
    clients: [{ client_id: 'photos', client_secret: 's', redirect_uris: ['https://photos.example/cb'] }],
    scopes: { read: 'Read' },
    users: [],
    onWarning: () => undefined,
  });

/** The server makes the grants, two hundred at once. The tokens that come with them are not written. */
const fill = async (store: Store): Promise<void> => {
  const { issue } = serverOn({
    add: (key, value, expiresAt, groups) =>
      groups === undefined ? Promise.resolve(true) : store.add(key, value, expiresAt, groups),
    swap: (...record) => store.swap(...record),
    get: (key) => store.get(key),
    delete: (key) => store.delete(key),
    getMany: (keys) => store.getMany?.(keys) ?? expect.fail('no getMany'),
    list: (group, page) => store.list?.(group, page) ?? expect.fail('no list'),
  });
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next; n < MANY; n = next) {
      next += 1;
      const sub = n % (MANY / OF_OWNER) === 0 ? OWNER : `owner-${n}`;
      await issue({ sub, client_id: 'photos', scope: 'read' });
    }
  };
  await Promise.all(Array.from({ length: 200 }, worker));
};

interface Call {
  readonly start: number;
  readonly end: number;
}

/** How many calls began only after all that had begun before were over. */
const stepsOf = (calls: readonly Call[]): number => {
  let [steps, busyUntil] = [0, -Infinity];
  for (const { start, end } of calls.toSorted((a, b) => a.start - b.start)) {
    if (start >= busyUntil) steps += 1;
    busyUntil = Math.max(busyUntil, end);
  }
  return steps;
};

/** Pages of 50, and what each of them cost. */
const expectCheapPages = async (store: Store): Promise<void> => {
  const calls: Call[] = [];
  const { grants } = serverOn(
    instrumentedStore(store, ({ duration }) => {
      const end = performance.now();
      calls.push({ start: end - duration, end });
    }),
  );
  const walk = async (of: GrantsOf, most: number): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    const times: number[] = [];
    let after: string | undefined;
    do {
      calls.length = 0;
      const start = performance.now();
      const page = await grants.list(of, { after, limit: PAGE });
      times.push(performance.now() - start);
      expect(page.grants).toHaveLength(PAGE);
      expect(calls.length, 'commands').toBeLessThanOrEqual(1 + PAGE);
      expect(stepsOf(calls), 'awaited one after another').toBeLessThanOrEqual(2);
      for (const { grant_id } of page.grants) found.add(grant_id);
      after = page.next;
    } while (after !== undefined && found.size < most);
    const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
    console.log(`${JSON.stringify(of)}: ${found.size} grants, a page in ${median.toFixed(1)} ms`);
    return found;
  };
  expect((await walk({ client_id: 'photos' }, 2_000)).size).toBe(2_000);
  expect((await walk({ sub: OWNER }, Infinity)).size, 'every grant of the owner').toBe(OF_OWNER);
};

test('steps are counted: simultaneous calls are one', () => {
  const at = (start: number, end: number): Call => ({ start, end });
  expect(stepsOf([at(0, 5), at(1, 2), at(3, 9)])).toBe(1);
  expect(stepsOf([at(6, 9), at(0, 5), at(7, 8)])).toBe(2);
  expect(stepsOf([at(0, 1), at(1, 2), at(2, 3)])).toBe(3);
});

/** The grants of one owner for one client; another owner keeps one. `DISCONNECTED=100000` takes minutes. */
const DISCONNECTED = Number(process.env['DISCONNECTED'] ?? 1_000);
const DISCONNECT = `an owner with ${DISCONNECTED} grants disconnects an application with a few commands, and no process accepts any of them`;

const expectDisconnected = async (store: Store): Promise<void> => {
  const [one, other] = [serverOn(store), serverOn(store)];
  const tokens: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < DISCONNECTED) {
      next += 1;
      tokens.push((await one.issue({ sub: 'owner of many', client_id: 'photos', scope: 'read' })).access_token);
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  const kept = await one.issue({ sub: 'another owner', client_id: 'photos', scope: 'read' });
  const app = express();
  app.get('/', other.guard('read'), (_request, response) => void response.json({}));
  const listener = app.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // It listens on a port and not on a pipe.
  const statusOf = async (token: string): Promise<number> => {
    const { status, body } = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await body?.cancel();
    return status;
  };
  try {
    const sample = tokens.filter((_, at) => at % Math.ceil(tokens.length / 50) === 0);
    expect(new Set(await Promise.all(sample.map(statusOf)))).toEqual(new Set([200]));
    // The first record that is tidied up is awaited, and no other: by then, everything has ended.
    const deleted = { count: 0, first: (): void => undefined };
    const tidying = new Promise<void>((resolve) => (deleted.first = resolve));
    const counting = serverOn({
      ...instrumentedStore(store, ({ verb }) => {
        if (verb !== 'delete') return;
        deleted.count += 1;
        if (deleted.count === 2) deleted.first();
      }),
    });
    const ended = counting.grants.revoke({ sub: 'owner of many', client_id: 'photos' });
    await tidying;
    expect(new Set(await Promise.all(sample.map(statusOf)))).toEqual(new Set([401]));
    expect(await other.grants.apps({ sub: 'owner of many' })).toEqual([]);
    expect(await ended).toBe(DISCONNECTED);
    expect(await statusOf(kept.access_token)).toBe(200);
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
};

const TITLE = `a page of ${PAGE} among ${OF_OWNER} grants of an owner, or ${MANY} of a client, is two steps and at most ${1 + PAGE} commands`;

describe('grants in memory', () => {
  test(
    TITLE,
    async () => {
      const store = memoryStore();
      await fill(store);
      await expectCheapPages(store);
    },
    120_000,
  );

  test(DISCONNECT, () => expectDisconnected(memoryStore()), 120_000);
});

for (const [title, missing, open] of PLACES) {
  describeEngine(`grants on ${title}`, missing, () => {
    let remove: () => Promise<unknown> | void = () => undefined;
    let store: Awaited<ReturnType<typeof openStore>>;
    beforeAll(async () => {
      const place = await open();
      ({ remove } = place);
      store = await openStore(place.address, { onError: () => undefined, timeout: 20_000 });
      await store.migrate();
    });
    afterAll(async () => {
      await store?.close();
      await remove();
    });

    test(
      TITLE,
      async () => {
        await fill(store);
        await expectCheapPages(store);
      },
      240_000,
    );

    test(DISCONNECT, () => expectDisconnected(store), 240_000);
  });
}
