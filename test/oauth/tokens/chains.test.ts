import { describe, expect, test } from 'vitest';
import type { Revision, Store } from '../../../src/core/base/ports.js';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { parseKept } from '../../../src/core/oauth/records/chain-record.js';
import { everyRow } from '../../rows.js';
import { CLIENTS } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { grantPart, type Node, Nodes, turns } from '../support/nodes.js';
import { isTidyUp } from '../support/stores.js';
import { refusal } from '../support/tokens.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const INVALID_GRANT = [400, 'invalid_grant'] as const;
const UNAVAILABLE = [503, 'temporarily_unavailable'] as const;

/** The refresh tokens of a client that refreshes this often, at this interval in seconds. */
const chainOf = async (nodes: Nodes, { flows }: Pick<Node, 'flows'>, length: number, interval = HOUR) => {
  const tokens = [(await flows.tokens('native')).refresh_token];
  for (let n = 1; n < length; n += 1) {
    nodes.shared.advance(interval);
    tokens.push((await flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
    await turns(10);
  }
  return tokens;
};

/** What a list of tokens should be if only the last one can be used. */
const onlyTheLast = (tokens: readonly string[]): readonly boolean[] =>
  tokens.map((_token, index) => index === tokens.length - 1);

type Swap = readonly [key: string, before: string, value: Revision & object, expiresAt: number];

/** A driver that sends the next rotation once more, after a while, because it saw no response to the first one. */
class Resending {
  readonly store: Store;
  #again: (() => void) | undefined;
  #isArmed = false;

  constructor(store: Store) {
    this.store = {
      ...store,
      swap: async (...record: Swap) => {
        const isFirst = this.#isArmed && typeof Reflect.get(record[2], 'last') === 'string';
        const result = await store.swap(...record);
        if (!isFirst) return result;
        this.#isArmed = false;
        await new Promise<void>((resolve) => (this.#again = resolve));
        return store.swap(...record);
      },
    };
  }

  arm(): void {
    this.#isArmed = true;
  }

  sendAgain(): void {
    this.#again?.();
  }
}

describe('the chain of refresh tokens of a grant', () => {
  let nodes: Nodes;

  /** A process whose rotation waits in front of the store, and another one. */
  const startHeld = async () => {
    nodes = new Nodes();
    const gate = new Gate(nodes.shared.store);
    const slow = await nodes.start({ between: () => gate.store });
    const other = await nodes.start();
    return { gate, slow, other };
  };

  /** A refresh whose rotation waits in front of the store. */
  const startLate = async () => {
    const { gate, slow, other } = await startHeld();
    const { refresh_token } = await other.flows.tokens('native');
    const { arrived, letGo } = gate.hold('swap', ':chain:');
    const late = slow.flows.refresh('native', refresh_token);
    await arrived;
    return { other, refresh_token, late, letGo };
  };

  test.each([
    ['a second', 1],
    ['an hour', HOUR],
  ])('takes the same space after a hundred refreshes as after two, %s apart', async (_what, interval) => {
    nodes = new Nodes();
    const node = await nodes.start();
    const sizes = [];
    for (const length of [3, 101]) {
      const [token = ''] = await chainOf(nodes, node, length, interval);
      nodes.shared.advance(HOUR);
      const part = grantPart(token);
      const records = [...nodes.shared.store.entries()].filter(([key]) => key.includes(part));
      sizes.push([
        records.map(([key]) => key.split(':')[1]).toSorted((a = '', b = '') => a.localeCompare(b)),
        JSON.stringify(records).length,
      ]);
    }
    expect(sizes[1]).toEqual(sizes[0]);
    expect(sizes[0]?.[0]).toEqual(['chain', 'grant']);
    expect(sizes[0]?.[1]).toBeLessThan(1000);
  });

  test.each([1, 8, 9])(
    '#69 token %i of ten ends the grant when it is used again, at every process and either clock',
    async (n) => {
      for (const ahead of [-30_000, 0, 30_000]) {
        nodes = new Nodes();
        const node = await nodes.start();
        const other = await nodes.start({ ahead });
        const tokens = await chainOf(nodes, node, 10);
        nodes.shared.advance(HOUR);
        expect(await node.flows.areActive(...tokens)).toEqual(onlyTheLast(tokens));
        expect(refusal(await other.flows.refresh('native', tokens[n - 1] ?? ''))).toEqual(INVALID_GRANT);
        expect(await node.flows.areActive(...tokens)).toEqual(tokens.map(() => false));
        expect(nodes.shared.events.filter(({ type }) => type === 'replay.detected')).toHaveLength(1);
      }
    },
  );

  test('#69 each old token is a replay until the second in which it expires, and ends nothing from then on', async () => {
    for (const [late, isActive] of [
      [-1, false],
      [0, true],
    ] as const) {
      nodes = new Nodes();
      const { flows } = await nodes.start();
      const tokens = await chainOf(nodes, { flows }, 7, 2 * DAY);
      nodes.shared.advance(2 * DAY + late);
      expect(refusal(await flows.refresh('native', tokens[0] ?? ''))).toEqual(INVALID_GRANT);
      expect(await flows.isActive(tokens.at(-1) ?? ''), `${late} s`).toBe(isActive);
    }
  });

  test('an old token of another client, a made-up one, and one of version 0.2 end nothing', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows }, 6);
    const [first = '', second = ''] = tokens;
    expect(refusal(await flows.refresh('web', second))).toEqual(INVALID_GRANT);
    const version2 = `${first.slice(0, 22)}000001${first.slice(22)}`;
    for (const made of [
      version2,
      ...['x'.repeat(65), 'x'.repeat(22) + first.slice(-43)].map((rest) => first.slice(0, 29) + rest),
    ])
      expect(refusal(await flows.refresh('native', made))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(...tokens)).toEqual(onlyTheLast(tokens));
  });

  test('an old token can still be revoked, with its grant', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows }, 6);
    expect((await flows.revoke('native', tokens[1] ?? '')).status).toBe(200);
    expect(await flows.isActive(tokens.at(-1) ?? '')).toBe(false);
  });

  describe('a refresh whose token was current when it was read', () => {
    test('is no replay, however late it goes on: 503, and the grant lives', async () => {
      for (const later of [0, 9, 50, 3 * HOUR]) {
        const { gate, slow, other } = await startHeld();
        const tokens = await chainOf(nodes, other, 2);
        const { arrived, letGo } = gate.hold('swap', ':chain:');
        const late = slow.flows.refresh('native', tokens.at(-1) ?? '');
        await arrived;
        for (let n = 0; n < 2; n += 1) {
          tokens.push((await other.flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
          nodes.shared.advance(later);
        }
        letGo();
        const answer = await late;
        expect(refusal(answer), `${later} s`).toEqual(UNAVAILABLE);
        expect(answer.headers['retry-after']).toBe('5');
        expect(await other.flows.areActive(...tokens), `${later} s`).toEqual(onlyTheLast(tokens));
        expect(nodes.shared.events.filter(({ type }) => type === 'replay.detected')).toEqual([]);
        expect(slow.errors, 'nothing has failed').toEqual([]);
      }
    });

    test('is no replay if another process has used it with a different request, or long before', async () => {
      for (const [scope, later] of [
        ['profile', 0],
        ['profile content.read', HOUR],
      ] as const) {
        const { other, refresh_token, late, letGo } = await startLate();
        const next = await other.flows.refreshed('native', refresh_token, { scope });
        nodes.shared.advance(later);
        letGo();
        expect(refusal(await late)).toEqual(UNAVAILABLE);
        expect(await other.flows.isActive(next.refresh_token)).toBe(true);
        await expect.poll(() => nodes.keysOf('token', refresh_token).length, { message: 'discarded' }).toBeLessThan(3);
      }
    });

    test('gets what another process has given for the same request', async () => {
      const { other, refresh_token, late, letGo } = await startLate();
      const next = await other.flows.refreshed('native', refresh_token);
      letGo();
      expect((await late).json).toEqual(next);
      expect(await other.flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
    });

    test('is invalid_grant if the grant was revoked in between', async () => {
      const { other, refresh_token, late, letGo } = await startLate();
      await other.flows.refreshed('native', refresh_token);
      await other.host.grants.revoke(refresh_token.slice(0, 22));
      letGo();
      expect(refusal(await late)).toEqual(INVALID_GRANT);
    });

    test('goes on if another process marks the response before it as sent at the same moment, and the other way round', async () => {
      for (const isMarkedFirst of [true, false]) {
        const { gate, slow, other } = await startHeld();
        const { refresh_token } = await other.flows.tokens('native');
        const marking = gate.hold('swap', ':chain:', isTidyUp);
        const next = await slow.flows.refreshed('native', refresh_token);
        await marking.arrived;
        const rotation = gate.hold('swap', ':chain:', (value) => !isTidyUp(value));
        const second = slow.flows.refresh('native', next.refresh_token);
        await rotation.arrived;
        if (isMarkedFirst) {
          marking.letGo();
          await expect.poll(() => nodes.chainOf(refresh_token)?.done).toEqual(expect.any(String));
        }
        rotation.letGo();
        const last = await second;
        marking.letGo();
        expect(last.status).toBe(200);
        const tokens = [refresh_token, next.refresh_token, String(last.json['refresh_token'])];
        expect(await other.flows.areActive(...tokens)).toEqual(onlyTheLast(tokens));
        expect([...slow.errors, ...other.errors]).toEqual([]);
      }
    });
  });

  describe('a rotation whose command is sent twice', () => {
    const startResending = async () => {
      nodes = new Nodes();
      const resending = new Resending(nodes.shared.store);
      const slow = await nodes.start({ between: () => resending.store });
      const other = await nodes.start();
      const { refresh_token } = await other.flows.tokens('native');
      resending.arm();
      const late = slow.flows.refresh('native', refresh_token);
      await expect.poll(() => nodes.chainOf(refresh_token)?.last).toEqual(expect.any(String));
      return { resending, other, refresh_token, late };
    };

    test('is one rotation', async () => {
      const { resending, other, late } = await startResending();
      resending.sendAgain();
      const { status, json } = await late;
      expect(status).toBe(200);
      expect(await other.flows.areActive(String(json['access_token']), String(json['refresh_token']))).toEqual([
        true,
        true,
      ]);
    });

    test.each([0, 9, HOUR / 2])(
      'answers the same tokens %i s after another process has served the repetition and marked it, and they live',
      async (later) => {
        const { resending, other, refresh_token, late } = await startResending();
        const served = await other.flows.refreshed('native', refresh_token);
        await expect.poll(() => nodes.chainOf(refresh_token)?.done).toEqual(expect.any(String));
        nodes.shared.advance(later);
        resending.sendAgain();
        const { status, json } = await late;
        expect([status, json['access_token'], json['refresh_token']]).toEqual([
          200,
          served.access_token,
          served.refresh_token,
        ]);
        await turns(20);
        expect(await other.flows.areActive(served.access_token, served.refresh_token)).toEqual([true, true]);
      },
    );

    test('is 503 after its successor was used too, and every token that was given out lives', async () => {
      const { resending, other, refresh_token, late } = await startResending();
      const served = await other.flows.refreshed('native', refresh_token);
      const last = await other.flows.refreshed('native', served.refresh_token);
      nodes.shared.advance(60);
      resending.sendAgain();
      expect(refusal(await late)).toEqual(UNAVAILABLE);
      await turns(20);
      expect(await other.flows.areActive(served.access_token, last.access_token, last.refresh_token)).toEqual([
        true,
        true,
        true,
      ]);
    });
  });

  test('a store whose reads of two keys are no snapshot gives no old token a second life', async () => {
    for (const held of [':grant:', ':chain:']) {
      for (const old of [0, 1]) {
        nodes = new Nodes();
        const { getMany: _, ...single } = nodes.shared.store;
        const gate = new Gate(single);
        const torn = await nodes.start({ between: () => gate.store });
        const other = await nodes.start();
        const tokens = await chainOf(nodes, other, 3);
        const { arrived, letGo } = gate.hold('get', held);
        const thief = torn.flows.refresh('native', tokens[old + 1] ?? '');
        await arrived;
        for (let n = 0; n < 3; n += 1) {
          tokens.push((await other.flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
          nodes.shared.advance(HOUR);
        }
        letGo();
        const answer = await thief;
        expect([UNAVAILABLE, INVALID_GRANT], held).toContainEqual(refusal(answer));
        const isReplay = answer.status === 400;
        expect(await other.flows.areActive(...tokens), held).toEqual(
          isReplay ? tokens.map(() => false) : onlyTheLast(tokens),
        );
      }
    }
  });

  test('members that this version does not know are kept with each step', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const code = await flows.code('web');
    const [key = ''] = nodes.keysOf('chain', code);
    const { store } = nodes.shared;
    const later = { more: ['a', 1] };
    const chain = nodes.chainOf(code);
    const grown = { ...chain, later, rev: 'of-a-newer-version' };
    await store.swap(key, chain?.rev ?? '', grown, (chain?.exp ?? 0) * 1000);
    const kept = () => expect(nodes.chainOf(code)).toMatchObject({ later });
    await flows.redeem('web', code, { code_verifier: 'x'.repeat(43) });
    kept();
    const { refresh_token } = (await flows.redeem('web', code)).json;
    kept();
    await flows.refreshed('web', String(refresh_token));
    kept();
    await expect.poll(() => nodes.chainOf(code)?.done).toEqual(expect.any(String));
    kept();
  });

  test('of a client that may no longer refresh, no token can be used; the grant lives, and so does the token when it may again', async () => {
    const native = CLIENTS.find(({ client_id }) => client_id === 'native');
    if (native === undefined) throw new Error('There is no such client.');
    const { refresh: _, ...none } = native as ClientRegistration;
    const { grant_types: __, ...withUsualGrants } = none;
    let registration: ClientRegistration = native;
    nodes = new Nodes();
    const node = await nodes.start({
      options: { clients: { find: (id) => (id === 'native' ? registration : undefined) } },
    });
    const first = await node.flows.tokens('native');
    const next = await node.flows.refreshed('native', first.refresh_token);
    for (registration of [withUsualGrants, none])
      for (const token of [first.refresh_token, next.refresh_token])
        expect(refusal(await node.flows.refresh('native', token))).toEqual([400, 'unauthorized_client']);
    const code = await node.flows.code('native');
    expect((await node.flows.redeem('native', code)).json).not.toHaveProperty('refresh_token');
    expect(refusal(await node.flows.redeem('native', code)), 'its code works once').toEqual(INVALID_GRANT);
    registration = native;
    expect((await node.flows.refresh('native', next.refresh_token)).status).toBe(200);
  });

  test('a chain of an unknown shape is missing, one whose parts are damaged is 503, and neither ends anything', async () => {
    const damages: readonly (readonly [string, (chain: Readonly<Record<string, unknown>>) => object, unknown?])[] = [
      ...['rev', 'taken', 'current', 'last', 'done', 'code'].map(
        (name) => [`no ${name}`, (chain: object) => ({ ...chain, [name]: undefined }), INVALID_GRANT] as const,
      ),
      ['half a current token', ({ current, ...chain }) => ({ ...chain, current: String(current).slice(0, 43) })],
      ['no family', ({ current, ...chain }) => ({ ...chain, current: String(current).replace(/\S+$/, '') })],
      ['half a last token', ({ last, ...chain }) => ({ ...chain, last: String(last).slice(0, 80) })],
      ['no salt', ({ last, ...chain }) => ({ ...chain, last: String(last).replace(/ \S{22} /, '  ') })],
      ['a shorter hash', ({ last, ...chain }) => ({ ...chain, last: String(last).slice(1) })],
      ['a time that is none', ({ last, ...chain }) => ({ ...chain, last: String(last).replace(/ \S+ /, ' ? ') })],
    ];
    nodes = new Nodes();
    let damage: (chain: Readonly<Record<string, unknown>>) => object = (chain) => chain;
    const { getMany: _, ...store } = nodes.shared.store;
    const between = (): Store => ({
      ...store,
      get: async (key) => {
        const record = await store.get(key);
        return record !== undefined && key.includes(':chain:') ? damage({ ...record }) : record;
      },
    });
    const frail = await nodes.start({ between });
    const other = await nodes.start();
    const first = await other.flows.tokens('native');
    const next = await other.flows.refreshed('native', first.refresh_token);
    await everyRow(damages, async ([, how, expected = UNAVAILABLE]) => {
      damage = how;
      const current = await frail.flows.refresh('native', first.refresh_token);
      expect(refusal(current)).toEqual(expected);
    });
    expect(await other.flows.isActive(next.refresh_token)).toBe(true);
    expect(frail.errors.length).toBeGreaterThanOrEqual(6);
  });
});

test('damaged parameters of the request are an error, because a key that is not found is not required', () =>
  everyRow(['', 'null', '[]', '7', '"x"', '{"dpop_jkt":7}'], (text) => {
    expect(() => parseKept(text)).toThrow('damaged chain');
  }));
