import { pageResponse } from '../../base/pages/response.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { toVersion1 } from '../answer/result-format.js';
import type { HelpParams, ParaminfoParams } from '../describe/describing-actions.js';
import { renderHelp } from '../describe/help/help.js';
import type { ApiFrame } from '../describe/help/page.js';
import type { ModuleNode } from '../describe/module-tree.js';
import { compileParaminfo } from '../describe/paraminfo/paraminfo.js';
import type { ExistingPage, PageSet } from '../descriptor/page-model.js';
import type { ModuleParser } from '../parameters/parse.js';
import { compare } from '../reader/compare/compare.js';
import type { CompareParams } from '../reader/compare/descriptor.js';
import type { CompareParts } from '../reader/compare/sides.js';
import type { OpenSearchParams, ParseParams } from '../reader/descriptors.js';
import { exportPages } from '../reader/export.js';
import { suggest } from '../reader/open-search.js';
import { type ParseParts, parsePage } from '../reader/parse.js';
import type { RunSubquery } from '../reader/subquery.js';
import type { Action, ActionResult } from '../run/action.js';
import type { QueryParams } from '../run/query-parameters.js';
import type { QueryRun, QueryService } from '../run/query-run.js';
import type { RequestContext, ResultBudget } from '../run/request-context.js';
import { runQuery } from '../run/run-query.js';

const action = <Params>(
  parser: ModuleParser<Params>,
  answer: (context: RequestContext, params: Params, budget: ResultBudget) => Promise<ActionResult>,
): Action => ({
  prepare(context) {
    const params = parser.parse(context.parameters, context);
    context.parsers.push(parser);
    return (budget) => answer(context, params, budget);
  },
});

/** Whether content requires a token. */
interface Access {
  readonly isPrivate: boolean;
}

const checkAccess = ({ isPrivate }: Access, { caller }: RequestContext): void => {
  if (isPrivate && !caller) {
    throw new ApiError('readapidenied', message('apierror-readapidenied'), { module: 'main' });
  }
};

/** `action=query` */
export const queryAction = (
  parser: ModuleParser<QueryParams>,
  parts: { readonly runSubquery: RunSubquery; readonly service: QueryService },
  access: Access,
): Action =>
  action(parser, async (context, params, budget) => {
    let pages: readonly ExistingPage[] = [];
    const onPages = params.export ? ({ existing }: PageSet) => void (pages = existing) : undefined;
    const run = { service: parts.service, context, params, budget, onPages };
    if (readsContent(run)) checkAccess(access, context);
    const data = await runQuery(run);
    if (!params.export) return { data };
    const xml = await exportPages(pages, params.exportschema, context, parts);
    if (params.exportnowrap) return { xml };
    const query = { ...Object(data['query']), export: context.style.version === 1 ? { '*': xml } : xml };
    return { data: { ...data, query } };
  });

/** `action=opensearch` */
export const openSearchAction = (
  parser: ModuleParser<OpenSearchParams>,
  parts: { readonly runSubquery: RunSubquery; readonly service: QueryService },
  access: Access,
): Action =>
  action(parser, async (context, params) => {
    checkAccess(access, context);
    return { list: await suggest(params, context, parts), refusesWarnings: params.warningsaserror };
  });

/** `action=parse` */
export const parseAction = (parser: ModuleParser<ParseParams>, parts: ParseParts, access: Access): Action =>
  action(parser, async (context, params, { limitFactor }) => {
    checkAccess(access, context);
    // A page cannot be shortened.
    if (limitFactor < 1) throw tooSmall();
    return { data: await parsePage(params, context, parts) };
  });

/** `action=compare` */
export const compareAction = (parser: ModuleParser<CompareParams>, parts: CompareParts, access: Access): Action =>
  action(parser, async (context, params, { limitFactor }) => {
    checkAccess(access, context);
    if (limitFactor < 1) throw tooSmall();
    return { data: await compare(params, context, parts) };
  });

/** The error for a result that cannot be shortened. */
const tooSmall = (): ApiError =>
  new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });

/** Whether the request reads content. A few modules only help callers authenticate. */
const readsContent = ({ params, service: { modules }, context: { addressed } }: QueryRun): boolean => {
  const { titles, pageids, revids, generator, prop = [], list = [], meta = [] } = params;
  const names = [...prop, ...list, ...meta, ...(addressed ? [addressed.name] : [])];
  if (names.length === 0 || [titles, pageids, revids, generator].some((source) => source !== undefined)) return true;
  return names.some((name) => modules.get(name)?.descriptor.readrights !== false);
};

/** `action=paraminfo` */
export const paraminfoAction = (parser: ModuleParser<ParaminfoParams>, tree: ModuleNode, endpoint: string): Action => {
  let describe: ReturnType<typeof compileParaminfo> | undefined;
  return action(parser, async ({ highLimits, warnings, style }, params) => {
    describe ??= compileParaminfo(tree);
    const { paraminfo, warnings: unknown } = describe(params, { highLimits, endpoint });
    for (const text of unknown) warnings.add('paraminfo', 'badmodule', text);
    return { data: { paraminfo: style.version === 1 ? toVersion1(paraminfo) : paraminfo } };
  });
};

/** `action=help`: a page in the language of the reader, or with `wrap` its content as data. */
export const helpAction = (
  parser: ModuleParser<HelpParams>,
  parts: Parameters<typeof renderHelp>[0],
  frame: ApiFrame,
): Action =>
  action(parser, async ({ request }, params) => {
    const { page, content } = renderHelp(parts, params, frame.for(request));
    if (params.wrap) return { data: { help: { mime: 'text/html', help: content } } };
    return { page: pageResponse(page, { headers: { 'cache-control': 'private, must-revalidate, max-age=0' } }) };
  });
