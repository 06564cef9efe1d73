import { tokenIn } from '../../base/bearer.js';
import { type BodyError, bufferOf, readBody } from '../../base/body.js';
import { preflight } from '../../base/cors.js';
import type { HttpRequest, HttpResponse, Route } from '../../base/http.js';
import { isJsonType } from '../../base/http.js';
import { errorResponse, oauthErrorResponse, unavailable } from '../../base/responses.js';
import { callerOf } from '../endpoint/identity.js';
import type { Call } from './ask.js';
import type { DoorParts, Protocol } from './door-parts.js';
import { rpcFailure } from './failure.js';
import { doorCheck } from './origin.js';
import { RPC } from './refusal.js';

const METHODS = 'POST';
/** What clients send, of which a browser asks first. */
const ALLOWED_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id';

/** The sentence of the body's problem with its status. */
class UnreadableBody extends Error {
  readonly status: number;

  constructor({ problem, message }: BodyError) {
    super(message);
    this.status = problem === 'too-large' ? 413 : 400;
  }
}

const messageIn = async (request: HttpRequest, most: number): Promise<unknown> => {
  const body = await readBody(request, most, (error) => new UnreadableBody(error));
  return 'fields' in body ? body.fields : JSON.parse(bufferOf(body.bytes).toString('utf8'));
};

/** The address of the MCP server: who may ask, and as whom; what is asked is a matter of the protocol. */
class Door {
  readonly #parts: DoorParts;
  readonly #check: ReturnType<typeof doorCheck>;
  readonly #protocol: Promise<Protocol>;

  constructor(parts: DoorParts) {
    const { options, mcp, door, environment } = parts;
    this.#parts = parts;
    this.#check = doorCheck({
      issuer: door.issuer,
      hosts: mcp.hosts ?? [],
      origins: options.cors?.origins ?? [],
    });
    // Nothing of it is there in a server without this option.
    this.#protocol = import('./protocol.js').then(({ loadProtocol }) => loadProtocol(parts));
    this.#protocol.catch(environment.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const problem = this.#check(request);
    if (problem !== undefined) return rpcFailure(403, { code: RPC.refused, message: problem });
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
      // There is no stream of events to listen to, and no session to end.
      return rpcFailure(405, { code: RPC.refused, message: 'Messages are sent with POST.' }, { allow: METHODS });
    }
    try {
      const admitted = await this.#admit(request);
      if ('response' in admitted) return admitted.response;
      if (!isJsonType(request.header('content-type') ?? ''))
        return rpcFailure(415, {
          code: RPC.refused,
          message: 'A message is JSON: send it with Content-Type: application/json.',
        });
      const message = await messageIn(request, environment.maxBodyBytes);
      if (Array.isArray(message))
        return rpcFailure(400, { code: RPC.invalidRequest, message: 'Send one message at a time, not a list.' });
      const answer = await (await this.#protocol).answer(message, admitted.call);
      return answer === 'sign in' ? await this.#challenge(request) : answer;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): HttpResponse {
    if (error instanceof UnreadableBody)
      return rpcFailure(error.status, { code: RPC.invalidRequest, message: error.message });
    if (error instanceof SyntaxError) return rpcFailure(400, { code: RPC.parse, message: 'The message is no JSON.' });
    this.#parts.environment.onError(error);
    return rpcFailure(500, { code: RPC.internal, message: 'The server could not handle this request.' });
  }

  /** The caller, or why the request is rejected. Without a token, the caller is anonymous, if the endpoint allows that. */
  async #admit(request: HttpRequest): Promise<{ readonly call: Call } | { readonly response: HttpResponse }> {
    const { options, mcp, door, environment } = this.#parts;
    const isAnonymous = tokenIn(request.header('authorization') ?? '') === undefined;
    if (isAnonymous && (mcp.anonymous ?? !options.private)) return { call: { request, caller: undefined } };
    const result = await door.guard(request);
    if ('response' in result) return result;
    try {
      return { call: { request, caller: await callerOf(result.authorization, environment, options.rights) } };
    } catch (error) {
      environment.onError(error);
      return { response: oauthErrorResponse(unavailable()) };
    }
  }

  /** The request has no token: the guard says how to get one. */
  async #challenge(request: HttpRequest): Promise<HttpResponse> {
    const result = await this.#parts.door.guard(request);
    return 'response' in result ? result.response : errorResponse(undefined, this.#parts.environment.onError);
  }
}

/** The routes of the MCP server. */
export const mcpRoutes = (parts: DoorParts): readonly Route[] => {
  const door = new Door(parts);
  return parts.door.paths.map((path) => ({ path, handle: (request) => door.handle(request) }));
};
