import type { HttpRequest } from '../../base/http.js';
import { plainText } from '../answer/messages.js';
import type { MutableItem } from '../answer/result-format.js';
import { Warnings } from '../answer/warnings.js';
import type { Caller } from '../caller.js';
import type { Action } from '../endpoint/actions.js';
import type { QueryEnvironment } from '../options.js';
import { RequestParameters } from '../request/request-parameters.js';
import { Deadline } from '../run/deadline.js';
import { fitToSize } from '../run/fitting.js';
import type { RequestContext, Budget } from '../run/request-context.js';
import { warnUnrecognized } from '../run/unrecognized.js';
import { type Visible, visible } from './content.js';

/** A message of a client, and who sends it. */
export interface Call {
  readonly request: HttpRequest;
  readonly caller: Caller | undefined;
}

/** Parameters of a query by their names on the wire. */
export type Parameters = Readonly<Record<string, string | number>>;

/** The answer of the modules to one query. */
export interface Answer {
  /** The members of `query`, and those next to it that hold results. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The parameters that continue the query; `undefined` at its end. */
  readonly next: Parameters | undefined;
}

/** An answer for a client: without hidden characters, and no longer than a result may be. */
export interface VisibleAnswer extends Visible, Answer {
  readonly warnings: readonly string[];
}

const WHOLE: Budget = { limitFactor: 1, maxLength: undefined };

/** Asks the modules what the endpoint would ask them, for the same caller and with the same checks, without a request of its own. */
export class Queries {
  readonly #action: Action;
  readonly #environment: QueryEnvironment;
  readonly #longest: number;

  /** @param longest - In characters of JSON. */
  constructor(action: Action, environment: QueryEnvironment, longest: number) {
    this.#action = action;
    this.#environment = environment;
    this.#longest = longest;
  }

  /**
   * The answer without hidden characters. If it is too long, it has fewer results, and continues.
   *
   * @throws ApiError
   */
  async ask(call: Call, parameters: Parameters): Promise<VisibleAnswer> {
    const context = this.#contextOf(call, parameters);
    const answer = await this.#run(context, async (read) => {
      const again = async (budget: Budget) => {
        const { data, next } = await read(budget);
        return { ...visible(data), next };
      };
      return fitToSize({ first: await again(WHOLE), lengthOf: ({ json }) => json.length, most: this.#longest, again });
    });
    return { ...answer, warnings: [...new Set(context.warnings.list.map(({ text }) => plainText(text)))] };
  }

  /**
   * The unchanged answer, at any length.
   *
   * @throws ApiError
   */
  async raw(call: Call, parameters: Parameters): Promise<Answer> {
    return this.#run(this.#contextOf(call, parameters), (read) => read(WHOLE));
  }

  #contextOf({ request, caller }: Call, given: Parameters) {
    const { clock, timeout, timer } = this.#environment;
    const parameters = new RequestParameters();
    for (const [name, value] of Object.entries(given)) parameters.add(name, { text: String(value), malformed: false });
    return {
      request,
      parameters,
      caller,
      isolated: false,
      style: { version: 2, errorFormat: 'plaintext', documentation: '' },
      deadline: new Deadline(timeout, timer),
      addressed: undefined,
      parsers: [],
      highLimits: caller?.rights.includes('apihighlimits') ?? false,
      now: clock(),
      warnings: new Warnings(),
    } satisfies RequestContext;
  }

  async #run<T>(context: RequestContext, use: (read: (budget: Budget) => Promise<Answer>) => Promise<T>): Promise<T> {
    try {
      const answer = this.#action.prepare(context);
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

const partsOf = (answer: MutableItem): Answer => {
  const { batchcomplete: _, limits: __, continue: next, query, ...top } = answer;
  return {
    data: { ...Object(query), ...top },
    next: next as Parameters | undefined, // As `continueFrom` makes it.
  };
};
