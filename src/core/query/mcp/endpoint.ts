import { tokenIn } from '../../base/bearer.js';
import { type BodyError, bufferOf, readBody } from '../../base/body.js';
import { preflight } from '../../base/cors.js';
import type { HttpRequest, HttpResponse, Route } from '../../base/http.js';
import { isJsonType } from '../../base/http.js';
import { errorResponse, oauthErrorResponse, unavailable } from '../../base/responses.js';
import { callerOf } from '../endpoint/identity.js';
import { RPC, rpcErrorResponse } from './errors.js';
import type { McpParts, Protocol } from './parts.js';
import type { Call } from './queries.js';
import { createSourceCheck, type SourceCheck } from './source.js';

const METHODS = 'POST';
/** Header fields of clients that a preflight must allow. */
const ALLOWED_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id';

/** A body that cannot be read, with the status of the response. */
class UnreadableBody extends Error {
  readonly status: number;

  constructor({ problem, message }: BodyError) {
    super(message);
    this.status = problem === 'too-large' ? 413 : 400;
  }
}

const readMessage = async (request: HttpRequest, maxBytes: number): Promise<unknown> => {
  const body = await readBody(request, maxBytes, (error) => new UnreadableBody(error));
  return 'fields' in body ? body.fields : JSON.parse(bufferOf(body.bytes).toString('utf8'));
};

/** The HTTP endpoint of the MCP server. Checks the source and the caller of each request, and passes its message to the protocol. */
class McpEndpoint {
  readonly #parts: McpParts;
  readonly #check: SourceCheck;
  readonly #protocol: Promise<Protocol>;

  constructor(parts: McpParts) {
    const { options, mcp, server, environment } = parts;
    this.#parts = parts;
    this.#check = createSourceCheck({
      issuer: server.issuer,
      hosts: mcp.hosts ?? [],
      origins: options.cors?.origins ?? [],
    });
    // Imported on demand, because most servers have no `query.mcp`.
    this.#protocol = import('./protocol.js').then(({ loadProtocol }) => loadProtocol(parts));
    this.#protocol.catch(environment.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const problem = this.#check(request);
    if (problem !== undefined) return rpcErrorResponse(403, { code: RPC.rejected, message: problem });
    const origin = request.header('origin');
    const headers = {
      vary: 'Origin',
      ...(origin === undefined
        ? {}
        : { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'www-authenticate' }),
    };
    if (request.method === 'OPTIONS') return preflight(headers, METHODS, ALLOWED_HEADERS);
    const response = await this.#answer(request);
    return { ...response, headers: { ...response.headers, ...headers } };
  }

  async #answer(request: HttpRequest): Promise<HttpResponse> {
    const { environment } = this.#parts;
    if (request.method !== 'POST') {
      // GET would open a stream of events, DELETE would end a session. There are neither.
      return rpcErrorResponse(405, { code: RPC.rejected, message: 'Send messages with POST.' }, { allow: METHODS });
    }
    try {
      const admitted = await this.#admit(request);
      if ('response' in admitted) return admitted.response;
      if (!isJsonType(request.header('content-type') ?? ''))
        return rpcErrorResponse(415, {
          code: RPC.rejected,
          message: 'Send messages with Content-Type: application/json.',
        });
      const message = await readMessage(request, environment.maxBodyBytes);
      if (Array.isArray(message))
        return rpcErrorResponse(400, {
          code: RPC.invalidRequest,
          message: 'Send one message at a time, not an array.',
        });
      const answer = await (await this.#protocol).answer(message, admitted.call);
      return answer === 'sign in' ? await this.#challenge(request) : answer;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): HttpResponse {
    if (error instanceof UnreadableBody)
      return rpcErrorResponse(error.status, { code: RPC.invalidRequest, message: error.message });
    if (error instanceof SyntaxError)
      return rpcErrorResponse(400, { code: RPC.parse, message: 'The message is not valid JSON.' });
    this.#parts.environment.onError(error);
    return rpcErrorResponse(500, { code: RPC.internal, message: 'The server could not handle this request.' });
  }

  /** The call, or the response to reject the request with. Callers without a token are anonymous, if the endpoint allows that. */
  async #admit(request: HttpRequest): Promise<{ readonly call: Call } | { readonly response: HttpResponse }> {
    const { options, mcp, server, environment } = this.#parts;
    const isAnonymous = tokenIn(request.header('authorization') ?? '') === undefined;
    if (isAnonymous && (mcp.anonymous ?? !options.private)) return { call: { request, caller: undefined } };
    const result = await server.guard(request);
    if ('response' in result) return result;
    try {
      return { call: { request, caller: await callerOf(result.authorization, environment, options.rights) } };
    } catch (error) {
      environment.onError(error);
      return { response: oauthErrorResponse(unavailable()) };
    }
  }

  /** The request has no token, so the guard responds with how to get one. */
  async #challenge(request: HttpRequest): Promise<HttpResponse> {
    const result = await this.#parts.server.guard(request);
    return 'response' in result ? result.response : errorResponse(undefined, this.#parts.environment.onError);
  }
}

/** The routes of the MCP server. */
export const mcpRoutes = (parts: McpParts): readonly Route[] => {
  const endpoint = new McpEndpoint(parts);
  return parts.server.paths.map((path) => ({ path, handle: (request) => endpoint.handle(request) }));
};
