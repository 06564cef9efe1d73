import { option } from '../core/feature/index.js';

/** Options of the MCP server. */
export interface McpOptions {
  /** The path of the server, or a list: the first, which tokens are for, and its aliases. Default `/mcp`. */
  readonly path?: string | readonly string[] | undefined;
  /** The scopes of `options.scopes` that a token must have, and that clients request first. Default: none, so any token for this resource is accepted. */
  readonly scopes?: readonly string[];
  /** Whether callers without a token can use the tools. Default: `true`, unless `private` is set. */
  readonly anonymous?: boolean | undefined;
  /** Modules that become additional tools: names, of your own modules too, or `all`. Default: none. */
  readonly modules?: 'all' | readonly string[] | undefined;
  /**
   * Values of `Host` that a proxy sends, such as `wiki.internal:8080`, in addition to the host of the issuer and
   * loopback names. Other requests are rejected, against DNS rebinding.
   */
  readonly hosts?: readonly string[] | undefined;
}

/** The largest result, in bytes of UTF-8, as assistants can read it: larger ones are returned in parts. Tests change it. */
export const RESULT = { maxBytes: 40_000 };

/** The smallest part of a text that a call can ask for. */
export const MIN_PART_BYTES = 1_000;

/** Every option: accepted values, default, validation. */
export const MCP_OPTIONS = {
  path: option.path('/mcp'),
  // The characters of RFC 6749 §3.3.
  scopes: option.neverUndefined(
    option.listOf('an array of scopes', option.text('the name of a scope', /^[\x21\x23-\x5b\x5d-\x7e]+$/)),
  ),
  anonymous: option.condition,
  modules: option.either(
    option.value<'all'>("'all'", (given) => given === 'all'),
    option.listOf('an array of names of modules', option.text('the name of a module')),
  ),
  hosts: option.listOf(
    'an array of names and ports',
    option.text("a name, such as 'wiki.internal:8080'", /^[^\s/@?#]+$/),
  ),
} satisfies option.Schema<McpOptions>;

/** The options, validated and completed. */
export type McpSettings = option.Checked<typeof MCP_OPTIONS>;
