/** What an assistant is told instead of a result: what was wrong with its call, and what to do. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

/** A refusal in the words of JSON-RPC, for what is wrong with the message and not with what it asks for. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The codes of JSON-RPC and of MCP. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
  resourceNotFound: -32_002,
} as const;
