/**
 * CPU time of a tool call compared with the same query at `/api`, in one process with its client, on a connection that is kept alive.
 *
 *     npx tsx bench/mcp-call.ts
 *
 * Rounds of both alternate. Numbers depend on the machine; their ratios less so.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { contentQuery, memoryContent } from 'oauth-query/content';
import { mcp } from 'oauth-query/mcp';
import { oauthQuery } from 'oauth-query/node';
import { query } from 'oauth-query/query';

const ROUNDS = Number(process.env['ROUNDS'] ?? 15);
const CALLS = 300;
const MODERN = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const QUERIES = [
  [
    'search',
    { query: 'rope', limit: 10 },
    { list: 'search', srsearch: 'rope', srlimit: '10', srprop: 'size|timestamp|snippet' },
  ],
  ['list_pages', { limit: 50 }, { list: 'allpages', aplimit: '50' }],
  ['query', { parameters: { list: 'allpages', aplimit: 50 } }, { list: 'allpages', aplimit: '50' }],
  [
    'read_page',
    { title: 'Page 7' },
    { titles: 'Page 7', redirects: '1', prop: 'revisions', rvprop: 'ids|timestamp|content', rvslots: 'main' },
  ],
] as const;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const send = async (options: RequestOptions, body = ''): Promise<string> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ ...options, agent }, resolve)
      .on('error', reject)
      .end(body);
  });
  const answer = await text(response);
  if (response.statusCode !== 200 || answer.includes('"isError":true') || answer.includes('"error":'))
    throw new Error(`${response.statusCode}: ${answer.slice(0, 300)}`);
  return answer;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Microseconds of CPU time for a call. */
const costOf = async (call: () => Promise<string>): Promise<number> => {
  const before = process.cpuUsage();
  for (let index = 0; index < CALLS; index += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
};

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // It listens on a port.
const host = { host: '127.0.0.1', port };
const pages = Array.from({ length: 500 }, (_, index) => ({
  title: `Page ${index}`,
  text: `Number ${index} of the pages about rope and boats. ${'It goes on for a while. '.repeat(40)}`,
}));
const oauth = oauthQuery({
  issuer: `http://127.0.0.1:${port}`,
  features: [query(contentQuery(memoryContent(pages))), mcp()],
  onWarning: () => undefined,
});
server.on('request', oauth);

const callOf = (name: string, args: object, modern: boolean) => {
  const params = { name, arguments: args, ...(modern && { _meta: ENVELOPE }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': modern ? MODERN : '2025-11-25',
    ...(modern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
  };
  return () => send({ ...host, path: '/mcp', method: 'POST', headers }, body);
};

for (const [name, args, parameters] of QUERIES) {
  const query = new URLSearchParams({ action: 'query', format: 'json', formatversion: '2', ...parameters }).toString();
  const calls = {
    '/api': () => send({ ...host, path: `/api?${query}` }),
    '2025-11-25': callOf(name, args, false),
    [MODERN]: callOf(name, args, true),
  };
  const costs = new Map<string, number[]>(Object.keys(calls).map((of) => [of, []]));
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const [of, call] of Object.entries(calls)) {
      const cost = await costOf(call);
      if (round >= 0) costs.get(of)?.push(cost);
    }
  }
  const base = median(costs.get('/api') ?? []);
  const shown = [...costs].map(
    ([of, all]) => `${of} ${median(all).toFixed(0)} µs (${(median(all) / base).toFixed(2)})`,
  );
  console.log(`${name}: ${shown.join(', ')}`);
}
agent.destroy();
server.close();
