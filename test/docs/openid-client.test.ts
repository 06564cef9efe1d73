import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { Client, hostFor } from '../hosts.js';
import { Browser, locationOf } from '../oauth/support/browser.js';
import { fixture, SCOPES } from '../oauth/support/fixture.js';
import { ROOT } from './documents.js';

const PROGRAM = readFileSync(join(ROOT, 'examples/command-line-client/main.ts'), 'utf8');

test.each(hostFor(import.meta.url))('examples/command-line-client/main.ts runs, on $name', async (host) => {
  const { options, events, errors } = fixture({
    clients: [{ client_id: 'cli', redirect_uris: ['http://127.0.0.1/callback'], refresh: 'rotating' }],
    scopes: { ...SCOPES, 'photos.read': 'See your photos' },
  });
  const running = await host.start({ options, guarded: { photos: { scope: 'photos.read' } } });
  const { code } = transformSync(PROGRAM, { loader: 'ts', target: 'es2022' });
  const text = code
    .replace(/"http:\/\/127\.0\.0\.1:3000"/, JSON.stringify(running.base))
    .replace('"/photos"', '"/guarded/photos"');
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { cwd: ROOT });
  let output = '';
  const link = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const [, address] = /^Open in a browser: (\S+)\n/m.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      });
    child.once('close', () => reject(new Error(output)));
  });
  const end = once(child, 'close');

  const browser = new Browser(running);
  const consent = await browser.signIn(await browser.open(await link));
  const callback = new URL(locationOf(await browser.submit(consent, { decision: 'approve' })));
  const shown = await new Client(callback.origin).get(callback.pathname + callback.search);
  expect(shown.text).toBe('You can close this window.');
  expect(await end, output).toEqual([0, null]);
  expect(output).toMatch(/\nPhotos: \{.*"scope":"photos\.read".*\}\nRefreshed, for photos\.read\nRevoked\n$/);
  expect(events.map(({ type }) => type)).toContain('grant.revoked');
  expect(errors).toEqual([]);
  await running.close();
});
