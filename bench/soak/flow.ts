import type { Visitor } from './visitor.js';

/** A task of a client, from its first request to its last, with every response checked. */
export interface Flow {
  readonly name: string;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  /** Minimum of milliseconds between two starts by any client, for tasks that people do occasionally. */
  readonly pause?: number;
  run(visitor: Visitor): Promise<void>;
}
