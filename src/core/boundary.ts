import { BearerError, OAuthError, PageError } from './errors.js';
import type { HttpRequest, HttpResponse, Route } from './http.js';
import type { Endpoint } from './oauth/index.js';
import type { OAuthContext } from './oauth/context.js';
import { pageResponse } from './oauth/pages/render.js';
import { errorResponse, protocolError } from './responses.js';

/** An error as a person reads it. */
const errorPage = async (error: unknown, context: OAuthContext): Promise<HttpResponse> => {
  const known = error instanceof PageError ? error : protocolError(error, context.onError);
  const headers = known instanceof BearerError ? {} : known.headers;
  const view = { status: known.status, message: known.message };
  try {
    return pageResponse(await context.pages.error(view), { status: known.status, headers });
  } catch (failure) {
    context.onError(failure);
    return pageResponse('<!DOCTYPE html><title>Error</title><p>The server could not handle this request.', {
      status: 500,
    });
  }
};

const methodNotAllowed = (allow: string): OAuthError =>
  new OAuthError('invalid_request', `This address answers ${allow} only.`, { status: 405, headers: { allow } });

/** What a script of another origin may read (RFC 9700 §2.6): never with credentials. */
const corsHeaders = (request: HttpRequest, origins: ReadonlySet<string>): Readonly<Record<string, string>> => {
  if (origins.size === 0) return {};
  if (origins.has('*')) return { 'access-control-allow-origin': '*' };
  const origin = request.header('origin');
  return origin !== undefined && origins.has(origin)
    ? { 'access-control-allow-origin': origin, vary: 'Origin' }
    : { vary: 'Origin' };
};

const preflight = (headers: Readonly<Record<string, string>>, methods: string): HttpResponse => ({
  status: 204,
  headers: {
    ...headers,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  },
  body: '',
});

/** The methods of an endpoint; who answers `GET` answers `HEAD` too. */
const allowOf = ({ methods }: Endpoint): string =>
  [...(methods.GET === undefined ? [] : ['GET', 'HEAD']), ...(methods.POST === undefined ? [] : ['POST'])].join(', ');

/**
 * Makes a route of an endpoint: finds the method, answers preflights, and is the one place where errors become answers.
 * No route ever rejects.
 */
export const routesOf = (endpoint: Endpoint, context: OAuthContext): readonly Route[] => {
  const allow = allowOf(endpoint);
  const { corsOrigins } = context.config;
  const withCors = endpoint.cors && corsOrigins.size > 0;
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isKnown = method === 'GET' || method === 'POST';
    try {
      const handler = isKnown ? endpoint.methods[method] : undefined;
      if (handler === undefined) throw methodNotAllowed(allow);
      return await handler(request, context);
    } catch (error) {
      return isKnown && endpoint.pages.includes(method)
        ? errorPage(error, context)
        : errorResponse(error, context.onError);
    }
  };
  const handle = !withCors
    ? answer
    : async (request: HttpRequest): Promise<HttpResponse> => {
        const headers = corsHeaders(request, corsOrigins);
        if (request.method === 'OPTIONS') return preflight(headers, allow);
        const response = await answer(request);
        return { ...response, headers: { ...response.headers, ...headers } };
      };
  return endpoint.paths.map((path) => ({ path, needsHost: endpoint.pages.length > 0, handle }));
};
