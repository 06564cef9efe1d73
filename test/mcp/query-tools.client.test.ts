import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentQuery, type ContentQueryOptions, memoryContent } from '../../src/content/index.js';
import { everyTransport, type Host, type HostOptions, type RunningHost } from '../hosts.js';
import { PAGES } from '../query/mcp/support.js';
import { Application } from './support/application.js';
import { Person } from './support/person.js';

interface ToolResult {
  readonly isError?: boolean;
  // What a tool says is for the test to say.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly structuredContent?: any;
}

/** What the SDKs have in common. */
interface Connected {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<ToolResult>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(which: { readonly uri: string }): Promise<{ readonly contents: readonly { readonly text?: string }[] }>;
  complete(what: object): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Connected;
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
      client: client as unknown as Connected,
      open: () => client.connect(transport),
      finish: (returned) => transport.finishAuth(returned),
    };
  };

const SDKS = [
  ['@modelcontextprotocol/client 2', client2('legacy')],
  ['@modelcontextprotocol/client 2, revision 2026-07-28', client2('auto')],
  [
    '@modelcontextprotocol/sdk 1',
    (mcp: string, authProvider?: Application): Connection => {
      const client = new Client1(ME);
      const transport = new Transport1(new URL(mcp), { ...(authProvider && { authProvider }) });
      return {
        client: client as unknown as Connected,
        open: () => client.connect(transport as never), // Its types are not made for exactOptionalPropertyTypes.
        finish: (returned) => transport.finishAuth(returned.get('code') ?? ''),
      };
    },
  ],
] as const;

/** Each framework once, and below a path once. */
const HOSTS = everyTransport.filter(({ name }) =>
  ['express5 bare', 'koa3 parser', 'fastify5 prefix', 'node bare', 'fetch bare'].includes(name),
);

const start = ({ start: startHost }: Host, more: ContentQueryOptions): Promise<RunningHost> =>
  startHost({
    options: (base): HostOptions => ({
      issuer: base,
      secret: 'a secret of the test that has 32 characters',
      scopes: { 'pages.read': 'Read the pages' },
      users: [{ username: 'alice', password: 'wonderland' }],
      registration: {},
      onWarning: () => undefined,
      query: contentQuery(memoryContent(PAGES), { site: { name: 'Harbour' }, ...more }),
    }),
    guarded: {},
  });

/** A call of each tool. */
const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  search: { query: 'rope' },
  read_page: { title: 'Rope' },
  list_pages: { category: 'Gear' },
  history: { title: 'Rope' },
  changes: { limit: 2 },
  links: { title: 'Main Page', kind: 'links' },
  site_info: {},
  describe_module: { module: 'search' },
  query: { parameters: { list: 'allpages', aplimit: 2 } },
  query_backlinks: { bltitle: 'Rope' },
};

const callAll = async (client: Connected): Promise<void> => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(CALLS));
  for (const [name, args] of Object.entries(CALLS)) {
    const { isError = false, structuredContent } = await client.callTool({ name, arguments: args });
    expect([name, isError, Object.keys(structuredContent?.data ?? {}).length > 0]).toEqual([name, false, true]);
  }
};

describe.each(HOSTS)('tools on $name', (host) => {
  let open: RunningHost;
  let closed: RunningHost;

  beforeAll(async () => {
    open = await start(host, { mcp: { modules: ['backlinks'] } });
    closed = await start(host, { mcp: { modules: ['backlinks'], scopes: ['pages.read'], anonymous: false } });
  });
  afterAll(async () => {
    await open.close();
    await closed.close();
    expect([...open.errors, ...closed.errors]).toEqual([]);
  });

  describe.each(SDKS)('%s', (_name, connect) => {
    test('lists and calls every tool without a token, walks by cursor, reads pages', async () => {
      const { client, open: connected } = connect(`${open.base}/mcp`);
      await connected();
      await callAll(client);
      const args = { parameters: { list: 'allpages', aplimit: 10 } };
      const first = await client.callTool({ name: 'query', arguments: args });
      const { cursor } = first.structuredContent;
      const rest = await client.callTool({ name: 'query', arguments: { ...args, cursor } });
      expect(rest.structuredContent).toMatchObject({ more: false, data: { allpages: expect.any(Array) } });
      const refused = await client.callTool({ name: 'search', arguments: {} });
      expect(refused.isError).toBe(true);
      const [template] = (await client.listResourceTemplates()).resourceTemplates;
      const uri = template?.uriTemplate ?? '';
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name: 'title', value: 'Ro' },
      });
      expect(completion.values).toEqual(['Rope']);
      const { resources } = await client.listResources();
      expect(resources).toHaveLength(15);
      const { contents } = await client.readResource({ uri: uri.replace('{title}', 'Rope') });
      expect(contents[0]?.text).toBe('A rope holds a boat.');
      await client.close();
    });

    test('is sent to the consent page, and then lists and calls every tool', async () => {
      const application = new Application();
      const mcp = `${closed.base}/mcp`;
      const first = connect(mcp, application);
      await expect(first.open()).rejects.toThrow(/unauthorized/i);
      expect(application.sentTo?.searchParams.get('resource')).toBe(mcp);
      await first.finish(await new Person(closed.origin).allowFor(application));
      await first.client.close();
      const second = connect(mcp, application);
      await second.open();
      await callAll(second.client);
      await second.client.close();
    });
  });
});
