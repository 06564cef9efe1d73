import type { HttpResponse } from '../core/index.js';
import type { QueryParts } from '../core/query/index.js';
import type { McpSettings } from './options.js';
import type { Call } from './queries.js';

/** Answers messages in the protocol. */
export interface Protocol {
  /** Returns `'sign in'` if the message can only be answered for a signed-in caller. */
  answer(message: unknown, call: Call): Promise<HttpResponse | 'sign in'>;
}

/** The parts that the MCP server is made of. */
export interface McpParts {
  readonly options: McpSettings;
  /** The URL of the first path, the audience of tokens. */
  readonly resource: string;
  readonly query: QueryParts;
}
