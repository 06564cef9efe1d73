import type { HttpResponse } from '../../base/http.js';
import type { ModuleNode } from '../describe/module-tree.js';
import type { Action } from '../endpoint/actions.js';
import type { McpEnvironment, QueryEnvironment, QueryOptions } from '../options.js';
import type { Site } from '../site/site.js';
import type { McpOptions } from './options.js';
import type { Call } from './queries.js';

/** Answers messages in the protocol. */
export interface Protocol {
  /** Returns `'sign in'` if the message can only be answered for a signed-in caller. */
  answer(message: unknown, call: Call): Promise<HttpResponse | 'sign in'>;
}

/** The parts that the MCP server is made of. */
export interface McpParts {
  readonly options: Pick<QueryOptions, 'rights' | 'cors' | 'private'>;
  readonly mcp: McpOptions;
  readonly server: McpEnvironment;
  readonly environment: QueryEnvironment;
  readonly site: Site;
  /** `action=query` */
  readonly action: Action;
  /** All modules of the API. */
  readonly tree: ModuleNode;
}
