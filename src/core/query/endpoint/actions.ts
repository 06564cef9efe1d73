import { pageResponse } from '../../base/pages/response.js';
import { ApiError, apiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { toVersion1 } from '../answer/result-format.js';
import type { helpModule, paraminfoModule } from '../describe/describing-actions.js';
import { renderHelp } from '../describe/help/help.js';
import type { ApiFrame } from '../describe/help/page.js';
import type { ModuleNode } from '../describe/module-tree.js';
import { compileParaminfo } from '../describe/paraminfo/paraminfo.js';
import type { ExistingPage, PageSet } from '../descriptor/page-model.js';
import { compileModule, type Described, type ParsedBy } from '../parameters/parse.js';
import { compare } from '../reader/compare/compare.js';
import type { compareModule } from '../reader/compare/descriptor.js';
import type { openSearchModule, parseModule } from '../reader/descriptors.js';
import { exportPages } from '../reader/export.js';
import { suggest } from '../reader/open-search.js';
import { parsePage } from '../reader/parse.js';
import { createSubqueryRunner, type ReaderOptions, type ReaderParts } from '../reader/subquery.js';
import type { Action, ActionResult } from '../run/action.js';
import type { queryModule, QueryParams } from '../run/query-parameters.js';
import type { QueryRun, QueryService } from '../run/query-run.js';
import type { RequestContext, ResultBudget } from '../run/request-context.js';
import { runQuery } from '../run/run-query.js';
import type { MainParams } from './main-parameters.js';

/** The descriptions of the actions. */
interface DescribedActions {
  readonly query: ReturnType<typeof queryModule>;
  readonly opensearch: typeof openSearchModule;
  readonly parse: typeof parseModule;
  readonly compare: typeof compareModule;
  readonly paraminfo: ReturnType<typeof paraminfoModule>;
  readonly help: typeof helpModule;
}

/** What actions depend on in addition to the service. */
interface ActionParts {
  readonly tree: ModuleNode;
  readonly frame: ApiFrame;
  /** The path of the sandbox, once there is one. */
  readonly links: { readonly sandbox?: string };
  readonly reader: ReaderOptions;
}

/** Creates the actions of the endpoint. */
export const createActions = (
  service: QueryService,
  described: DescribedActions,
  { tree, frame, links, reader }: ActionParts,
): Readonly<Record<MainParams['action'], Action>> => {
  const { site, documentation } = service;
  const action = <const M extends Described>(
    module: M,
    answer: (context: RequestContext, params: ParsedBy<M>, budget: ResultBudget) => Promise<ActionResult>,
  ): Action => {
    const parser = compileModule(module, site);
    return (context) => {
      const params = parser.parse(context.parameters, context);
      context.parsers.push(parser);
      return (budget) => answer(context, params, budget);
    };
  };
  const { render, sanitize, diff } = reader;
  const runSubquery = createSubqueryRunner(compileModule(described.query, site), service);
  const parts = { service, runSubquery, render, sanitize, diff };
  let describe: ReturnType<typeof compileParaminfo> | undefined;
  return {
    query: action(described.query, (context, params, budget) => answerQuery(context, params, budget, parts)),
    opensearch: action(described.opensearch, async (context, params) => {
      checkAccess(context, service);
      return { list: await suggest(params, context, parts), refusesWarnings: params.warningsaserror };
    }),
    parse: action(described.parse, async (context, params, budget) => {
      checkAccess(context, service);
      checkFits(budget);
      return { data: await parsePage(params, context, parts) };
    }),
    compare: action(described.compare, async (context, params, budget) => {
      checkAccess(context, service);
      checkFits(budget);
      return { data: await compare(params, context, parts) };
    }),
    paraminfo: action(described.paraminfo, async ({ highLimits, warnings, style }, params) => {
      describe ??= compileParaminfo(tree);
      const { paraminfo, warnings: unknown } = describe(params, { highLimits, endpoint: documentation });
      for (const text of unknown) warnings.add('paraminfo', 'badmodule', text);
      return { data: { paraminfo: style.version === 1 ? toVersion1(paraminfo) : paraminfo } };
    }),
    // A page in the language of the reader, or with `wrap` its content as data.
    help: action(described.help, async ({ request }, params) => {
      const { page, content } = renderHelp({ tree, site, ...links }, params, frame.for(request));
      if (params.wrap) return { data: { help: { mime: 'text/html', help: content } } };
      return { page: pageResponse(page, { headers: { 'cache-control': 'private, must-revalidate, max-age=0' } }) };
    }),
  };
};

const answerQuery = async (
  context: RequestContext,
  params: QueryParams,
  budget: ResultBudget,
  parts: ReaderParts,
): Promise<ActionResult> => {
  const { service } = parts;
  let pages: readonly ExistingPage[] = [];
  const onPages = params.export ? ({ existing }: PageSet) => void (pages = existing) : undefined;
  const run = { service, context, params, budget, onPages };
  if (readsContent(run)) checkAccess(context, service);
  const data = await runQuery(run);
  if (!params.export) return { data };
  const xml = await exportPages(pages, params.exportschema, context, parts);
  if (params.exportnowrap) return { xml };
  const query = { ...Object(data['query']), export: context.style.version === 1 ? { '*': xml } : xml };
  return { data: { ...data, query } };
};

const checkAccess = ({ caller }: RequestContext, { options }: QueryService): void => {
  if (options.private && !caller) {
    throw apiError('readapidenied').in('main');
  }
};

/** @throws ApiError if a result that cannot be shortened was too long. */
const checkFits = ({ limitFactor }: ResultBudget): void => {
  if (limitFactor < 1)
    throw new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });
};

/** Whether the request reads content. A few modules only help callers authenticate. */
const readsContent = ({ params, service: { modules }, context: { addressed } }: QueryRun): boolean => {
  const { titles, pageids, revids, generator, prop = [], list = [], meta = [] } = params;
  const names = [...prop, ...list, ...meta, ...(addressed ? [addressed.name] : [])];
  if (names.length === 0 || [titles, pageids, revids, generator].some((source) => source !== undefined)) return true;
  return names.some((name) => modules.get(name)?.descriptor.readrights !== false);
};
