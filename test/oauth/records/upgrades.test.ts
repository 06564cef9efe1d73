import { isDeepStrictEqual } from 'node:util';
import { storedClients } from 'oauth-query/clients';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import {
  type ExpiringRecord,
  isNumber,
  isText,
  optional,
  Records,
  type Shape,
} from '../../../src/core/base/records.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { type Node, Nodes } from '../support/nodes.js';
import { refusal } from '../support/tokens.js';

/** A release that writes a field more into every record. */
const nextRelease = (store: Store): Store => ({
  add: (key, value, expiresAt) => store.add(key, { ...value, later: { more: true } }, expiresAt),
  swap: (key, before, value, expiresAt) =>
    store.swap(key, before, Object.assign({ later: { more: true } }, value), expiresAt),
  get: (key) => store.get(key),
  delete: (key) => store.delete(key),
});

describe('an upgrade and a downgrade under live traffic', () => {
  test('tokens, codes and devices of one release work at the other, in both directions', async () => {
    const nodes = new Nodes();
    const old = await nodes.start();
    const young = await nodes.start({ between: nextRelease });
    const round = async (first: Node, second: Node): Promise<void> => {
      const code = await first.flows.code('web');
      const tokens = (await second.flows.redeem('web', code)).json;
      expect((await first.flows.guarded('profile', String(tokens['access_token']))).status).toBe(200);
      const next = await first.flows.refreshed('web', String(tokens['refresh_token']));
      expect(await second.flows.refreshed('web', String(tokens['refresh_token']))).toEqual(next);
      const last = await second.flows.refreshed('web', next.refresh_token);
      expect(await first.flows.areActive(last.access_token, last.refresh_token)).toEqual([true, true]);
      const codes = await first.flows.device('tv');
      await second.flows.decide(codes, 'approve');
      expect((await first.flows.poll('tv', codes.device_code)).status).toBe(200);
      expect(refusal(await first.flows.refresh('web', String(tokens['refresh_token'])))).toEqual([
        400,
        'invalid_grant',
      ]);
      expect(await second.flows.isActive(last.access_token)).toBe(false);
    };
    await round(old, young);
    await round(young, old);
    expect([...old.errors, ...young.errors]).toEqual([]);
  });

  test('a record that the old release replaces keeps the fields that only the new one knows', async () => {
    const nodes = new Nodes();
    const { store, clock } = nodes.shared;
    const young = await nodes.start({ between: nextRelease });
    const registries = [storedClients(nextRelease(store), { clock }), storedClients(store, { clock })] as const;
    const registration = { client_id: 'app', redirect_uris: ['https://app.example/cb'] };
    await registries[0].add(registration);
    const { device_code, ...codes } = await young.flows.device('tv');
    await young.flows.poll('tv', device_code);
    await young.host.owners.signOut('alice');
    const replaced = () =>
      [...store.entries()].filter(([key]) => /:(?:client|device|pace|signed-out):/.test(key)).map(([, value]) => value);
    const before = replaced();
    expect(before).toHaveLength(4);

    const old = await nodes.start();
    await registries[1].change('app', { client_name: 'App' });
    await old.flows.decide({ device_code, ...codes }, 'deny');
    const waiting = await young.flows.device('tv');
    await young.flows.poll('tv', waiting.device_code);
    await old.flows.poll('tv', waiting.device_code);
    await old.host.owners.signOut('alice');
    const after = replaced();
    expect(after).toHaveLength(6);
    expect(
      after.filter((record) => before.some((one) => isDeepStrictEqual(one, record))),
      'the pace of the first device',
    ).toHaveLength(1);
    for (const record of after) expect(record).toMatchObject({ later: { more: true } });
  });

  test('a record may lack an optional field, and no other', async () => {
    interface Grown extends ExpiringRecord {
      readonly name: string;
      readonly since?: number;
    }
    const shape: Shape<Grown> = { exp: isNumber, name: isText, since: optional(isNumber) };
    const records = new Records(memoryStore(), Date.now);
    const exp = Math.ceil(Date.now() / 1000) + 60;
    await records.add('old', { exp, name: 'a' });
    await records.add('damaged', { exp, since: 1 });
    await records.add('wrong', { exp, name: 'a', since: 'yesterday' });
    expect(await records.get('old', shape)).toEqual({ exp, name: 'a' });
    await expect(records.get('damaged', shape)).rejects.toThrow('invalid record');
    await expect(records.getEach(['old', shape], ['wrong', shape])).rejects.toThrow('invalid record');
  });
});
