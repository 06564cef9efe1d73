import { afterAll, expect } from 'vitest';
import { type OAuthQuery, oauthQuery, type OAuthQueryOptions } from '../../../src/adapters/node/index.js';
import { contentQuery, type ContentQueryOptions, memoryContent, type MemoryPage } from '../../../src/content/index.js';
import { query } from '../../../src/core/query/index.js';
import { mcp, type McpOptions } from '../../../src/mcp/index.js';
import { type Answer, Client } from '../../hosts.js';
import type { RequestOptions } from '../../hosts/client.js';
import { listen, useStarted } from '../../hosts/listen.js';

export const PAGES: readonly MemoryPage[] = [
  { title: 'Main Page', text: 'Welcome to the harbour.', links: [{ kind: 'link', ns: 0, title: 'Rope' }] },
  { title: 'Rope', text: 'A rope holds a boat.', links: [{ kind: 'category', ns: 14, title: 'Gear' }] },
  { title: 'Anchor', text: 'An anchor holds a boat, too.', links: [{ kind: 'category', ns: 14, title: 'Gear' }] },
  ...Array.from({ length: 12 }, (_, index) => ({
    title: `Boat ${index + 10}`,
    text: `The boat with number ${index}.`,
  })),
  { ns: 4, title: 'Secret', text: 'Where the treasure is.' },
];

export interface McpSite {
  readonly base: string;
  readonly http: Client;
  readonly oauth: OAuthQuery;
  readonly errors: unknown[];
  /** Sends one message. */
  send(method: string, params?: object, headers?: RequestOptions['headers']): Promise<Answer>;
  /** What a tool says, as clients read it. */
  call(name: string, args?: object, headers?: RequestOptions['headers']): Promise<ToolAnswer>;
  /** A token of alice for the MCP server. */
  token(scope?: string): Promise<{ readonly authorization: string }>;
  close(): void;
}

export interface ToolAnswer {
  readonly status: number;
  readonly isError: boolean;
  readonly text: string;
  /** The structured content; its members are for the test to say. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly result: any;
  readonly headers: Answer['headers'];
}

export const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const SECRET = 'a secret of the test that has 32 characters';

export interface SiteSetup extends Partial<OAuthQueryOptions> {
  readonly pages?: readonly MemoryPage[];
  readonly content?: ContentQueryOptions;
  readonly mcp?: McpOptions;
}

/** A site with some pages and the MCP server in front of them. */
export const startSite = async ({
  pages = PAGES,
  content,
  mcp: tools,
  ...options
}: SiteSetup = {}): Promise<McpSite> => {
  const { server, origin: base, close } = await listen();
  const errors: unknown[] = [];
  const oauth = oauthQuery({
    issuer: base,
    secret: SECRET,
    scopes: { read: 'Read', more: 'Read more', bulk: { description: 'Read in bulk', rights: ['apihighlimits'] } },
    users: [{ username: 'alice', password: 'wonderland' }],
    clients: [{ client_id: 'app', redirect_uris: ['http://127.0.0.1/cb'], scope: 'read more bulk', default_scope: '' }],
    onError: (error) => errors.push(error),
    onWarning: () => undefined,
    features: [
      query(
        contentQuery(memoryContent(pages), {
          site: { name: 'Harbour', language: 'en' },
          ...content,
        }),
      ),
      mcp(tools),
    ],
    ...options,
  });
  server.on('request', oauth);
  const http = new Client(base);
  const send: McpSite['send'] = (method, params = {}, headers = {}) =>
    http.request('/mcp', {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  return {
    base,
    http,
    oauth,
    errors,
    send,
    call: async (name, args = {}, headers = {}) => {
      const answer = await send('tools/call', { name, arguments: args }, headers);
      const { result = {} } = (answer.text === '' ? {} : answer.json) as { readonly result?: Record<string, unknown> };
      const [{ text = '' } = {}] = (result['content'] ?? []) as readonly { readonly text?: string }[];
      return {
        status: answer.status,
        headers: answer.headers,
        isError: result['isError'] === true,
        text,
        result: result['structuredContent'],
      };
    },
    token: async (scope = 'read') => {
      const { access_token } = await oauth.issue({ sub: 'alice', client_id: 'app', scope, resource: `${base}/mcp` });
      return { authorization: `Bearer ${access_token}` };
    },
    close,
  };
};

/** The results of a tool, from the first to the last, by their cursors. */
export async function* resultsOf({ call }: McpSite, name: string, args: object) {
  for (let cursor: string | undefined, calls = 0; calls === 0 || cursor !== undefined; calls += 1) {
    const answer: ToolAnswer = await call(name, { ...args, ...(cursor !== undefined && { cursor }) });
    expect([answer.isError, calls < 50]).toEqual([false, true]);
    ({ cursor } = answer.result);
    yield answer.result;
  }
}

/** A site for the tests of a file or a group. It ends with them, and has met no error. */
export const useSite = (setup?: SiteSetup): McpSite => {
  const site = useStarted(() => startSite(setup));
  afterAll(() => expect(site.errors).toEqual([]));
  return site;
};
