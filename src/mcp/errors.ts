import type { HttpResponse } from '../core/index.js';

/** An error in a tool call. Its message is the result of the call, so it says what is wrong and what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** An error in a message, answered with a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: { readonly uri: string } | undefined;

  /** @param uri - A resource that was not found. */
  constructor(code: number, message: string, uri?: string) {
    super(message);
    this.code = code;
    this.data = uri === undefined ? undefined : { uri };
  }
}

/** The error codes of JSON-RPC and MCP. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  rejected: -32_000,
  resourceNotFound: -32_002,
} as const;

/** A JSON-RPC error as an HTTP response. */
export const rpcErrorResponse = (
  status: number,
  { code, message, id = null }: { readonly code: number; readonly message: string; readonly id?: unknown },
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }),
});
