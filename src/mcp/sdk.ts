import type { JSONRPCMessage, JSONRPCRequest, Server, Transport } from '@modelcontextprotocol/server';
import { isMissing } from '../core/base/missing-package.js';
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
    if (!isMissing(error, PACKAGE)) throw error;
    throw new Error(`mcp() requires the package ${PACKAGE}, version 2: npm install ${PACKAGE}`, {
      cause: error,
    });
  }
};

const JSON_HEADERS = { 'cache-control': 'no-store', 'content-type': 'application/json' };

/** The package always sends the code of the later revisions for a resource that was not found, the only error with data of ours. */
const withLegacyCode = (message: JSONRPCMessage): JSONRPCMessage =>
  'error' in message && message.error.data !== undefined && message.error.code === RPC.invalidParams
    ? { ...message, error: { ...message.error, code: RPC.resourceNotFound } }
    : message;

/**
 * Answers a request of the revisions of 2025 with a server that is not connected yet. The package's own transports for these stream the answer as
 * an event, or reject clients that do not accept a stream.
 */
export const answerLegacy = async (server: Server, request: JSONRPCRequest): Promise<HttpResponse> => {
  const answer = await new Promise<JSONRPCMessage>((resolve, reject) => {
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (message) => resolve(message),
    };
    server
      .connect(transport)
      .then(() => transport.onmessage?.(request))
      .catch(reject);
  });
  // An error has the status 200 too.
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(withLegacyCode(answer)) };
};

/** The header fields that the protocol uses. Credentials are not among them. */
const HEADERS = ['accept', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/** A request as a web `Request` without its body, which has been parsed, and with the header fields that the protocol uses. */
export const toWebRequest = (request: HttpRequest, url: string): Request => {
  const headers = new Headers({ 'content-type': 'application/json' });
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
