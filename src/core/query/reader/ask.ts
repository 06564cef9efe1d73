import type { MutableItem } from '../answer/result-format.js';
import type { ModuleParser } from '../parameters/parse.js';
import type { QueryParams } from '../run/query-parameters.js';
import type { QueryService } from '../run/query-run.js';
import type { RequestContext } from '../run/request-context.js';
import { runQuery } from '../run/run-query.js';
import { RequestParameters } from '../request/request-parameters.js';

/** A page in the answer to a question. What modules say about it stands beside these. */
export interface AnsweredPage {
  readonly [key: string]: unknown;
  readonly pageid?: number;
  readonly ns?: number;
  readonly title?: string;
  readonly missing?: true;
  readonly invalid?: true;
  readonly special?: true;
  /** The rank that a generator gives. */
  readonly index?: number;
}

/** The answer to a question, in the form of formatversion 2. */
export interface Answered {
  readonly query: {
    readonly [key: string]: unknown;
    readonly pages?: readonly AnsweredPage[];
    readonly redirects?: readonly MutableItem[];
  };
  /** What to add to the same question to get the rest. */
  readonly continue?: Readonly<Record<string, string | number>>;
}

/** A question to the API: the parameters of `action=query`, and by their names in a request those of the modules. */
export type Question = Partial<QueryParams> & { readonly values?: Readonly<Record<string, string>> };

/** Asks the query API for a part of the answer to another action. */
export type Ask = (question: Question, context: RequestContext) => Promise<Answered>;

/**
 * Asks what the caller could ask: the same modules and handlers answer, so what a caller may not see stays unseen. Warnings go
 * to the caller.
 */
export const askItself =
  (parser: ModuleParser<QueryParams>, service: QueryService): Ask =>
  async ({ values = {}, ...query }, outer) => {
    const parameters = new RequestParameters();
    for (const [name, text] of Object.entries(values)) parameters.add(name, { text, malformed: false });
    const { request, caller, isolated, deadline, highLimits, now, warnings } = outer;
    const context: RequestContext = {
      ...{ request, parameters, caller, isolated, deadline, highLimits, now, warnings },
      style: { ...outer.style, version: 2 },
      addressed: undefined,
      parsers: [],
    };
    const params = { ...parser.parse(parameters, context), ...query };
    const answer = await runQuery({ service, context, params, room: { limitFactor: 1, maxLength: undefined } });
    // The envelope is ours; only what modules say in it comes from handlers.
    return { query: {}, ...answer } as Answered;
  };
