import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as OldClient } from 'mcp-sdk-1.20/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from 'mcp-sdk-1.20/client/streamableHttp.js';
import type { Application } from './application.js';

/** A connection of one of the SDKs. */
export interface Connection {
  /** @throws UnauthorizedError of the SDK when the browser was sent to the server first. */
  open(): Promise<void>;
  /** What a tool says. */
  call(name: string, parameters?: Readonly<Record<string, string>>): Promise<string>;
  /** Goes on after the browser came back. */
  finish(returned: URLSearchParams): Promise<void>;
  close(): Promise<void>;
}

interface AnyClient<Transport> {
  connect(transport: Transport): Promise<void>;
  callTool(call: { readonly name: string; readonly arguments: Record<string, string> }): Promise<unknown>;
  close(): Promise<void>;
}

const textOf = (result: unknown): string => {
  const { content } = result as { readonly content?: readonly { readonly text?: string }[] };
  return content?.map(({ text = '' }) => text).join('\n') ?? '';
};

const connection = <Transport>(
  client: AnyClient<Transport>,
  transport: Transport,
  finish: (returned: URLSearchParams) => Promise<void>,
): Connection => ({
  open: () => client.connect(transport),
  call: async (name, parameters = {}) => textOf(await client.callTool({ name, arguments: { ...parameters } })),
  finish,
  close: () => client.close(),
});

const ME = { name: 'test', version: '1.0.0' };

/** A published SDK for clients. */
export interface Sdk {
  readonly name: string;
  /** Whether it goes to its owner when a tool needs more than it has. One refreshes first where it can, and has no more afterwards. */
  readonly stepsUp: 'always' | 'without a refresh token' | 'never';
  connect(mcp: string, application: Application): Connection;
}

export const SDKS: readonly Sdk[] = [
  {
    name: '@modelcontextprotocol/client 2',
    stepsUp: 'always',
    connect: (mcp, authProvider) => {
      const transport = new Transport2(new URL(mcp), { authProvider });
      return connection(new Client2(ME), transport, (returned) => transport.finishAuth(returned));
    },
  },
  {
    name: '@modelcontextprotocol/sdk 1',
    stepsUp: 'without a refresh token',
    connect: (mcp, authProvider) => {
      const transport = new Transport1(new URL(mcp), { authProvider });
      const client: AnyClient<Transport1> = new Client1(ME) as never;
      return connection(client, transport, (returned) => transport.finishAuth(returned.get('code') ?? ''));
    },
  },
  {
    name: '@modelcontextprotocol/sdk 1.20',
    stepsUp: 'never',
    connect: (mcp, authProvider) => {
      const transport = new OldTransport(new URL(mcp), { authProvider });
      // Its types are older than `exactOptionalPropertyTypes`.
      const client: AnyClient<OldTransport> = new OldClient(ME) as never;
      return connection(client, transport, (returned) => transport.finishAuth(returned.get('code') ?? ''));
    },
  },
];
