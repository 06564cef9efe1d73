import type { HttpRequest } from '../core/base/http/messages.js';
import { plainText } from '../core/query/answer/messages.js';
import type { MutableItem } from '../core/query/answer/result-format.js';
import { Warnings } from '../core/query/answer/warnings.js';
import type { Caller } from '../core/query/caller.js';
import type { QueryParts } from '../core/query/extension.js';
import { RequestParameters } from '../core/query/parameters/request-parameters.js';
import { HandlerDeadline } from '../core/query/run/deadline.js';
import { fitToSize } from '../core/query/run/fitting.js';
import { type ResultBudget, FULL_BUDGET, type RequestContext } from '../core/query/run/request-context.js';
import { warnUnrecognized } from '../core/query/run/unrecognized.js';
import { type Visible, visible } from './visible.js';

/** The request that contains a message, and its caller; `undefined` for an anonymous one. */
export interface Call {
  readonly request: HttpRequest;
  readonly caller: Caller | undefined;
}

/** The parameters of a query, by their names on the wire. */
export type Parameters = Readonly<Record<string, string | number>>;

/** The result of a query. */
export interface QueryAnswer {
  /** The members of `query`, and the members next to it that modules add. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The parameters that continue the query; `undefined` at its end. */
  readonly next: Parameters | undefined;
}

/** The result of a query that is ready to be sent: without hidden characters, and within the maximum length. */
export interface VisibleAnswer extends Visible, QueryAnswer {
  readonly warnings: readonly string[];
}

/** Further results would not fit. */
const TOOL_BUDGET: ResultBudget = { ...FULL_BUDGET, rows: 500 };

/** Runs `action=query` for the caller of a message, with the same checks as a request to the API. */
export class Queries {
  readonly #query: QueryParts;
  readonly #maxLength: number;

  /** @param maxLength - Of data as JSON, in characters. */
  constructor(query: QueryParts, maxLength: number) {
    this.#query = query;
    this.#maxLength = maxLength;
  }

  /**
   * Runs a query whose result is sent. If that is too long, the query is run again with lower limits, and continues.
   *
   * @throws ApiError
   */
  async run(call: Call, parameters: Parameters): Promise<VisibleAnswer> {
    const context = this.#contextOf(call, parameters);
    const answer = await this.#inContext(context, async (read) => {
      const again = async (budget: ResultBudget) => {
        const { data, next } = await read(budget);
        return { ...visible(data), next };
      };
      return fitToSize({
        first: await again(TOOL_BUDGET),
        lengthOf: ({ json }) => json.length,
        most: this.#maxLength,
        again: (lower) => again({ ...TOOL_BUDGET, ...lower }),
      });
    });
    return { ...answer, warnings: [...new Set(context.warnings.list.map(({ text }) => plainText(text)))] };
  }

  /**
   * Runs a query whose result is processed further. It is unchanged, and may have any length.
   *
   * @throws ApiError
   */
  async runUnlimited(call: Call, parameters: Parameters): Promise<QueryAnswer> {
    return this.#inContext(this.#contextOf(call, parameters), (read) => read(FULL_BUDGET));
  }

  #contextOf({ request, caller }: Call, parameters: Parameters): RequestContext & { readonly warnings: Warnings } {
    const { timeout, environment } = this.#query;
    const { clock, timer } = environment;
    return {
      request,
      parameters: RequestParameters.from(parameters),
      caller,
      isolated: false,
      style: { version: 2, errorFormat: 'plaintext', documentation: '' },
      deadline: new HandlerDeadline(timeout, timer),
      addressed: undefined,
      parsers: [],
      highLimits: caller?.rights.includes('apihighlimits') ?? false,
      now: clock(),
      warnings: new Warnings(),
    };
  }

  async #inContext<T>(
    context: RequestContext,
    use: (read: (budget: ResultBudget) => Promise<QueryAnswer>) => Promise<T>,
  ): Promise<T> {
    try {
      const answer = this.#query.action.prepare(context);
      const result = await use(async (budget) => {
        const read = await answer(budget);
        return partsOf('data' in read ? read.data : {});
      });
      warnUnrecognized(context);
      return result;
    } finally {
      context.deadline.end();
    }
  }
}

const partsOf = (answer: MutableItem): QueryAnswer => {
  const { batchcomplete: _, limits: __, continue: next, query, ...top } = answer;
  return {
    data: { ...Object(query), ...top },
    next: next as Parameters | undefined, // `runQuery` builds this shape.
  };
};
