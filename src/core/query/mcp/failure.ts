import type { HttpResponse } from '../../base/http.js';

/** A refusal of a message as JSON-RPC has it. */
export const rpcFailure = (
  status: number,
  { code, message, id = null }: { readonly code: number; readonly message: string; readonly id?: unknown },
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }),
});
