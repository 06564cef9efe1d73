import { createHash } from 'node:crypto';
import type { FeatureHost } from '../core/index.js';
import { ToolError } from './errors.js';

const MAX_LENGTH = 8_192;
const LIFETIME = 86_400_000;

/** A digest of a call, regardless of the order of its arguments. */
const digestOf = (tool: string, args: Readonly<Record<string, unknown>>): string =>
  createHash('sha256')
    .update(JSON.stringify([tool, Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('base64url')
    .slice(0, 22);

/** Creates and reads cursors: the position at which a call continues, sealed and bound to the tool and arguments of the call. */
export class Cursors {
  readonly #seal: ReturnType<FeatureHost['seal']>;
  readonly #clock: FeatureHost['clock'];

  constructor({ seal, clock }: Pick<FeatureHost, 'seal' | 'clock'>) {
    this.#seal = seal('mcp cursor');
    this.#clock = clock;
  }

  /** Returns `undefined` for a position that is too large for a cursor. */
  create(tool: string, args: Readonly<Record<string, unknown>>, position: object): string | undefined {
    const cursor = this.#seal.seal({ call: digestOf(tool, args), position }, this.#clock() + LIFETIME);
    return cursor.length > MAX_LENGTH ? undefined : cursor;
  }

  /**
   * The position in a cursor.
   *
   * @throws ToolError
   */
  read(tool: string, args: Readonly<Record<string, unknown>>, cursor: unknown): object {
    const opened = typeof cursor === 'string' ? this.#seal.open(cursor) : undefined;
    if (typeof opened !== 'object' || opened === null || !('position' in opened) || !('call' in opened))
      throw new ToolError('The cursor is invalid or has expired. Call again without a cursor, from the beginning.');
    if (opened.call !== digestOf(tool, args))
      throw new ToolError('The cursor belongs to a call with other arguments. Repeat the arguments of that call.');
    return Object(opened.position);
  }
}
