import type { HttpRequest, HttpResponse, Route } from '../../base/http/messages.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { isXml } from '../answer/print.js';
import { apiErrorOf } from '../answer/unexpected-error.js';
import { Warnings } from '../answer/warnings.js';
import { compileModule, type ModuleParser } from '../parameters/parse.js';
import { readParameters, type RequestParameters } from '../parameters/request-parameters.js';
import type { Action } from '../run/action.js';
import { HandlerDeadline } from '../run/deadline.js';
import { fitToSize } from '../run/fitting.js';
import type { QueryModule } from '../run/query-modules.js';
import type { QueryService } from '../run/query-run.js';
import { FULL_BUDGET, type RequestContext } from '../run/request-context.js';
import { warnUnrecognized } from '../run/unrecognized.js';
import { SIZES } from '../sizes.js';
import { decideOrigin, originCheck } from './cors.js';
import { checkAssertions, identifyCaller } from './identity.js';
import { jsonModule, mainModule, type MainParams, xmlModule } from './main-parameters.js';
import { plainReply, printError, printResult, type Reply, replyTo, withHeaders, withPrinterError } from './reply.js';

const METHODS = new Set(['GET', 'HEAD', 'POST']);

/** The parts of the endpoint. */
interface EndpointParts {
  readonly service: QueryService;
  readonly actions: Readonly<Record<MainParams['action'], Action>>;
  readonly main: ModuleParser<MainParams>;
  /** The parsers of the parameters of a format. */
  readonly printers: Readonly<Record<'json' | 'xml', ModuleParser<unknown>>>;
}

type Handle = (request: HttpRequest, addressed?: QueryModule) => Promise<HttpResponse>;

/** Creates the function that handles requests to the endpoint. */
export const createEndpoint = (service: QueryService, actions: EndpointParts['actions']): Handle => {
  const { site, options, host, body, documentation } = service;
  const rules = { isAllowed: originCheck(options.cors), bindsTokens: host.bindsTokens };
  const parts: EndpointParts = {
    service,
    actions,
    main: compileModule(mainModule, site),
    printers: { json: compileModule(jsonModule, site), xml: compileModule(xmlModule, site) },
  };
  return async (request, addressed) => {
    const warnings = new Warnings();
    const deadline = new HandlerDeadline(options.timeout, host.timer);
    // Each step may know more about the form of the response. An error is answered in the form that is known by then.
    let reply = plainReply(documentation);
    try {
      const parameters = await readParameters(request, body);
      const origin = decideOrigin(request, parameters, rules);
      if (origin.response) return origin.response;
      warnOfArrays(parameters, warnings);
      reply = replyTo(request, parameters, origin, { documentation, now: host.clock() });
      const known = await identify(request, service);
      reply = withHeaders(reply, known.headers);
      const caller = reply.isolated ? undefined : known.caller;
      service.limiter?.take('requests', 1, request, caller);
      const printing = parts.printers[isXml(reply.printer.format) ? 'xml' : 'json'];
      const context: RequestContext = {
        request,
        parameters,
        caller,
        isolated: reply.isolated,
        style: reply.style,
        deadline,
        addressed,
        parsers: [parts.main, printing],
        highLimits: caller?.rights.includes('apihighlimits') ?? false,
        now: host.clock(),
        warnings,
      };
      reply = checkPrinterParameters(reply, printing, context);
      return await answer(context, reply, parts);
    } catch (error) {
      return printError(apiErrorOf(error, host), reply, warnings);
    } finally {
      deadline.end();
    }
  };
};

const warnOfArrays = (parameters: RequestParameters, warnings: Warnings): void => {
  parameters.onArray = (name) =>
    warnings.add('main', 'unsupportedarray', message('apiwarn-unsupportedarray', { plaintext: name }));
};

/** The caller and the headers for it. A request whose token is rejected counts as anonymous. */
const identify = async (request: HttpRequest, service: QueryService): ReturnType<typeof identifyCaller> => {
  try {
    return await identifyCaller(request, service);
  } catch (error) {
    service.limiter?.take('requests', 1, request, undefined);
    throw error;
  }
};

/** An invalid parameter of the format is an error only if there is no other one. */
const checkPrinterParameters = (reply: Reply, parser: ModuleParser<unknown>, context: RequestContext): Reply => {
  try {
    parser.parse(context.parameters, context);
    return reply;
  } catch (error) {
    if (error instanceof ApiError) return withPrinterError(reply, error);
    throw error;
  }
};

/** Runs the action of a request. @throws ApiError for a request that is wrong. */
const answer = async (context: RequestContext, reply: Reply, parts: EndpointParts): Promise<HttpResponse> => {
  const { service, main, actions } = parts;
  const { request, parameters, warnings } = context;
  const params = main.parse(parameters, context);
  checkAssertions(params, context.caller, service.site);
  checkMethod(request);
  const run = actions[context.addressed ? 'query' : params.action](context);
  const result = await run(FULL_BUDGET);
  if ('page' in result) return result.page;
  if (reply.printerError) throw reply.printerError;
  warnOfUnread(context, reply);
  if ('list' in result && result.refusesWarnings && warnings.list.length > 0) {
    throw new ApiError('warnings', message('apierror-opensearch-json-warnings'), { module: params.action });
  }
  const response = await fitToSize({
    first: printResult(result, reply, warnings),
    lengthOf: ({ body }) => body.length,
    most: SIZES.response,
    again: async (lower) => printResult(await run({ ...FULL_BUDGET, ...lower }), reply, warnings),
  });
  // Errors are not cacheable.
  return params.maxage > 0 ? cacheable(response, params.maxage) : response;
};

const checkMethod = ({ method }: HttpRequest): void => {
  if (METHODS.has(method)) return;
  throw new ApiError('invalidmethod', message('apierror-invalidmethod'), {
    module: 'main',
    status: 405,
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  });
};

/** Warns of parameters that were not read. */
const warnOfUnread = (context: RequestContext, { printer }: Reply): void => {
  const { request, warnings } = context;
  if (request.method === 'POST' && request.header('content-type') === undefined) {
    warnings.deprecation('main', message('apiwarn-deprecation-post-without-content-type'), 'post-without-content-type');
  }
  const cacheBuster = printer.callback === undefined ? undefined : '_';
  warnUnrecognized(context, (name) => name === cacheBuster);
};

/** The response with a `max-age`, unless it has a new nonce. */
const cacheable = (response: HttpResponse, maxage: number): HttpResponse => {
  const { headers } = response;
  return headers['cache-control'] === 'no-store'
    ? response
    : { ...response, headers: { ...headers, 'cache-control': `private, must-revalidate, max-age=${maxage}` } };
};

/** The routes of the endpoint: its paths, and below each path one for every module. */
export const routesOf = (
  handle: Handle,
  paths: readonly string[],
  modules: Iterable<QueryModule>,
): readonly Route[] => {
  const all = [...modules];
  return paths.flatMap((path): Route[] => [
    { path, handle: (request) => handle(request) },
    ...all.map((module): Route => ({ path: `${path}/${module.path}`, handle: (request) => handle(request, module) })),
  ]);
};
