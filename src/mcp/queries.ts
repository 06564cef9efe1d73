import type { HttpRequest } from '../core/index.js';
import type { Caller, QueryParts } from '../core/query/index.js';
import { RESULT } from './options.js';
import { visible } from './visible.js';

/** The request that contains a message, and its caller; `undefined` for an anonymous one. */
export interface Call {
  readonly request: HttpRequest;
  readonly caller: Caller | undefined;
}

/** The parameters of a query, by their names on the wire. */
export type Parameters = Readonly<Record<string, string | number>>;

type QueryAnswer = Awaited<ReturnType<QueryParts['run']>>;

/** Further results would not fit. */
const ROWS = 500;

/** Runs `action=query` for the caller of a message. */
export class Queries {
  readonly #query: QueryParts;

  constructor(query: QueryParts) {
    this.#query = query;
  }

  /**
   * Runs a query whose result is sent, without hidden characters. If that is too long, the query is run again with lower limits, and continues.
   *
   * @throws ApiError
   */
  async run(call: Call, parameters: Parameters): Promise<QueryAnswer> {
    const lengthOf = (data: QueryAnswer['data']): number => JSON.stringify(visible(data)).length;
    const size = { rows: ROWS, lengthOf, most: RESULT.maxLength };
    const answer = await this.#query.run({ ...call, parameters }, size);
    return { ...answer, data: visible(answer.data) };
  }

  /**
   * Runs a query whose result is processed further. It is unchanged, and may have any length.
   *
   * @throws ApiError
   */
  runUnlimited(call: Call, parameters: Parameters): Promise<QueryAnswer> {
    return this.#query.run({ ...call, parameters });
  }
}
