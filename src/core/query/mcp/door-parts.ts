import type { HttpResponse } from '../../base/http.js';
import type { ModuleNode } from '../describe/module-tree.js';
import type { Action } from '../endpoint/actions.js';
import type { McpEnvironment, QueryEnvironment, QueryOptions } from '../options.js';
import type { Site } from '../site/site.js';
import type { Call } from './ask.js';
import type { McpOptions } from './options.js';

/** What the messages of clients are answered with. */
export interface Protocol {
  /** Answers a message; `'sign in'` when its caller has to be known for that, and is not. */
  answer(message: unknown, call: Call): Promise<HttpResponse | 'sign in'>;
}

/** What the route is made of. */
export interface DoorParts {
  readonly options: Pick<QueryOptions, 'rights' | 'cors' | 'private'>;
  readonly mcp: McpOptions;
  readonly door: McpEnvironment;
  readonly environment: QueryEnvironment;
  readonly site: Site;
  /** `action=query` */
  readonly action: Action;
  /** Every module in its place. */
  readonly tree: ModuleNode;
}
