import type { Records } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import { CHAIN, type ChainRecord } from '../records/chain-record.js';
import { CONNECTION, GRANT, keys, liveGrant } from '../records/stored-records.js';
import type { Grant } from './grant.js';

/** A live grant with its chain, as read by one command. */
export interface FoundChain {
  readonly grant: Grant;
  readonly chain: ChainRecord;
}

/** The parts of a chain that a step may change. */
type Step = Partial<Omit<ChainRecord, 'rev' | 'exp'>>;

/**
 * The chain of each grant is one record, which a `swap` replaces with each step. Of all who read the same revision, one takes the step,
 * and the others read again.
 */
export class Chains {
  readonly #records: Records;
  readonly #random: RandomSource;

  constructor(records: Records, random: RandomSource) {
    this.#records = records;
    this.#random = random;
  }

  find(id: string): Promise<FoundChain | undefined> {
    const reading = this.#records.getEach(
      [keys.grant(id), GRANT],
      [keys.connectionOf(id), CONNECTION],
      [keys.chain(id), CHAIN],
    );
    return reading.then(([given, connection, chain]) => {
      const grant = liveGrant(given, connection);
      return grant === undefined || chain === undefined ? undefined : { grant: { id, ...grant }, chain };
    });
  }

  /** Writes the chain of a new grant. Exactly one caller succeeds. */
  add(
    { id, exp }: Grant,
    { code, taken, current, kept, jkt }: Pick<ChainRecord, 'code' | 'taken' | 'current' | 'kept' | 'jkt'>,
  ): Promise<boolean> {
    // Complete, so that all chains have the same members in the same order.
    const chain: ChainRecord = { rev: this.#random.rev(), exp, code, taken, current, last: null, done: null };
    const more = { ...(kept !== undefined && { kept }), ...(jkt !== undefined && { jkt }) };
    return this.#records.add(keys.chain(id), kept === undefined && jkt === undefined ? chain : { ...chain, ...more });
  }

  /** @returns what it is now, or `undefined` if it was replaced or deleted before. */
  swap({ grant, chain }: FoundChain, step: Step): Promise<FoundChain | undefined> {
    // Copies all members, because a newer version may write more of them.
    const next: ChainRecord = { ...chain, ...step, rev: this.#random.rev() };
    return this.#records
      .swap(keys.chain(grant.id), chain.rev, next)
      .then((isReplaced) => (isReplaced ? { grant, chain: next } : undefined));
  }
}
