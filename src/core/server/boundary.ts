import { concludedInTime, type Deadline, isAwaited } from '../base/deadline.js';
import { BearerError, methodNotAllowed, UnavailableError } from '../base/errors.js';
import { html } from '../base/html.js';
import { ANY_ORIGIN, DOCUMENT_HEADERS, headersFor, preflight, PROOF_RESPONSE_HEADERS } from '../base/http/cors.js';
import type { HttpRequest, HttpResponse, Route } from '../base/http/messages.js';
import { errorResponse, protocolError, serverError } from '../base/http/responses.js';
import { giveUpBody } from '../base/limits/body-room.js';
import { PageError, pageErrorOf } from '../base/pages/page-error.js';
import { pageResponse } from '../base/pages/response.js';
import type { MaybePromise, Timer } from '../base/ports.js';
import { markAnswered } from '../base/waiting.js';
import type { DeploymentWarnings } from '../oauth/facts/deployment-warnings.js';
import { isDevelopment } from '../oauth/kernel/refusal.js';
import type { RequestScope } from '../oauth/kernel/request-scope.js';
import type { ServerEndpoint } from '../oauth/kernel/server-endpoint.js';
import type { Pages } from '../oauth/pages/render.js';

/** What the boundary between routes and endpoints needs. */
interface BoundaryServices {
  /** When a response must be ready. */
  readonly deadline: Deadline;
  readonly onError: (error: unknown) => void;
  readonly warnings: DeploymentWarnings;
  readonly pages: Pages;
  readonly basePath: string;
  readonly configuredIssuer: string | undefined;
  issuer(request: HttpRequest): string;
  readonly corsOrigins: ReadonlySet<string>;
  readonly bindsTokens: boolean;
}

/** The error page for an error: a page error unchanged, any other with no more detail than clients receive. */
const readableError = (error: unknown, onError: BoundaryServices['onError']): PageError => {
  if (error instanceof PageError) return error;
  const known = protocolError(error, onError);
  return pageErrorOf(known instanceof BearerError ? serverError() : known);
};

/** An error as a person reads it, with a way back. */
const errorPage = async (
  error: unknown,
  pages: Pages,
  { start }: ServerEndpoint,
  { basePath, configuredIssuer, onError }: BoundaryServices,
): Promise<HttpResponse> => {
  const known = readableError(error, onError);
  const { status, headers, init } = known;
  const { explanation } = isDevelopment(configuredIssuer) ? init : {};
  try {
    const page = await pages.error(known, {
      ...(start !== undefined && { start: pages.address(basePath + start) }),
      ...(explanation !== undefined && { explanation }),
    });
    return pageResponse(page, { status, headers });
  } catch (failure) {
    onError(failure);
    const last = html`<!DOCTYPE html><html lang="en"><title>Error</title><p>The server could not handle this request.`;
    return pageResponse({ html: last, styleSources: [], imageSources: [] }, { status: 500 });
  }
};

/** When responses must be ready. The error names the option. What goes on after it decides nothing. */
export const requestDeadline = ({
  timeout,
  timer,
  onError,
}: {
  readonly timeout: number;
  readonly timer: Timer;
  readonly onError: (error: unknown) => void;
}): Deadline => ({
  milliseconds: timeout,
  timer,
  error: () => new UnavailableError(`A request was not answered within ${timeout} ms (options.timeout).`),
  onLateError: (error) => void protocolError(error, onError),
});

/** Headers for scripts of other origins (RFC 9700 §2.6): never with credentials. */
const corsHeaders = (request: HttpRequest, origins: ReadonlySet<string>): Readonly<Record<string, string>> => {
  if (origins.size === 0) return {};
  if (origins.has('*')) return ANY_ORIGIN;
  const origin = request.header('origin');
  return origin !== undefined && origins.has(origin)
    ? { 'access-control-allow-origin': origin, vary: 'Origin' }
    : { vary: 'Origin' };
};

/**
 * The methods of an endpoint. `HEAD` works for documents but not for pages, because viewing a page may grant
 * something that was allowed before, and `HEAD` must have no effect (RFC 9110 §9.2.1).
 */
const methodsOf = ({ programs = {}, pages = {} }: ServerEndpoint): readonly string[] => [
  ...(programs.GET === undefined ? [] : ['GET', 'HEAD']),
  ...(pages.GET === undefined ? [] : ['GET']),
  ...(programs.POST === undefined && pages.POST === undefined ? [] : ['POST']),
];

/**
 * Turns endpoints into routes: selects the method, answers preflight requests, and is the only place where errors become responses.
 * Routes never reject.
 */
export const endpointRoutes = (
  endpoint: ServerEndpoint,
  scopeOf: (request: HttpRequest) => RequestScope,
  services: BoundaryServices,
): readonly Route[] => {
  const { corsOrigins, bindsTokens, warnings, deadline, onError } = services;
  const { programs = {} } = endpoint;
  const known = methodsOf(endpoint);
  const allow = known.join(', ');
  const isPublic = endpoint.cors === 'any';
  const withCors = isPublic || (endpoint.cors && corsOrigins.size > 0);
  const lacksCors = endpoint.cors && !withCors;
  const answer = (request: HttpRequest): Promise<HttpResponse> => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isKnown = method === 'GET' || method === 'POST';
    const pages =
      isKnown && endpoint.pages !== undefined && programs[method] === undefined
        ? services.pages.for(request)
        : undefined;
    const failed = (error: unknown, isLate: boolean): MaybePromise<HttpResponse> => {
      if (isLate) markAnswered(request);
      return pages === undefined ? errorResponse(error, onError) : errorPage(error, pages, endpoint, services);
    };
    try {
      warnings.proxy(request);
      if (!isPublic) warnings.host(request); // Health checks read documents from inside.
      if (lacksCors) warnings.crossOrigin(request, () => new URL(services.issuer(request)).origin);
      if (!isKnown || !known.includes(request.method)) throw methodNotAllowed(allow);
      const scope = scopeOf(request);
      const { emit } = scope;
      const work =
        pages === undefined ? programs[method]?.(scope) : endpoint.pages?.[method]?.({ request, emit, pages });
      if (work === undefined) throw methodNotAllowed(allow);
      return isAwaited(work)
        ? concludedInTime(work, deadline, failed, () => giveUpBody(request))
        : Promise.resolve(work);
    } catch (error) {
      return Promise.resolve(failed(error, false));
    }
  };
  const handle = !withCors
    ? answer
    : async (request: HttpRequest): Promise<HttpResponse> => {
        const open = isPublic ? ANY_ORIGIN : corsHeaders(request, corsOrigins);
        const exposed = bindsTokens && { 'access-control-expose-headers': PROOF_RESPONSE_HEADERS };
        if (request.method === 'OPTIONS')
          return preflight(open, allow, isPublic ? DOCUMENT_HEADERS : headersFor(request, bindsTokens));
        const response = await answer(request);
        return { ...response, headers: Object.assign({}, response.headers, open, exposed) };
      };
  return endpoint.paths.map((path) => ({ path, handle }));
};
