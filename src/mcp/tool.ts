import type { Call } from './queries.js';
import type { JsonSchema } from './schemas.js';

/** The arguments of a call, as received, without the cursor. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The result of a call, or a part of it. */
interface ToolResult {
  /** Without hidden characters. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The position at which the result continues; `undefined` at its end. */
  readonly next?: object | undefined;
  readonly warnings?: readonly string[];
}

/** A tool for assistants. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The schema of its arguments, without the cursor. */
  readonly input: JsonSchema;
  /** The schema of the data of its results. */
  readonly output: JsonSchema;
  /** Whether the members of the data are members of the result, and the cursor one of its `metadata`, as clients of `fetch` expect. */
  readonly isBare?: boolean;
  /** The schema of members of the result beside `data`. Then the tool returns `data` with all of them. */
  readonly beside?: Readonly<Record<string, JsonSchema>>;
  /** Whether a result can continue, so that the tool takes a cursor. */
  readonly continues: boolean;
  /**
   * @param position - The `next` of an earlier result.
   * @throws ApiError, ToolError
   */
  run(args: Arguments, call: Call, position: object | undefined): Promise<ToolResult>;
}
