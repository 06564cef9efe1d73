import type { HttpRequest } from '../../base/http/messages.js';
import type { AnswerStyle } from '../answer/error-format.js';
import type { Caller } from '../caller.js';
import type { ModuleParser } from '../parameters/parse.js';
import type { RequestParameters } from '../parameters/request-parameters.js';
import type { ParseContext } from '../parameters/types/index.js';
import type { HandlerDeadline } from './deadline.js';
import type { QueryModule } from './query-modules.js';

/** The context of a request, created once. */
export interface RequestContext extends ParseContext {
  readonly request: HttpRequest;
  readonly parameters: RequestParameters;
  readonly caller: Caller | undefined;
  /** Whether any site may have sent the request and may read the response. */
  readonly isolated: boolean;
  readonly style: AnswerStyle;
  readonly deadline: HandlerDeadline;
  /** The module whose own path was requested, if any. */
  readonly addressed: QueryModule | undefined;
  /** The parsers used so far. Parameters that none of them has are unrecognized. */
  readonly parsers: Pick<ModuleParser, 'knows'>[];
}

/** The size limits of a response, lowered if it turns out to be too large. */
export interface ResultBudget {
  /** The factor applied to each limit: below 1 after an oversized response. */
  readonly limitFactor: number;
  /** The maximum length, beyond which data is omitted; set if lower limits did not suffice. */
  readonly maxLength: number | undefined;
  /** The number of results that all modules of a request share, each at most its limit. */
  readonly rows: number;
}

/** The budget of a first attempt. */
export const FULL_BUDGET: ResultBudget = { limitFactor: 1, maxLength: undefined, rows: 2_500 };
