import { nodeCrypto } from '../../base/node-modules.js';
import type { HttpResponse } from '../../base/http.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { type MutableItem, toVersion1 } from '../answer/result-format.js';
import type { HelpParams, ParaminfoParams } from '../describe/describing-actions.js';
import type { ModuleNode } from '../describe/module-tree.js';
import type { compileParaminfo } from '../describe/paraminfo/paraminfo.js';
import type { ModuleParser } from '../parameters/parse.js';
import type { QueryParams } from '../run/query-parameters.js';
import type { RunSubquery } from '../reader/subquery.js';
import type { OpenSearchParams, ParseParams } from '../reader/descriptors.js';
import type { ParseParts } from '../reader/parse.js';
import type { QueryRun, QueryService } from '../run/query-run.js';
import type { RequestContext, Budget } from '../run/request-context.js';
import { runQuery } from '../run/run-query.js';
import type { Site } from '../site/site.js';

/** The result of an action: data for the response, a bare list, or a page. */
export type ActionResult =
  | { readonly data: MutableItem }
  | { readonly list: readonly unknown[]; readonly refusesWarnings: boolean }
  | { readonly page: HttpResponse };

/** An action of the endpoint. */
export interface Action {
  /**
   * Parses the action's parameters. The returned function runs the action; it is called again with a smaller budget if
   * the response is too long.
   */
  prepare(context: RequestContext): (budget: Budget) => Promise<ActionResult>;
}

const action = <Params>(
  parser: ModuleParser<Params>,
  answer: (context: RequestContext, params: Params, budget: Budget) => Promise<ActionResult>,
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
export const queryAction = (parser: ModuleParser<QueryParams>, service: QueryService, access: Access): Action =>
  action(parser, async (context, params, budget) => {
    const run = { service, context, params, budget };
    if (readsContent(run)) checkAccess(access, context);
    return { data: await runQuery(run) };
  });

/** `action=opensearch` */
export const openSearchAction = (
  parser: ModuleParser<OpenSearchParams>,
  parts: { readonly runSubquery: RunSubquery; readonly service: QueryService },
  access: Access,
): Action =>
  action(parser, async (context, params) => {
    checkAccess(access, context);
    const { suggest } = await import('../reader/open-search.js');
    return { list: await suggest(params, context, parts), refusesWarnings: params.warningsaserror };
  });

/** `action=parse` */
export const parseAction = (parser: ModuleParser<ParseParams>, parts: ParseParts, access: Access): Action =>
  action(parser, async (context, params, { limitFactor }) => {
    checkAccess(access, context);
    // A page cannot be shortened.
    if (limitFactor < 1) {
      throw new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });
    }
    // Imported on demand, like the help: most servers do not render HTML.
    const { parsePage } = await import('../reader/parse.js');
    return { data: await parsePage(params, context, parts) };
  });

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
    // Imported on demand, like the help: descriptions are a tenth of the code.
    describe ??= (await import('../describe/paraminfo/paraminfo.js')).compileParaminfo(tree);
    const { paraminfo, warnings: unknown } = describe(params, { highLimits, endpoint });
    for (const text of unknown) warnings.add('paraminfo', 'badmodule', text);
    return { data: { paraminfo: style.version === 1 ? toVersion1(paraminfo) : paraminfo } };
  });
};

/** `action=help`: a page, or with `wrap` its content as data. */
export const helpAction = (parser: ModuleParser<HelpParams>, tree: ModuleNode, site: Site): Action =>
  action(parser, async (_context, params) => {
    // Imported on demand: descriptions are a tenth of the code, and most servers never serve them.
    const { HELP_STYLE, renderHelp } = await import('../describe/help/help.js');
    const styleHash = nodeCrypto().createHash('sha256').update(HELP_STYLE).digest('base64');
    const { page, content } = renderHelp(tree, site, params);
    if (params.wrap) return { data: { help: { mime: 'text/html', help: content } } };
    return {
      page: {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'private, must-revalidate, max-age=0',
          'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
          'x-content-type-options': 'nosniff',
        },
        body: page,
      },
    };
  });
