import { concludedInTime, type Deadline } from '../base/deadline.js';
import { BearerError, methodNotAllowed, UnavailableError } from '../base/errors.js';
import { html } from '../base/html.js';
import { ANY_ORIGIN, DOCUMENT_HEADERS, headersFor, preflight, PROOF_RESPONSE_HEADERS } from '../base/http/cors.js';
import type { HttpRequest, HttpResponse, Route } from '../base/http/messages.js';
import { errorResponse, protocolError, serverError } from '../base/http/responses.js';
import { pageResponse } from '../base/pages/response.js';
import type { MaybePromise } from '../base/ports.js';
import { markAnswered } from '../base/waiting.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import type { OAuthContext } from '../oauth/kernel/context.js';
import type { Endpoint } from '../oauth/kernel/endpoint.js';
import { isDevelopment } from '../oauth/kernel/refusal.js';
import { PageError, pageErrorOf } from '../oauth/pages/page-error.js';
import type { ContextOf } from './observer.js';

/** The error page for an error: a page error unchanged, any other with no more detail than clients receive. */
const readableError = (error: unknown, context: OAuthContext): PageError => {
  if (error instanceof PageError) return error;
  const known = protocolError(error, context.onError);
  return pageErrorOf(known instanceof BearerError ? serverError() : known);
};

/** An error as a person reads it, with a way back. */
const errorPage = async (
  error: unknown,
  { start }: Pick<Endpoint, 'start'>,
  context: OAuthContext,
): Promise<HttpResponse> => {
  const known = readableError(error, context);
  const { status, headers, init } = known;
  const { basePath, config, pages } = context;
  const { explanation } = isDevelopment(config) ? init : {};
  try {
    const page = await pages.error(known, {
      ...(start !== undefined && { start: pages.address(basePath + start) }),
      ...(explanation !== undefined && { explanation }),
    });
    return pageResponse(page, { status, headers });
  } catch (failure) {
    context.onError(failure);
    const last = html`<!DOCTYPE html><html lang="en"><title>Error</title><p>The server could not handle this request.`;
    return pageResponse({ html: last, styleSources: [], imageSources: [] }, { status: 500 });
  }
};

/** When a response must be ready. The error names the option. What goes on after it decides nothing. */
export const requestDeadline = ({ config, timer, onError }: OAuthContext, request?: HttpRequest): Deadline => {
  const milliseconds = config.timeout;
  return {
    milliseconds,
    timer,
    error: () => {
      if (request !== undefined) markAnswered(request);
      return new UnavailableError(`A request was not answered within ${milliseconds} ms (options.timeout).`);
    },
    onLateError: (error) => void protocolError(error, onError),
  };
};

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
const methodsOf = ({ methods, pageMethods }: Endpoint): readonly string[] => [
  ...(methods.GET === undefined ? [] : pageMethods.includes('GET') ? ['GET'] : ['GET', 'HEAD']),
  ...(methods.POST === undefined ? [] : ['POST']),
];

/**
 * Turns endpoints into routes: selects the method, answers preflight requests, and is the only place where errors become responses.
 * Routes never reject.
 */
export const endpointRoutes = (
  endpoint: Endpoint,
  { corsOrigins, bindsTokens }: OAuthConfig,
  contextOf: ContextOf,
): readonly Route[] => {
  const known = methodsOf(endpoint);
  const allow = known.join(', ');
  const isPublic = endpoint.cors === 'any';
  const withCors = isPublic || (endpoint.cors && corsOrigins.size > 0);
  const lacksCors = endpoint.cors && !withCors;
  const answer = (request: HttpRequest): Promise<HttpResponse> => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isKnown = method === 'GET' || method === 'POST';
    const isPage = isKnown && endpoint.pageMethods.includes(method);
    const context = contextOf(request, isPage);
    const failed = (error: unknown): MaybePromise<HttpResponse> =>
      isPage ? errorPage(error, endpoint, context) : errorResponse(error, context.onError);
    try {
      context.warnings.proxy(request);
      if (!isPublic) context.warnings.host(request); // Health checks read documents from inside.
      if (lacksCors) context.warnings.crossOrigin(request, () => new URL(context.issuer(request)).origin);
      const handler = isKnown && known.includes(request.method) ? endpoint.methods[method] : undefined;
      if (handler === undefined) throw methodNotAllowed(allow);
      const work = handler(request, context);
      return work instanceof Promise
        ? concludedInTime(work, requestDeadline(context, request), (response) => response, failed)
        : Promise.resolve(work);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  };
  const handle = !withCors
    ? answer
    : async (request: HttpRequest): Promise<HttpResponse> => {
        const open = isPublic ? ANY_ORIGIN : corsHeaders(request, corsOrigins);
        const headers = bindsTokens ? { ...open, 'access-control-expose-headers': PROOF_RESPONSE_HEADERS } : open;
        if (request.method === 'OPTIONS')
          return preflight(open, allow, isPublic ? DOCUMENT_HEADERS : headersFor(request, bindsTokens));
        const response = await answer(request);
        return { ...response, headers: { ...response.headers, ...headers } };
      };
  return endpoint.paths.map((path) => ({ path, handle }));
};
