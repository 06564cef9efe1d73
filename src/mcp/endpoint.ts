import { BodyError, type HttpRequest, type HttpResponse, type Route } from '../core/index.js';
import { ApiError, type QueryApi } from '../core/query/index.js';
import { RPC, rpcErrorResponse } from './errors.js';
import { type McpParts, Protocol } from './protocol.js';
import { createSourceCheck } from './source.js';

const METHODS = 'POST';
/** What clients send, which a preflight must allow. */
const ALLOWED = {
  methods: METHODS,
  headers:
    'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
};

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** A byte order mark is not JSON. */
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

const readMessage = async (request: HttpRequest, { readBody }: QueryApi): Promise<unknown> => {
  const body = await readBody(request);
  return 'fields' in body ? body.fields : JSON.parse(UTF_8.decode(body.bytes));
};

/** The HTTP endpoint of the MCP server. Checks the source and the caller of each request, and passes its message to the protocol. */
class McpEndpoint {
  readonly #parts: McpParts;
  readonly #admit: ReturnType<QueryApi['admission']>;
  /** For requests that need a token. */
  readonly #challenge: ReturnType<QueryApi['admission']>;
  readonly #check: ReturnType<typeof createSourceCheck>;
  readonly #protocol: Promise<Protocol>;

  constructor(parts: McpParts) {
    const { options, resource, query, host } = parts;
    const { scopes = [] } = options;
    this.#parts = parts;
    this.#admit = query.admission({ scopes, resource }, options.anonymous ?? !query.private);
    this.#challenge = query.admission({ scopes, resource }, false);
    this.#check = createSourceCheck(parts);
    this.#protocol = Protocol.load(parts);
    this.#protocol.catch(host.onError);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const problem = this.#check(request);
    if (problem !== undefined) return rpcErrorResponse(403, { code: RPC.rejected, message: problem });
    const { headers, response: preflight } = this.#parts.query.crossOrigin(request, ALLOWED);
    if (preflight !== undefined) return preflight;
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
      const { caller, headers } = admitted;
      if (!JSON_TYPE.test(request.header('content-type') ?? ''))
        return rpcErrorResponse(415, {
          code: RPC.rejected,
          message: 'Send messages with Content-Type: application/json.',
        });
      const message = await readMessage(request, this.#parts.query);
      if (Array.isArray(message))
        return rpcErrorResponse(400, {
          code: RPC.invalidRequest,
          message: 'Send one message at a time, not an array.',
        });
      const answer = await (await this.#protocol).answer(message, { request, caller });
      if (answer !== 'sign in') return { ...answer, headers: { ...answer.headers, ...headers } };
      const challenged = await this.#challenge(request);
      return 'response' in challenged
        ? challenged.response
        : this.#fail(new Error('A request without a token passed.'));
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): HttpResponse {
    if (error instanceof ApiError)
      return rpcErrorResponse(error.status, { code: RPC.rejected, message: error.message }, error.headers);
    if (error instanceof BodyError && error.problem !== 'consumed')
      return rpcErrorResponse(error.status, { code: RPC.invalidRequest, message: error.message }, error.headers);
    if (error instanceof SyntaxError)
      return rpcErrorResponse(400, { code: RPC.parse, message: 'The message is not valid JSON.' });
    this.#parts.host.onError(error);
    return rpcErrorResponse(500, { code: RPC.internal, message: 'The server could not handle this request.' });
  }
}

/** The routes of the MCP server. */
export const mcpRoutes = (parts: McpParts): readonly Route[] => {
  const endpoint = new McpEndpoint(parts);
  return parts.options.path.map((path) => ({ path, handle: (request) => endpoint.handle(request) }));
};
