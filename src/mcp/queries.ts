import type { HttpRequest } from '../core/index.js';
import type { Caller, QueryApi } from '../core/query/index.js';
import { RESULT } from './options.js';
import { jsonBytes } from './part.js';
import { visible } from './visible.js';

/** The request that contains a message, and its caller; `undefined` for an anonymous one. */
export interface Call {
  readonly request: HttpRequest;
  readonly caller: Caller | undefined;
}

/** The parameters of a query, by their names on the wire. */
export type Parameters = Readonly<Record<string, string | number>>;

/** Changes the data of a query for a tool. */
export type Shape = (data: QueryAnswer['data']) => QueryAnswer['data'];

type QueryAnswer = Awaited<ReturnType<QueryApi['run']>>;

/** Further results would not fit. */
const ROWS = 500;

/** Runs `action=query` for the caller of a message. */
export class Queries {
  readonly #query: QueryApi;

  constructor(query: QueryApi) {
    this.#query = query;
  }

  /**
   * Runs a query whose result is sent, without hidden characters. If that is too long, the query is run again with lower limits, and continues.
   *
   * @param shape - Makes the result of the data.
   * @throws ApiError
   */
  async run(call: Call, parameters: Parameters, shape: Shape = (data) => data): Promise<QueryAnswer> {
    const shaped = (data: QueryAnswer['data']) => visible(shape(data));
    const size = {
      rows: ROWS,
      lengthOf: (data: QueryAnswer['data']) => jsonBytes(shaped(data)),
      most: RESULT.maxBytes,
    };
    const answer = await this.#query.run({ ...call, parameters }, size);
    return { ...answer, data: shaped(answer.data) };
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
