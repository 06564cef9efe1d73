import { resourceMetadataAddress } from '../core/base/addresses/resource.js';
import { type GuardRequirement, tokenIn } from '../core/base/http/bearer.js';
import { type BodyError, type BodyLimits, bufferOf, readBody } from '../core/base/http/body.js';
import { preflight, PROOF_RESPONSE_HEADERS } from '../core/base/http/cors.js';
import type { HttpRequest, HttpResponse, Route } from '../core/base/http/messages.js';
import { isJsonType } from '../core/base/http/messages.js';
import { errorResponse, oauthErrorResponse, unavailable } from '../core/base/http/responses.js';
import { ApiError } from '../core/query/answer/api-error.js';
import { callerOf } from '../core/query/endpoint/identity.js';
import { RPC, rpcErrorResponse } from './errors.js';
import type { McpParts, Protocol } from './parts.js';
import { loadProtocol } from './protocol.js';
import type { Call } from './queries.js';
import { createSourceCheck, type SourceCheck } from './source.js';

const METHODS = 'POST';
/** Header fields of clients that a preflight must allow. */
const ALLOWED_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id';

/** A body that cannot be read, with the status of the response. */
class UnreadableBody extends Error {
  readonly status: number;
  readonly headers: BodyError['headers'];

  constructor({ message, status, headers }: BodyError) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const readMessage = async (request: HttpRequest, limits: BodyLimits): Promise<unknown> => {
  const body = await readBody(request, limits, (error) => new UnreadableBody(error));
  return 'fields' in body ? body.fields : JSON.parse(bufferOf(body.bytes).toString('utf8'));
};

/** The HTTP endpoint of the MCP server. Checks the source and the caller of each request, and passes its message to the protocol. */
class McpEndpoint {
  readonly #parts: McpParts;
  readonly #requirement: GuardRequirement;
  readonly #check: SourceCheck;
  readonly #protocol: Promise<Protocol>;

  constructor(parts: McpParts) {
    const { options, resource, query } = parts;
    const { scopes = [], hosts = [] } = options;
    this.#parts = parts;
    this.#requirement = { scopes, audience: [resource], metadata: resourceMetadataAddress(resource) };
    this.#check = createSourceCheck({ resource, hosts, origins: query.origins });
    this.#protocol = loadProtocol(parts);
    this.#protocol.catch(query.host.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const problem = this.#check(request);
    if (problem !== undefined) return rpcErrorResponse(403, { code: RPC.rejected, message: problem });
    const origin = request.header('origin');
    const { bindsTokens } = this.#parts.query.host;
    const exposed = bindsTokens ? PROOF_RESPONSE_HEADERS : 'www-authenticate';
    const headers = {
      vary: 'Origin',
      ...(origin !== undefined && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposed,
      }),
    };
    const allowed = bindsTokens ? `${ALLOWED_HEADERS}, dpop` : ALLOWED_HEADERS;
    if (request.method === 'OPTIONS') return preflight(headers, METHODS, allowed);
    const response = await this.#answer(request);
    return { ...response, headers: { ...response.headers, ...headers } };
  }

  async #answer(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== 'POST') {
      // GET would open a stream of events, DELETE would end a session. There are neither.
      return rpcErrorResponse(405, { code: RPC.rejected, message: 'Send messages with POST.' }, { allow: METHODS });
    }
    try {
      const admitted = await this.#admit(request);
      if ('response' in admitted) return admitted.response;
      this.#parts.query.limiter?.take('requests', 1, request, admitted.call.caller);
      if (!isJsonType(request.header('content-type') ?? ''))
        return rpcErrorResponse(415, {
          code: RPC.rejected,
          message: 'Send messages with Content-Type: application/json.',
        });
      const message = await readMessage(request, this.#parts.query.body);
      if (Array.isArray(message))
        return rpcErrorResponse(400, {
          code: RPC.invalidRequest,
          message: 'Send one message at a time, not an array.',
        });
      const answer = await (await this.#protocol).answer(message, admitted.call);
      if (answer === 'sign in') return await this.#challenge(request);
      return { ...answer, headers: { ...answer.headers, ...admitted.headers } };
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): HttpResponse {
    if (error instanceof ApiError)
      return rpcErrorResponse(error.status, { code: RPC.rejected, message: error.message }, error.headers);
    if (error instanceof UnreadableBody)
      return rpcErrorResponse(error.status, { code: RPC.invalidRequest, message: error.message }, error.headers);
    if (error instanceof SyntaxError)
      return rpcErrorResponse(400, { code: RPC.parse, message: 'The message is not valid JSON.' });
    this.#parts.query.host.onError(error);
    return rpcErrorResponse(500, { code: RPC.internal, message: 'The server could not handle this request.' });
  }

  /** The call, or the response to reject the request with. Callers without a token are anonymous, if the endpoint allows that. */
  async #admit(
    request: HttpRequest,
  ): Promise<
    { readonly call: Call; readonly headers?: HttpResponse['headers'] } | { readonly response: HttpResponse }
  > {
    const { options, query } = this.#parts;
    const isAnonymous = tokenIn(request.header('authorization') ?? '') === undefined;
    if (isAnonymous && (options.anonymous ?? !query.private)) return { call: { request, caller: undefined } };
    const result = await query.host.guard(request, this.#requirement);
    if ('response' in result) return result;
    try {
      const caller = await callerOf(result.authorization, query.environment);
      return { call: { request, caller }, headers: result.headers ?? {} };
    } catch (error) {
      query.host.onError(error);
      return { response: oauthErrorResponse(unavailable()) };
    }
  }

  /** The request has no token, so the guard responds with how to get one. */
  async #challenge(request: HttpRequest): Promise<HttpResponse> {
    const { host } = this.#parts.query;
    const result = await host.guard(request, this.#requirement);
    return 'response' in result ? result.response : errorResponse(undefined, host.onError);
  }
}

/** The routes of the MCP server. */
export const mcpRoutes = (parts: McpParts): readonly Route[] => {
  const endpoint = new McpEndpoint(parts);
  return parts.options.path.map((path) => ({ path, handle: (request) => endpoint.handle(request) }));
};
