import type { Clock } from '../../base/ports.js';
import type { Seal } from '../../base/seal.js';
import { sha256 } from '../../base/secrets.js';
import { ToolRefusal } from './refusal.js';

/** Longer ones are not looked at. */
const LONGEST = 8_192;
const LIFETIME = 86_400_000;

/** The same text for the same call, in whatever order its arguments come. */
const digestOf = (tool: string, call: Readonly<Record<string, unknown>>): string =>
  sha256(JSON.stringify([tool, Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1))])).slice(0, 22);

/** Where a call goes on, sealed and bound to the call: what comes back is what was given out, or it is refused. */
export class Cursors {
  readonly #seal: Seal;
  readonly #clock: Clock;

  constructor(seal: Seal, clock: Clock) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** @returns `undefined` for a place that takes more room than a cursor has. */
  give(tool: string, call: Readonly<Record<string, unknown>>, place: object): string | undefined {
    const cursor = this.#seal.seal({ call: digestOf(tool, call), place }, this.#clock() + LIFETIME);
    return cursor.length > LONGEST ? undefined : cursor;
  }

  /**
   * The place that a cursor means.
   *
   * @throws ToolRefusal
   */
  read(tool: string, call: Readonly<Record<string, unknown>>, cursor: unknown): object {
    const opened = typeof cursor === 'string' && cursor.length <= LONGEST ? this.#seal.open(cursor) : undefined;
    if (typeof opened !== 'object' || opened === null || !('place' in opened) || !('call' in opened))
      throw new ToolRefusal(
        'The cursor is not one of this server, or no longer. Call again without it, from the beginning.',
      );
    if (opened.call !== digestOf(tool, call))
      throw new ToolRefusal(
        'The cursor belongs to other arguments. Give it with the arguments of the call it is from.',
      );
    return Object(opened.place);
  }
}
