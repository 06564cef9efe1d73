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
import { visibleData } from './content.js';

/** A message of a client, and who sends it. */
export interface Call {
  readonly request: HttpRequest;
  readonly caller: Caller | undefined;
}

/** Parameters of a query by their names on the wire. */
export type Parameters = Readonly<Record<string, string | number>>;

/** What the modules say. */
export interface Answer {
  /** What stands below `query`, and the lists beside it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The parameters that the same query goes on with. */
  readonly next: Parameters | undefined;
  readonly warnings: readonly string[];
}

const WHOLE: Budget = { limitFactor: 1, maxLength: undefined };

/** Asks the modules what the endpoint would ask them, for the same caller and with the same checks, without a request of its own. */
export class Queries {
  readonly #action: Action;
  readonly #environment: QueryEnvironment;
  readonly #longest: number;

  /** @param longest - In characters, of the data written as JSON. */
  constructor(action: Action, environment: QueryEnvironment, longest: number) {
    this.#action = action;
    this.#environment = environment;
    this.#longest = longest;
  }

  /**
   * As much of the answer as the budget allows, with texts as people see them. With less than everything it goes on.
   *
   * @throws ApiError
   */
  async ask(call: Call, parameters: Parameters): Promise<Answer> {
    return this.#run(call, parameters, async (answer) => {
      const read = async (budget: Budget) => {
        const { data, next } = await answer(budget);
        const visible = Object(visibleData(data));
        return { data: visible, next, length: JSON.stringify(visible).length };
      };
      return fitToSize({
        first: await read(WHOLE),
        lengthOf: ({ length }) => length,
        most: this.#longest,
        again: read,
      });
    });
  }

  /**
   * The answer as it is, however long and with whatever is in its texts.
   *
   * @throws ApiError
   */
  async raw(call: Call, parameters: Parameters): Promise<Answer> {
    return this.#run(call, parameters, (answer) => answer(WHOLE));
  }

  async #run(
    { request, caller }: Call,
    given: Parameters,
    read: (answer: (budget: Budget) => Promise<Omit<Answer, 'warnings'>>) => Promise<Omit<Answer, 'warnings'>>,
  ): Promise<Answer> {
    const { clock, timeout, timer } = this.#environment;
    const parameters = new RequestParameters();
    for (const [name, value] of Object.entries(given)) parameters.add(name, { text: String(value), malformed: false });
    const warnings = new Warnings();
    const context: RequestContext = {
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
      warnings,
    };
    try {
      const answer = this.#action.prepare(context);
      const { data, next } = await read(async (budget) => {
        const result = await answer(budget);
        return partsOf('data' in result ? result.data : {});
      });
      warnUnrecognized(context);
      return { data, next, warnings: [...new Set(warnings.list.map(({ text }) => plainText(text)))] };
    } finally {
      context.deadline.end();
    }
  }
}

const partsOf = (answer: MutableItem) => {
  const { batchcomplete: _, limits: __, continue: next, query, ...top } = answer;
  return {
    data: { ...Object(query), ...top },
    next: next as Parameters | undefined, // As `continueFrom` makes it.
  };
};
