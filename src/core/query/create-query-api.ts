import { resourceMetadataAddress } from '../base/addresses/resource.js';
import { anyTokenIn, type GuardRequirement, tokenIn } from '../base/http/bearer.js';
import { readBody } from '../base/http/body.js';
import { preflight, PROOF_RESPONSE_HEADERS } from '../base/http/cors.js';
import type { HttpRequest } from '../base/http/messages.js';
import { oauthErrorResponse, unavailable } from '../base/http/responses.js';
import { plainText } from './answer/messages.js';
import type { MutableItem } from './answer/result-format.js';
import { apiErrorOf } from './answer/unexpected-error.js';
import { Warnings } from './answer/warnings.js';
import type { Caller } from './caller.js';
import { fieldsOf } from './describe/schemas/fields.js';
import { INLINE } from './describe/schemas/shared-schemas.js';
import { originCheck } from './endpoint/cors.js';
import { callerOf } from './endpoint/identity.js';
import { RequestParameters } from './parameters/request-parameters.js';
import type { Admission, AnswerSize, ApiAnswer, ApiQuery, QueryApi } from './query-api.js';
import type { Action } from './run/action.js';
import { HandlerDeadline } from './run/deadline.js';
import { fitToSize } from './run/fitting.js';
import type { QueryService } from './run/query-run.js';
import { FULL_BUDGET, type RequestContext, type ResultBudget } from './run/request-context.js';
import { warnUnrecognized } from './run/unrecognized.js';
import { VERSION } from './site/site.js';
import { SIZES } from './sizes.js';

/** What features get in addition to the service. */
interface ApiParts extends Pick<QueryApi, 'frame' | 'tree' | 'linkSandbox'> {
  /** `action=query` */
  readonly action: Action;
}

/** What the query API offers to other features. */
export const createQueryApi = (service: QueryService, { frame, tree, linkSandbox, action }: ApiParts): QueryApi => {
  const { options, host, path, site } = service;
  const { bindsTokens } = host;
  return {
    path,
    private: options.private,
    site,
    frame,
    tree,
    linkSandbox,
    version: VERSION,
    fields: (node, shared = INLINE) => fieldsOf(node, { site, shared }),
    isAllowedOrigin: originCheck(options.cors),
    crossOrigin: (request, { methods, headers: sent }) => {
      const origin = request.header('origin');
      const headers = {
        vary: 'Origin',
        ...(origin !== undefined && {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': bindsTokens ? PROOF_RESPONSE_HEADERS : 'www-authenticate',
        }),
      };
      const isPreflight = request.method === 'OPTIONS';
      return {
        headers,
        response: isPreflight ? preflight(headers, methods, bindsTokens ? `${sent}, dpop` : sent) : undefined,
      };
    },
    admission: ({ resource, scopes }, isPublic) => {
      const requirement = { scopes, audience: [resource], metadata: resourceMetadataAddress(resource) };
      return (request) => admit(request, { requirement, isPublic }, service);
    },
    readBody: (request) => readBody(request, { ...service.body, bytes: SIZES.message }, (error) => error),
    run: (query, size = UNLIMITED) => run(service, action, query, size),
    errorOf: (error) => apiErrorOf(error, host),
  };
};

const admit = async (
  request: HttpRequest,
  { requirement, isPublic }: { readonly requirement: GuardRequirement; readonly isPublic: boolean },
  service: QueryService,
): Promise<Admission> => {
  const { limiter } = service;
  const { guard, bindsTokens, onError } = service.host;
  const header = request.header('authorization') ?? '';
  if (isPublic && (bindsTokens ? anyTokenIn(header) : tokenIn(header)) === undefined) {
    limiter?.take('requests', 1, request, undefined);
    return { caller: undefined };
  }
  const result = await guard(request, requirement);
  if ('response' in result) return result;
  let caller: Caller;
  try {
    caller = await callerOf(result.authorization, service);
  } catch (error) {
    onError(error);
    return { response: oauthErrorResponse(unavailable()) };
  }
  limiter?.take('requests', 1, request, caller);
  return { caller, headers: result.headers };
};

const run = async (
  { options, host: { clock, timer } }: QueryService,
  action: Action,
  { request, caller, parameters }: ApiQuery,
  { rows, lengthOf, most }: AnswerSize,
): Promise<ApiAnswer> => {
  const warnings = new Warnings();
  const context: RequestContext = {
    request,
    caller,
    warnings,
    now: clock(),
    parameters: RequestParameters.from(parameters),
    isolated: false,
    style: { version: 2, errorFormat: 'plaintext', documentation: '' },
    deadline: new HandlerDeadline(options.timeout, timer),
    addressed: undefined,
    parsers: [],
    highLimits: caller?.rights.includes('apihighlimits') ?? false,
  };
  try {
    const answer = action(context);
    const again = async (lower?: Partial<ResultBudget>) => {
      const result = await answer({ ...FULL_BUDGET, rows, ...lower });
      return partsOf('data' in result ? result.data : {});
    };
    const first = await again();
    const fitting = await fitToSize({ first, lengthOf: ({ data }) => lengthOf(data), most, again });
    warnUnrecognized(context);
    return { ...fitting, warnings: [...new Set(warnings.list.map(({ text }) => plainText(text)))] };
  } finally {
    context.deadline.end();
  }
};

const UNLIMITED: AnswerSize = { rows: FULL_BUDGET.rows, lengthOf: () => 0, most: Number.POSITIVE_INFINITY };

const partsOf = (answer: MutableItem): Omit<ApiAnswer, 'warnings'> => {
  const { batchcomplete: _, limits: __, continue: next, query, ...top } = answer;
  return {
    data: { ...Object(query), ...top },
    next: next as ApiAnswer['next'], // `runQuery` builds this shape.
  };
};
