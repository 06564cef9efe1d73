import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageClassification,
  Server,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { HttpRequest, HttpResponse } from '../core/index.js';
import { RPC } from './errors.js';

/** The official package for MCP servers. */
export type Sdk = typeof import('@modelcontextprotocol/server');

const PACKAGE = '@modelcontextprotocol/server';

/** @throws Error if the package is not installed. */
export const loadSdk = async (): Promise<Sdk> => {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || !error.message.includes(`'${PACKAGE}'`)) throw error;
    throw new Error(`mcp() requires the package ${PACKAGE}, version 2: npm install ${PACKAGE}`, {
      cause: error,
    });
  }
};

/**
 * Passes a request to a server that is not connected yet, and returns its answer: a message, or a web `Response` for an error whose HTTP status is
 * not 200.
 */
export type Deliver = (
  server: Server,
  request: JSONRPCRequest,
  classification: MessageClassification,
) => Promise<JSONRPCMessage | Response>;

/** The package always sends the code of the later revisions for a resource that was not found, the only error with data of ours. */
const withLegacyCode = (message: JSONRPCMessage): JSONRPCMessage =>
  'error' in message && message.error.data !== undefined && message.error.code === RPC.invalidParams
    ? { ...message, error: { ...message.error, code: RPC.resourceNotFound } }
    : message;

/**
 * Delivers requests through the package's transport for single requests. That transport writes each result to a web `Response`, which takes longer
 * than everything else the package does for a request, so results are taken from it before.
 */
export const createDeliver = ({ PerRequestHTTPServerTransport }: Sdk): Deliver => {
  class ResultTransport extends PerRequestHTTPServerTransport {
    readonly #isLegacy: boolean;
    #resolve: ((answer: JSONRPCMessage) => void) | undefined;

    constructor(classification: MessageClassification) {
      super({ classification });
      this.#isLegacy = classification.era === 'legacy';
    }

    answerTo(request: JSONRPCRequest): Promise<JSONRPCMessage | Response> {
      return new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.handleMessage(request).then(resolve, reject);
      });
    }

    override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
      // In the revisions of 2025, the status of an error is 200 as well. Since then it depends on the error.
      if (this.#isLegacy) this.#resolve?.(withLegacyCode(message));
      else if ('result' in message) this.#resolve?.(message);
      else await super.send(message, options);
    }
  }
  return async (server, request, classification) => {
    const transport = new ResultTransport(classification);
    await server.connect(transport);
    return transport.answerTo(request);
  };
};

/** The header fields that the protocol uses. Credentials are not among them. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/** A request as a web `Request` without a body, with the header fields that the protocol uses. */
export const toWebRequest = (request: HttpRequest, url: string): Request => {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(url, { method: 'POST', headers });
};

/** A web `Response` of the package as a response of this server. */
export const fromWebResponse = async (response: Response): Promise<HttpResponse> => {
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    headers: { 'cache-control': 'no-store', ...(type === null ? {} : { 'content-type': type }) },
    body: await response.text(),
  };
};
