import { expect, test } from 'vitest';
import type { Clock } from '../../../src/core/base/ports.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { ChainModel } from '../support/chain-model.js';

/** `GRANTS=5000` takes minutes. */
const GRANTS = Number(process.env['GRANTS'] ?? 15);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

test('crashes, lost commands and lost answers at three processes with different clocks lose no honest grant, and no used token works', async () => {
  let clock: Clock | undefined;
  const store = memoryStore({ clock: () => clock?.() ?? 0 });
  const model = await ChainModel.start(SEED, (own) => {
    clock ??= own;
    return store;
  });
  const tally = await model.play(GRANTS);
  if (GRANTS > 1000) console.log(tally);
  expect(tally, `SEED=${SEED}`).toMatchObject({ losses: [], wrongChains: [], oldTokens: [], unpunished: [] });
  expect(tally.faults).toBeGreaterThan(GRANTS / 2);
  expect(tally.thieves).toBe(GRANTS);
}, 1_200_000);
