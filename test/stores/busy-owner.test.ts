import { afterEach, expect, test } from 'vitest';
import { Nodes } from '../oauth/support/nodes.js';
import { distantStore } from '../oauth/support/stores.js';
import { dumpMemory } from './engines/dump.js';

const CLIENTS = 5;

let nodes: Nodes;
afterEach(() => nodes.close());

/** Two processes whose calls of the store overtake each other, and clients of alice that refresh at both until they may not. */
const busy = async () => {
  nodes = new Nodes({ lifetimes: { rememberedConsent: 3600 } });
  const { store } = nodes.shared;
  const at = (seed: number) =>
    nodes.start({ between: () => ({ ...distantStore(store, seed), list: (...page) => store.list(...page) }) });
  const processes = [await at(1), await at(2)] as const;
  const on = (turn: number) => processes[turn % 2 === 0 ? 0 : 1];
  const held: string[] = [];
  const refreshing = Array.from({ length: CLIENTS }, async (_, n) => {
    let token = (await on(n).flows.tokens('web')).refresh_token;
    for (let turn = n; ; turn += 1) {
      const { status, json } = await on(turn).flows.refresh('web', token);
      if (status !== 200) return;
      token = String(json['refresh_token']);
      held.push(token, String(json['access_token']));
    }
  });
  await expect.poll(() => held.length).toBeGreaterThan(8 * CLIENTS);
  return { processes, held, ended: () => Promise.all(refreshing) };
};

test('all grants are revoked while clients refresh: no client gets a token any more, and none that it has works', async () => {
  const { processes, held, ended } = await busy();
  expect(await processes[0].host.grants.revoke({ sub: 'alice' })).toBe(CLIENTS);
  await ended();
  for (const { flows } of processes)
    expect(new Set(await flows.areActive(...held.slice(-40)))).toEqual(new Set([false]));
});

test('an owner is erased by both processes while clients refresh: nothing works, and no record has the name', async () => {
  const { processes, held, ended } = await busy();
  expect(dumpMemory(nodes.shared.store)).toContain('alice');
  await Promise.all(processes.map(({ host }) => host.owners.erase('alice')));
  await ended();
  for (const { flows } of processes)
    expect(new Set(await flows.areActive(...held.slice(-40)))).toEqual(new Set([false]));
  expect(await processes[1].host.owners.erase('alice')).toEqual({ grants: 0, consents: 0 });
  expect(dumpMemory(nodes.shared.store)).not.toContain('alice');
});
