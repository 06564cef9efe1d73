import type { ModuleName } from '../catalogue/index.js';

/** A remote MCP server with the same modules: tools for assistants. `{}` enables it. */
export interface McpOptions {
  /**
   * The scopes that a token must have, and that clients request first. They must be among `options.scopes`. Default: none, so that any token for this
   * resource is accepted.
   */
  readonly scopes?: readonly string[];
  /** Whether callers without a token can use the tools, with the same access as at `/api`. Default: `true`, unless `private` is set. */
  readonly anonymous?: boolean;
  /** Modules of the catalogue that become additional tools: their names, or `all`. Default: none. */
  readonly modules?: 'all' | readonly ModuleName[];
  /** Whether the modules of `customModules` become additional tools. Default: `false`. */
  readonly customModules?: boolean;
  /**
   * Values of `Host` that a proxy sends, such as `wiki.internal:8080`, in addition to the host of the issuer and loopback names. Requests with any
   * other are rejected, because of DNS rebinding.
   */
  readonly hosts?: readonly string[];
  /** The maximum length of a result, in characters; longer results are returned in parts. Default 40 000. */
  readonly maxResultLength?: number;
}
