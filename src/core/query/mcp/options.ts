import type { ModuleName } from '../catalogue/index.js';

/** A remote MCP server in front of the same modules: tools for assistants. `{}` switches it on. */
export interface McpOptions {
  /**
   * Scopes that a token needs here, and that clients ask for when they sign their owner in; `options.scopes` has them. Default none: any token
   * for this resource.
   */
  readonly scopes?: readonly string[];
  /** Whether callers without a token are answered, with what they get at `/api`. Default: unless `private`. */
  readonly anonymous?: boolean;
  /** Modules of the catalogue that are tools of their own beside the usual ones: their names, or `all`. Default none. */
  readonly modules?: 'all' | readonly ModuleName[];
  /** Whether the modules of `customModules` are tools of their own, too. Default `false`. */
  readonly customModules?: boolean;
  /**
   * Names in `Host` by which a proxy asks, such as `wiki.internal:8080`, beside the host of the issuer and loopback addresses. Every other one is
   * refused (DNS rebinding).
   */
  readonly hosts?: readonly string[];
  /** The longest result of a tool, in characters; what would be longer is given in parts. Default 40 000. */
  readonly maxResultLength?: number;
}
