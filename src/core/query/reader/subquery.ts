import type { MutableItem } from '../answer/result-format.js';
import type { ModuleParser } from '../parameters/parse.js';
import { RequestParameters } from '../parameters/request-parameters.js';
import type { QueryParams } from '../run/query-parameters.js';
import type { QueryService } from '../run/query-run.js';
import { FULL_BUDGET, type RequestContext } from '../run/request-context.js';
import { runQuery } from '../run/run-query.js';
import type { Diff } from './compare/table.js';
import type { Render } from './renderer.js';
import type { Sanitize } from './sanitize.js';

/** A page of a subquery, with the data of modules under further keys. */
export interface SubqueryPage {
  readonly [key: string]: unknown;
  readonly pageid?: number;
  readonly ns?: number;
  readonly title?: string;
  readonly missing?: true;
  readonly invalid?: true;
  readonly special?: true;
  /** The index from a generator. */
  readonly index?: number;
}

/** The result of a subquery, in formatversion 2. */
interface SubqueryResult {
  readonly query: {
    readonly [key: string]: unknown;
    readonly pages?: readonly SubqueryPage[];
    readonly redirects?: readonly MutableItem[];
  };
  /** The parameters that continue the subquery. */
  readonly continue?: Readonly<Record<string, string | number>>;
}

/**
 * The parameters of a subquery: those of `action=query`, and in `values` those of modules, by their names on the wire.
 */
export type Subquery = Partial<QueryParams> & { readonly values?: Readonly<Record<string, string | number>> };

/** Runs a query for another action. */
export type RunSubquery = (subquery: Subquery, context: RequestContext) => Promise<SubqueryResult>;

/** What the application may pass to the actions that read pages. */
export interface ReaderOptions {
  /** Absent if the site does not render pages. */
  readonly render?: Render | undefined;
  readonly sanitize?: Sanitize | undefined;
  readonly diff?: Diff | undefined;
}

/** What the actions that read pages depend on. */
export interface ReaderParts extends ReaderOptions {
  readonly runSubquery: RunSubquery;
  readonly service: QueryService;
}

/**
 * Creates a function that runs queries for other actions, with the same modules, handlers and caller, so that access
 * rules apply. Warnings are added to the response.
 */
export const createSubqueryRunner =
  (parser: ModuleParser<QueryParams>, service: QueryService): RunSubquery =>
  async ({ values = {}, ...query }, outer) => {
    const parameters = RequestParameters.from(values);
    const { request, caller, isolated, deadline, highLimits, now, warnings } = outer;
    const context: RequestContext = {
      request,
      parameters,
      caller,
      isolated,
      deadline,
      highLimits,
      now,
      warnings,
      style: { ...outer.style, version: 2 },
      addressed: undefined,
      parsers: [],
    };
    const params = { ...parser.parse(parameters, context), ...query };
    const answer = await runQuery({ service, context, params, budget: FULL_BUDGET });
    // `runQuery` builds this shape; only the data of modules comes from handlers.
    return { query: {}, ...answer } as SubqueryResult;
  };
