import { selfRegistration } from 'oauth-query/self-registration';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { query } from '../../src/core/query/index.js';
import { mcp, type McpOptions } from '../../src/mcp/index.js';
import { everyTransport, type Host, type HostOptions, type RunningHost } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { PAGES } from '../query/mcp/support.js';
import { Application } from './support/application.js';
import { CONTENT_CLIENTS, type ContentClient } from './support/content-clients.js';
import { Person } from './support/person.js';

/** Each framework once, and below a path once. */
const HOSTS = everyTransport.filter(({ name }) =>
  ['express5 bare', 'koa3 parser', 'fastify5 prefix', 'node bare', 'fetch bare'].includes(name),
);

const start = ({ start: startHost }: Host, options: McpOptions): Promise<RunningHost> =>
  startHost({
    options: (base): HostOptions => ({
      issuer: base,
      secret: 'a secret of the test that has 32 characters',
      scopes: { 'pages.read': 'Read the pages' },
      users: [{ username: 'alice', password: 'wonderland' }],
      onWarning: () => undefined,
      features: [
        query(contentQuery(memoryContent(PAGES), { site: { name: 'Harbour' } })),
        mcp(options),
        selfRegistration(),
      ],
    }),
    guarded: {},
  });

/** A call of each tool. */
const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  search: { query: 'rope' },
  read_page: { title: 'Rope' },
  fetch: { id: '2' },
  list_pages: { category: 'Gear' },
  history: { title: 'Rope' },
  changes: { limit: 2 },
  links: { title: 'Main Page', kind: 'links' },
  site_info: {},
  describe_module: { module: 'search' },
  query: { parameters: { list: 'allpages', aplimit: 2 } },
  query_backlinks: { bltitle: 'Rope' },
};

const callAll = async (client: ContentClient): Promise<void> => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(CALLS));
  for (const [name, args] of Object.entries(CALLS)) {
    const { isError = false, structuredContent } = await client.callTool({ name, arguments: args });
    const { data = structuredContent } = structuredContent ?? {};
    expect([name, isError, Object.keys(data ?? {}).length > 0]).toEqual([name, false, true]);
  }
};

describe.each(HOSTS)('tools on $name', (host) => {
  let closed: RunningHost;

  const open = useStarted(() => start(host, { modules: ['backlinks'] }));
  beforeAll(async () => {
    closed = await start(host, { modules: ['backlinks'], scopes: ['pages.read'], anonymous: false });
  });
  afterAll(async () => {
    await closed.close();
    expect([...open.errors, ...closed.errors]).toEqual([]);
  });

  describe.each(CONTENT_CLIENTS)('%s', (_name, connect) => {
    test('lists and calls every tool without a token, follows cursors, reads pages', async () => {
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
