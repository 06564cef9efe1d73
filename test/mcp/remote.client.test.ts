import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { freePort } from '../stores/engines/daemon.js';
import { startNotes } from './support/notes-server.js';
import { Person } from './support/person.js';

const PROXY = fileURLToPath(new URL('../../node_modules/mcp-remote/dist/proxy.js', import.meta.url));

/** Starts mcp-remote as an editor does, and the client that speaks to it over its standard streams. */
const start = async (mcp: string, folder: string, port: number) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROXY, mcp, String(port), '--host', '127.0.0.1'],
    // Without a PATH it finds no browser: the test is the browser.
    env: { MCP_REMOTE_CONFIG_DIR: folder, PATH: '', HOME: folder },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'editor', version: '1.0.0' });
  let said = '';
  const address = new Promise<URL>((resolve) => {
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [url] = /http:\/\/\S+\/oauth\/authorize\?\S+/.exec(said) ?? [];
      if (url !== undefined) resolve(new URL(url));
    });
  });
  const connected = client.connect(transport as never); // Its types are older than `exactOptionalPropertyTypes`.
  connected.catch(() => undefined);
  return { client, address, connected, said: () => said };
};

describe('mcp-remote', () => {
  test('M9 M40 M43 signs its owner in with a browser, calls a tool, and needs no sign-in the next time', async () => {
    const server = await startNotes();
    const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
    const port = await freePort();
    const first = await start(server.mcp, folder, port);
    const address = await first.address;
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    expect(address.searchParams.get('client_id')).toMatch(/^reg\./);
    const back = await new Person(server.base).answer(address, 'approve');
    expect(back.origin).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(back)).status).toBe(200);
    await first.connected;
    const { content } = await first.client.callTool({ name: 'list_notes', arguments: {} });
    expect(JSON.stringify(content)).toContain('Feed the rabbit');
    await first.client.close();

    const registrations = server.requests.filter((request) => request === 'POST /oauth/register').length;
    const second = await start(server.mcp, folder, port);
    await second.connected;
    expect((await second.client.listTools()).tools.map(({ name }) => name)).toEqual(['list_notes', 'add_note']);
    expect(server.requests.filter((request) => request === 'POST /oauth/register')).toHaveLength(registrations);
    await second.client.close();
    server.close();
    rmSync(folder, { recursive: true });
  });
});
