import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Application } from './application.js';

interface ToolResult {
  readonly isError?: boolean;
  // Each test knows what it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly structuredContent?: any;
}

/** A client of an SDK, as far as they agree. */
export interface ContentClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<ToolResult>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(which: { readonly uri: string }): Promise<{ readonly contents: readonly { readonly text?: string }[] }>;
  complete(what: object): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
  close(): Promise<void>;
}

export interface Connection {
  readonly client: ContentClient;
  open(): Promise<void>;
  finish(returned: URLSearchParams): Promise<void>;
}

const ME = { name: 'test', version: '1.0.0' };

const client2 =
  (mode: 'legacy' | 'auto') =>
  (mcp: string, authProvider?: Application): Connection => {
    const client = new Client2(ME, { versionNegotiation: { mode } });
    const transport = new Transport2(new URL(mcp), { ...(authProvider && { authProvider }) });
    return {
      client: client as unknown as ContentClient,
      open: () => client.connect(transport),
      finish: (returned) => transport.finishAuth(returned),
    };
  };

/** Connects the clients of both SDKs, and of both eras of the protocol, to a server with content. */
export const CONTENT_CLIENTS = [
  ['@modelcontextprotocol/client 2', client2('legacy')],
  ['@modelcontextprotocol/client 2, revision 2026-07-28', client2('auto')],
  [
    '@modelcontextprotocol/sdk 1',
    (mcp: string, authProvider?: Application): Connection => {
      const client = new Client1(ME);
      const transport = new Transport1(new URL(mcp), { ...(authProvider && { authProvider }) });
      return {
        client: client as unknown as ContentClient,
        open: () => client.connect(transport as never), // Its types are not made for exactOptionalPropertyTypes.
        finish: (returned) => transport.finishAuth(returned.get('code') ?? ''),
      };
    },
  ],
] as const;
