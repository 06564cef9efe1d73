import type { Schema } from '../../base/openapi.js';
import type { Call } from './ask.js';
import type { Visible } from './content.js';

/** The arguments of a call as they came, the cursor not among them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A part of an answer, and where the rest begins. */
export interface ToolResult extends Visible {
  /** What the cursor stands for; `undefined` when everything has been given. */
  readonly next?: object | undefined;
  readonly warnings?: readonly string[];
}

/** A tool: what assistants learn about it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its arguments, the cursor not among them. */
  readonly input: Schema;
  /** The data of its results. */
  readonly output: Schema;
  /** Whether a result can go on. */
  readonly continues: boolean;
  /**
   * @param place - Where to go on: what an earlier result had as `next`.
   * @throws ApiError, ToolRefusal
   */
  run(args: Arguments, call: Call, place: object | undefined): Promise<ToolResult>;
}
