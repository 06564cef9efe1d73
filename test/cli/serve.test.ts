import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startExample } from '../examples/process.js';
import { type Answer, basic, bearer, Client } from '../hosts.js';
import { Browser, locationOf } from '../oauth/support/browser.js';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess, oauthQueryProgram, type Started, startProgram } from './program.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const root = mkdtempSync(join(tmpdir(), 'oauth-query-serve-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const emptyFolder = (name: string): string => {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
};

const EXPORT = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo><sitename>Harbour</sitename><dbname>harbour</dbname><base>https://harbour.example/wiki/Main_Page</base>
  <namespaces><namespace key="0" case="first-letter"/></namespaces></siteinfo>
  <page><title>Main Page</title><ns>0</ns><id>1</id><revision><id>1</id><timestamp>2024-01-01T00:00:00Z</timestamp>
  <contributor><username>Ann</username><id>1</id></contributor><model>wikitext</model><format>text/x-wiki</format>
  <text>See the [[Lighthouse]].</text></revision></page>
  <page><title>Lighthouse</title><ns>0</ns><id>2</id><revision><id>2</id><timestamp>2024-01-02T00:00:00Z</timestamp>
  <contributor><username>Ann</username><id>1</id></contributor><model>wikitext</model><format>text/x-wiki</format>
  <text>It shines.</text></revision></page>
</mediawiki>
`;

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

describe('oauth-query serve dump.xml, in an empty folder', () => {
  const folder = emptyFolder('with-export');
  let program: Started;
  let base: string;
  let client: Client;

  beforeAll(async () => {
    writeFileSync(join(folder, 'dump.xml'), EXPORT);
    program = await startProgram(['serve', '--port', '0', 'dump.xml'], { cwd: folder });
    [base] = await program.until(ADDRESS);
    client = new Client(base);
  });
  afterAll(() => program.stop());

  const tokenOf = async (id: string, secret: string): Promise<string> => {
    const { json } = await client.post('/oauth/token', { grant_type: 'client_credentials' }, basic(id, secret));
    return String(json['access_token']);
  };

  test('prints its URL and what to try, without files that only a checkout has', () => {
    expect(program.output).toContain(`oauth-query demo on node:http, store sqlite:.data/demo.db: ${base}`);
    expect(program.output).toContain('secrets are public');
    expect(program.output).not.toContain('examples/');
  });

  test('writes only to the folder .data', () => {
    expect(readdirSync(folder).sort()).toEqual(['.data', 'dump.xml']);
  });

  test('answers queries about the pages of the export', async () => {
    const { json } = await client.get('/api?action=query&list=allpages&meta=siteinfo&format=json&formatversion=2');
    expect(json['query']).toMatchObject({
      general: { sitename: 'Harbour' },
      allpages: [{ title: 'Lighthouse' }, { title: 'Main Page' }],
    });
  });

  test('signs an owner in with a browser, and guards its routes', async () => {
    const redirect_uri = `${base}/callback`;
    const query = new URLSearchParams({ response_type: 'code', client_id: 'web', redirect_uri });
    const browser = new Browser({ origin: base, base });
    const credentials = { username: 'alice', password: 'wonderland' };
    const consent = await browser.signIn(
      await browser.open(`${base}/oauth/authorize?${query.toString()}`),
      credentials,
    );
    const back = new URL(locationOf(await browser.submit(consent, { decision: 'approve' })));
    const form = { grant_type: 'authorization_code', redirect_uri, code: back.searchParams.get('code') ?? '' };
    const issued = await client.post('/oauth/token', form, basic('web', 'web-secret'));
    const me = await client.get('/me', bearer(String(issued.json['access_token'])));
    expect(me.text).toBe('{"sub":"alice","username":"alice","client_id":"web","scope":"profile content.read"}');
    expect((await client.get('/callback?code=abc')).text).toContain('-d code=abc ');
  });

  test('gives the same responses as `npm start`', async () => {
    const demo = await startExample('demo/main.ts', [], { PORT: '0', STORE: 'memory' });
    const other = new Client((await demo.until(ADDRESS))[0]);
    const read = bearer(await tokenOf('service', 'service-secret'));
    const shown = ({ status, headers, text }: Answer): readonly unknown[] => [
      status,
      headers['content-type'],
      text.replaceAll(/(?<=127\.0\.0\.1(?::|%3A))\d+/g, 'PORT'),
    ];
    for (const path of ['/open', '/nowhere', '/me', '/content', '/callback?x=1', '/oauth/nowhere', '/toString'])
      expect(shown(await client.get(path))).toEqual(shown(await other.get(path)));
    expect(shown(await client.post('/open', {}))).toEqual(shown(await other.post('/open', {})));
    expect(shown(await client.get('/content', read))).toEqual([200, 'application/json; charset=utf-8', '{"ok":true}']);
    expect((await client.get('/me', read)).status).toBe(403);
    await demo.stop();
  });

  test("has only the doctor's findings that are true of the demo", async () => {
    const report = await runDoctor([base, '--client-id', 'service', '--secret-stdin'], 'service-secret');
    expect(complaints(report)).toEqual([
      'warning legacy-grants: password and implicit enabled.',
      'note pkce-plain: plain is also listed.',
    ]);
    expect(report.code).toBe(0);
  });

  test('has reported no errors, and stops cleanly', async () => {
    expect(program.output).not.toMatch(/Error/);
    expect(await program.stop()).toBe(0);
  });
});

test('without a file, it serves the sample site and stops cleanly', async () => {
  const program = await startProgram(['serve'], { cwd: emptyFolder('without'), env: { PORT: '0', STORE: 'memory' } });
  const [base] = await program.until(ADDRESS);
  expect(program.output).toContain('store memory');
  const { text } = await new Client(base).get('/api?action=query&list=allpages&aplimit=1&format=json');
  expect(text).toContain('"title":');
  expect(await program.stop()).toBe(0);
});

test('--mcp serves the content as tools; clients register, and people sign in', async () => {
  const options = { cwd: emptyFolder('mcp'), env: { PORT: '0', STORE: 'memory' } };
  const program = await startProgram(['serve', '--mcp'], options);
  const [base] = await program.until(ADDRESS);
  await program.until(/claude mcp add .*\/mcp/);
  expect(program.output, 'in the line after that of the site').toContain(
    `: ${base}\nMCP server for assistants, which let you sign in: ${base}/mcp\n`,
  );
  const client = new Client(base);
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'boat' } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (more: Readonly<Record<string, string>>) =>
    client.request('/mcp', { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) });
  const refused = await send({});
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="content.read"`,
  ]);
  expect((await client.get('/.well-known/oauth-authorization-server')).json).toHaveProperty('registration_endpoint');
  const form = { grant_type: 'client_credentials', scope: 'content.read', resource: `${base}/mcp` };
  const { json } = await client.post('/oauth/token', form, basic('service', 'service-secret'));
  expect((await send(bearer(String(json['access_token'])))).text).toContain('Boat');
  expect(await program.stop()).toBe(0);
});

test('serves a folder with its changes and images, in the language that was set, and needs no database', async () => {
  const folder = emptyFolder('markdown');
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'index.md'), '# Harbour');
  writeFileSync(join(folder, 'docs', 'bad.md'), '---\na: [\n---\nIt is there.');
  writeFileSync(join(folder, 'docs', 'a boat.svg'), '<svg/>');
  const args = ['serve', '--port', '0', '--store', 'memory', '--language', 'ps', 'docs'];
  const program = await startProgram(args, { cwd: folder });
  const [base] = await program.until(ADDRESS);
  expect(program.output).toMatch(/^Warning: bad\.md:\d: The front matter is not valid YAML/m);
  const client = new Client(base);
  const titles = async (): Promise<string> =>
    (await client.get('/api?action=query&list=allpages&format=json')).text.replace(/[^]*"allpages":/, '');
  expect(await titles()).toMatch(/"Bad"[^]*"Main Page"/);
  writeFileSync(join(folder, 'docs', 'new.md'), 'A new page.');
  await vi.waitFor(async () => expect(await titles()).toContain('"New"'), { timeout: 60_000 });
  expect((await client.get('/api?action=parse&page=New&prop=text&format=json')).text).toContain('<p>A new page.</p>');
  expect((await client.get('/api?action=query&meta=siteinfo&format=json')).text).toMatch(/"lang":"ps"/);
  const about = '/api?action=query&titles=File:A_boat.svg&prop=imageinfo&iiprop=url&format=json';
  const [, url = ''] = /"url":"([^"]+)"/.exec((await client.get(about)).text) ?? [];
  expect(url).toBe(`${base}/files/a%20boat.svg`);
  const image = await client.get(url.slice(base.length));
  expect([image.status, image.text]).toEqual([200, '<svg/>']);
  expect(image.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'content-security-policy': 'sandbox' });
  for (const path of [
    '/files/',
    '/files/index.md',
    '/files/../docs/index.md',
    '/files/%2e%2e/docs/index.md',
    '/files/%',
  ])
    expect((await client.get(path)).status, path).toBe(404);
  expect(await program.stop()).toBe(0);
  expect(readdirSync(folder)).toEqual(['docs']);
});

test('an option takes precedence over the environment', async () => {
  const program = await startProgram(
    ['serve', '--port', '0', '--store', 'memory', '--issuer', 'https://demo.example'],
    {
      cwd: emptyFolder('options'),
      env: { PORT: '1', STORE: 'mongodb://x', ISSUER: 'https://other.example', TOKEN_TTL: '77' },
    },
  );
  const client = new Client((await program.until(ADDRESS))[0]);
  expect((await client.get('/.well-known/oauth-authorization-server')).json['issuer']).toBe('https://demo.example');
  const form = { grant_type: 'client_credentials' };
  expect((await client.post('/oauth/token', form, basic('service', 'service-secret'))).json['expires_in']).toBe(77);
  await program.stop();
});

describe('an error is one sentence and exit code 1', () => {
  const memory = ['--store', 'memory'];
  test('the program ends with one sentence and exit code 1', () => {
    const page = join(root, 'page.html');
    writeFileSync(page, '<html></html>');
    return everyRow(
      [
        [['--port', '70000', ...memory], {}, '--port must be a whole number from 0 to 65535, not "70000".'],
        [memory, { PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
        [memory, { CODE_TTL: 'x' }, 'CODE_TTL must be a whole number from 0 to 31536000, not "x".'],
        [['--host', '0.0.0.0', ...memory], {}, '--host must be one of 127.0.0.1, ::1, localhost, not "0.0.0.0": the'],
        [['--store', 'mongodb://x'], {}, '--store: the store cannot be used: openStore: the URL must be memory:,'],
        [
          ['--store', 'redis://127.0.0.1:1'],
          {},
          '--store: the store cannot be used: openStore: connect ECONNREFUSED 127.0.0.1:1',
        ],
        [[`${root}/no.xml`, ...memory], {}, `${root}/no.xml cannot be read: the file does not exist.`],
        [[page, ...memory], {}, `${page} is not a MediaWiki export: it is HTML.`],
      ] as const,
      async ([args, env, sentence]) => {
        const { code, stdout, stderr } = await oauthQueryInProcess(['serve', ...args], { env });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr.startsWith(sentence)).toBe(true);
        expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      },
    );
  });

  test('a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // It listens on a port and not on a pipe.
    const args = ['serve', '--port', String(port), ...memory];
    const { code, stderr } = await oauthQueryProgram(args, { cwd: emptyFolder('port') });
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} is in use. Choose another one, for example: oauth-query serve --port ${port + 1}\n`,
    ]);
    other.close();
  });

  test('more than one file is an error', async () => {
    const { code, stderr } = await oauthQueryInProcess(['serve', 'a.xml', 'b.xml']);
    expect([code, stderr]).toEqual([2, 'Unexpected argument "b.xml". See: oauth-query serve --help\n']);
  });
});
