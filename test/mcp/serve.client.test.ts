import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Started, startProgram } from '../cli/program.js';
import { Application } from './support/application.js';
import { CONTENT_CLIENTS } from './support/content-clients.js';
import { Person } from './support/person.js';

describe('oauth-query serve ./docs --mcp', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-serve-mcp-'));
  let program: Started;
  let base: string;
  let mcp: string;

  beforeAll(async () => {
    mkdirSync(join(folder, 'docs', 'guides'), { recursive: true });
    writeFileSync(join(folder, 'docs', 'index.md'), 'Read how to [moor](guides/mooring.md).');
    writeFileSync(join(folder, 'docs', 'guides', 'mooring.md'), '---\ntags: [boats]\n---\nUse two ropes.');
    writeFileSync(join(folder, 'docs', 'über.md'), 'About this harbour.');
    program = await startProgram(['serve', './docs', '--mcp', '--port', '0', '--store', 'memory'], { cwd: folder });
    [base, mcp] = await program.until(/(http:\/\/127\.0\.0\.1:\d+)\/mcp/).then(([url, origin]) => [origin ?? '', url]);
  });
  afterAll(async () => {
    expect(await program.stop()).toBe(0);
    expect(program.output).not.toMatch(/Error/);
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(CONTENT_CLIENTS)('%s', (_name, connect) => {
    test('is refused without a token', async () => {
      const { client, open } = connect(mcp);
      const refused: unknown = await open().catch((error: unknown) => error);
      const { code, status = code } = refused as { readonly code?: unknown; readonly status?: unknown };
      expect(status).toBe(401);
      await client.close();
    });

    test('registers, is sent to the consent page, and then reads the files', async () => {
      const application = new Application();
      const first = connect(mcp, application);
      await expect(first.open()).rejects.toThrow(/unauthorized/i);
      expect(application.sentTo?.searchParams.get('scope')).toBe('content.read');
      await first.finish(await new Person(base).allowFor(application));
      await first.client.close();

      const { client, open } = connect(mcp, application);
      await open();
      const call = async (name: string, args: Record<string, unknown>) => {
        const { isError, structuredContent } = await client.callTool({ name, arguments: args });
        expect(isError ?? false).toBe(false);
        return structuredContent.data;
      };
      expect((await call('search', { query: 'ropes' })).search).toMatchObject([{ title: 'Guides/mooring' }]);
      expect(await call('read_page', { title: 'Guides/mooring' })).toMatchObject({
        format: 'text/markdown',
        text: expect.stringContaining('Use two ropes.'),
      });
      expect((await call('list_pages', { category: 'Boats' })).categorymembers).toMatchObject([
        { title: 'Guides/mooring' },
      ]);
      expect((await call('links', { title: 'Main Page', kind: 'links' })).pages).toMatchObject([
        { links: [{ title: 'Guides/mooring' }] },
      ]);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        'page:///Guides%2Fmooring',
        'page:///Main%20Page',
        'page:///%C3%9Cber',
      ]);
      const { contents } = await client.readResource({ uri: 'page:///%C3%9Cber' });
      expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: 'About this harbour.' }]);
      const ref = { type: 'ref/resource', uri: 'page:///{title}' };
      const { completion } = await client.complete({ ref, argument: { name: 'title', value: 'gui' } });
      expect(completion.values).toEqual(['Guides/mooring']);
      await client.close();
    });
  });
});
