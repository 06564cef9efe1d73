import type { HttpRequest } from '../../base/http.js';
import type { AnswerStyle } from '../answer/error-format.js';
import type { Caller } from '../caller.js';
import type { ModuleParser } from '../parameters/parse.js';
import type { RequestParameters } from '../request/request-parameters.js';
import type { ParseContext } from '../types/index.js';
import type { Deadline } from './deadline.js';
import type { QueryModule } from './query-modules.js';

/** The context of a request: created once, and passed unchanged to all code that handles a part of it. */
export interface RequestContext extends ParseContext {
  readonly request: HttpRequest;
  readonly parameters: RequestParameters;
  readonly caller: Caller | undefined;
  /** Whether any site may have sent the request and may read the answer. */
  readonly isolated: boolean;
  readonly style: AnswerStyle;
  readonly deadline: Deadline;
  /** The module whose own path was called, if any: it takes part as if it had been named. */
  readonly addressed: QueryModule | undefined;
  /** Parsers that have taken part: what none of them knows is unrecognised. */
  readonly parsers: Pick<ModuleParser, 'knows'>[];
}

/** How much an answer may hold: all that was asked for, until that turns out to be too large. */
export interface Room {
  /** The part of each limit that is asked for: less than 1 when the whole has made the answer too large. */
  readonly limitFactor: number;
  /** The length that the answer must not exceed, when smaller limits have not helped: what has no room is left out. */
  readonly maxLength: number | undefined;
}
