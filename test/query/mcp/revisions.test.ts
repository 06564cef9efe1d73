import { describe, expect, test } from 'vitest';
import type { RequestOptions } from '../../hosts/client.js';
import { useSite } from './support.js';

const REVISION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const META = {
  [VERSION_KEY]: REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const READ = { name: 'read_page', arguments: { title: 'Rope' } };
const ROPE = 'page:///Rope';
const MISMATCH = -32_020;
const NOWHERE = 'page:///Nowhere';

/** The codes for a resource that does not exist. */
const NOT_FOUND = { before: -32_002, since2026: -32_602 } as const;

const headersOf = (method: string, name?: string) => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

describe('the revision 2026-07-28', () => {
  const site = useSite();

  const send = (method: string, params: object, headers: RequestOptions['headers'], meta: object = META) =>
    site.send(method, { ...params, _meta: meta }, headers);

  test.each([
    ['tools/list', {}, undefined],
    ['tools/call', READ, 'read_page'],
    ['tools/call', { name: 'read_page', arguments: { title: 'Nowhere' } }, 'read_page'],
    ['tools/call', { name: 'write_page' }, 'write_page'],
    ['resources/list', {}, undefined],
    ['resources/templates/list', {}, undefined],
    ['resources/read', { uri: ROPE }, ROPE],
    ['resources/read', { uri: NOWHERE }, NOWHERE],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'page:///{title}' }, argument: { name: 'title', value: 'R' } },
      undefined,
    ],
  ])('answers %s %j as the revisions of 2025 do', async (method, params, name) => {
    const answer = await send(method, params, headersOf(method, name));
    const before = await site.send(method, params, { 'mcp-protocol-version': '2025-11-25' });
    expect([answer.status, before.status]).toEqual([200, 200]);
    expect(answer.json).toMatchObject(
      name === NOWHERE ? { error: { code: NOT_FOUND.since2026, data: { uri: NOWHERE } } } : before.json,
    );
    if (name === NOWHERE)
      expect(before.json).toMatchObject({ error: { code: NOT_FOUND.before, data: { uri: NOWHERE } } });
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    if (name === undefined) return;
    // A name may be encoded in its header.
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    expect((await send(method, params, headersOf(method, encoded))).json).toEqual(answer.json);
  });

  test.each([
    ['no MCP-Protocol-Version', { 'mcp-protocol-version': undefined }],
    ['another MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no Mcp-Method', { 'mcp-method': undefined }],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['no Mcp-Name', { 'mcp-name': undefined }],
    ['another Mcp-Name', { 'mcp-name': 'search' }],
    ['an encoding of another Mcp-Name', { 'mcp-name': `=?base64?${Buffer.from('search').toString('base64')}?=` }],
  ])('rejects a request with %s: proxies may rely on the header fields', async (_what, changed) => {
    const headers = Object.entries({ ...headersOf('tools/call', 'read_page'), ...changed });
    const sent = Object.fromEntries(headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    const answer = await send('tools/call', READ, sent);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ id: 1, error: { code: MISMATCH } });
    const other = await send('resources/read', { uri: ROPE }, { ...sent, 'mcp-method': 'resources/read' });
    expect([other.status, other.json]).toMatchObject([400, { error: { code: MISMATCH } }]);
  });

  test('rejects requests without the required metadata, and of a later revision', async () => {
    const headers = headersOf('tools/call', 'read_page');
    expect((await site.send('tools/call', READ, headers)).json).toMatchObject({ error: { code: -32_602 } });
    const { [VERSION_KEY]: _, ...incomplete } = META;
    expect((await send('tools/call', READ, headers, incomplete)).status).toBe(400);
    expect((await send('tools/call', READ, headers, { [VERSION_KEY]: REVISION })).status).toBe(400);
    const later = { ...headers, 'mcp-protocol-version': '2099-01-01' };
    const answer = await send('tools/call', READ, later, { ...META, [VERSION_KEY]: '2099-01-01' });
    expect([answer.status, answer.json]).toMatchObject([400, { error: { data: { supported: [REVISION] } } }]);
  });

  test('responds to unknown methods with 404, and in the revisions of 2025 with 200', async () => {
    for (const method of ['prompts/list', 'initialize', 'pages/delete']) {
      const answer = await send(method, {}, headersOf(method));
      expect([answer.status, answer.json]).toMatchObject([404, { id: 1, error: { code: -32_601 } }]);
    }
    expect([await site.send('prompts/list')]).toMatchObject([{ status: 200, json: { error: { code: -32_601 } } }]);
  });

  test('answers discovery, and accepts notifications', async () => {
    const answer = await send('server/discover', {}, headersOf('server/discover'));
    expect(answer.json).toMatchObject({
      result: { supportedVersions: [REVISION], instructions: expect.stringContaining('Harbour') },
    });
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    for (const headers of [headersOf('notifications/cancelled'), {}]) {
      const noted = await site.http.request('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      expect([noted.status, noted.text]).toEqual([202, '']);
    }
  });
});
