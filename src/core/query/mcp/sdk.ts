import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageClassification,
  Server,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { HttpRequest, HttpResponse } from '../../base/http.js';

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
    throw new Error(`options.query.mcp needs the package ${PACKAGE}, version 2: npm install ${PACKAGE}`, {
      cause: error,
    });
  }
};

/** Hands a request to a server of its own, and returns the answer. A `Response` is an error with an HTTP status. */
export type Exchange = (
  server: Server,
  request: JSONRPCRequest,
  classification: MessageClassification,
) => Promise<JSONRPCMessage | Response>;

/**
 * The transport of the package for a single request writes every answer to a web `Response`, which takes more time than everything else that the
 * package does. This one returns results as objects.
 */
export const exchangeWith = ({ PerRequestHTTPServerTransport }: Sdk): Exchange => {
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
      // The revisions of 2025 answer a request with 200, whatever its outcome. Since then, the package decides on the status of an error.
      if ('result' in message || this.#isLegacy) this.#resolve?.(message);
      else await super.send(message, options);
    }
  }
  return async (server, request, classification) => {
    const transport = new ResultTransport(classification);
    await server.connect(transport);
    return transport.answerTo(request);
  };
};

/** The header fields that the protocol uses. Cookies and tokens are not among them. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/** A request as a web `Request`, with only those header fields that the protocol uses. */
export const toWebRequest = (request: HttpRequest, url: string): Request => {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(url, { method: 'POST', headers });
};

export const fromWebResponse = async (response: Response): Promise<HttpResponse> => {
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    headers: { 'cache-control': 'no-store', ...(type === null ? {} : { 'content-type': type }) },
    body: await response.text(),
  };
};
