import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Complaint } from '../../examples/demo/complaint.js';
import { readSettings } from '../../examples/demo/settings.js';
import { openStore } from '../../examples/demo/store.js';
import { type Answer, basic, bearer, Client, sendRaw } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { everyRow } from '../rows.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

const DEMO = 'demo/main.ts';
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'oauth-query-demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const startDemo = async (
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly demo: Example; readonly base: string }> => {
  const demo = await startExample(DEMO, [], { PORT: '0', STORE: 'memory', ...environment });
  const [base] = await demo.until(/http:\/\/127\.0\.0\.1:\d+/);
  return { demo, base };
};

/** Signs in and approves, like a person with a browser; gives the redirect to the client. */
const approve = async (browser: Client, address: string): Promise<URL> => {
  const login = formOf((await browser.get(address)).text, 'password');
  const signedIn = await browser.post(login.action, { ...login.fields, username: 'alice', password: 'wonderland' });
  const consent = formOf((await browser.get(String(signedIn.headers.location))).text, 'decision');
  const decided = await browser.post(consent.action, { ...consent.fields, decision: 'approve' });
  return new URL(String(decided.headers.location));
};

describe.each(['express', 'koa', 'fastify'])('FRAMEWORK=%s npm start', (framework) => {
  let demo: Example;
  let base: string;
  let client: Client;

  beforeAll(async () => {
    ({ demo, base } = await startDemo({ FRAMEWORK: framework }));
    client = new Client(base);
  });
  afterAll(() => demo.stop());

  const token = (form: Record<string, string>, headers = {}): Promise<Answer> =>
    client.post('/oauth/token', form, headers);

  test('prints its URL, that its secrets are public, and what to try', () => {
    expect(demo.output).toContain(framework);
    expect(demo.output).toContain('secrets are public');
    for (const grant of [
      'client_credentials',
      'response_type=code',
      'refresh_token',
      'device_code',
      'password',
      'introspect',
      'revoke',
    ]) {
      expect(demo.output).toContain(grant);
    }
  });

  test('its guarded routes require a token, its open one does not', async () => {
    expect((await client.get('/me')).status).toBe(401);
    expect((await client.get('/content')).status).toBe(401);
    const open = await client.get('/open');
    expect([open.status, open.text]).toEqual([200, '{"ok":true}']);
    const nowhere = await client.get('/nowhere');
    expect([nowhere.status, nowhere.text]).toEqual([404, '{"error":"not_found"}']);
  });

  const ODD = [
    '/?x',
    '//?x',
    '///callback//?code=x',
    '//example.org/?x',
    '/\\',
    '/%',
    '/%E8?%E8',
    '/callback?code=%',
    '/api/%2e%2e//',
    `/${'a/'.repeat(6000)}?x`,
    `//${'%'.repeat(12_000)}`,
  ];
  test('malformed paths are not server errors', () =>
    everyRow(ODD, async (address) => {
      const answer = await sendRaw(base, `GET ${address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200|400|404|414) /);
      expect(answer).not.toContain('node_modules');
    }));

  const CREDENTIALS = [
    ['service', 'service-secret', 'content.read highvolume'],
    ['odd', 'a:b%c+d e', 'profile content.read'],
    ['rolling', 'old-secret', 'profile content.read'],
    ['rolling', 'new-secret', 'profile content.read'],
    ['api', 'api-secret', 'introspect'],
  ] as const;
  test('client_credentials works for every client with a secret', () =>
    everyRow(CREDENTIALS, async ([id, secret, scope]) => {
      const { status, json } = await token({ grant_type: 'client_credentials' }, basic(id, secret));
      expect([status, json['scope']]).toEqual([200, scope]);
      const content = await client.get('/content', bearer(String(json['access_token'])));
      expect(content.status).toBe(scope.includes('content.read') ? 200 : 403);
    }));
  test('the guide of the demo leads to a token', async () => {
    const guide = await client.get('/guide');
    expect(guide.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(guide.text).toContain('response_type=code');
    for (const [address = ''] of guide.text.matchAll(/http\S+response_type=code\S+/g)) {
      const back = await approve(new Client(base), address);
      const { text } = await client.get(back.href);
      const form: Record<string, string> = {};
      for (const [, name = '', value = ''] of text.matchAll(/-d (\w+)=(\S+)/g)) form[name] = decodeURIComponent(value);
      const [, id = '', secret = ''] = /-u (\w+):(\S+)/.exec(text) ?? [];
      expect((await token(form, id === '' ? {} : basic(id, secret))).status).toBe(200);
    }
  });

  test('every link of the front page works', async () => {
    const front = await client.get('/');
    expect(front.headers['content-type']).toBe('text/html; charset=utf-8');
    const links = [...front.text.matchAll(/<a (?:class="button" )?href="([^"]+)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    expect(links).toHaveLength(14);
    for (const link of links) {
      const { status, headers } = await new Client(base).get(link.replace(base, ''));
      expect([link, [200, 302, 303].includes(status), headers['content-type'] !== undefined]).toEqual([
        link,
        true,
        status === 200,
      ]);
    }
  });

  test('warnings are printed after the commands to try', async () => {
    await demo.until(/Warning: The implicit grant/);
    expect(demo.output.indexOf('Warning: ')).toBeGreaterThan(demo.output.indexOf(`curl ${base}/open`));
    expect(demo.output.slice(0, 11)).toBe('oauth-query');
  });
});

/** What a command of the guide is waiting for: the words in capitals, by what earlier answers held. */
const filled = (command: string, held: Readonly<Record<string, Record<string, unknown>>>): string => {
  const client = /-u (\w+):|client_id=(\w+)/.exec(command);
  const own = held[client?.[1] ?? client?.[2] ?? ''] ?? {};
  const ofWeb = held['web'] ?? {};
  const token = command.includes('/content') ? held['service'] : ofWeb;
  return command
    .replace('REFRESH_TOKEN', String(own['refresh_token']))
    .replace('DEVICE_CODE', String(own['device_code']))
    .replace('ACCESS_TOKEN', String(token?.['access_token']))
    .replace('token=TOKEN', `token=${String(ofWeb['access_token'])}`);
};

test('every printed command works: HOST=localhost', async () => {
  const demo = await startExample(DEMO, [], { PORT: '0', STORE: 'memory', HOST: 'localhost' });
  onTestFinished(() => void demo.stop());
  await demo.until(/curl \S+\/open/);
  const lines = demo.output.split('\n').flatMap((line) => /^ {2}((?:curl|http).*)$/.exec(line)?.[1] ?? []);
  expect(lines.filter((line) => line.startsWith('curl')).length).toBeGreaterThan(12);
  const held: Record<string, Record<string, unknown>> = {};
  const shell = async (command: string): Promise<string> =>
    (await run('sh', ['-c', command.replace('curl ', 'curl -sS -g ')])).stdout;
  const remember = async (command: string): Promise<string> => {
    const text = await shell(filled(command, held));
    const [, user, id] = /-u (\w+):|client_id=(\w+)/.exec(command) ?? [];
    const answer: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    if (typeof answer === 'object') Object.assign((held[user ?? id ?? ''] ??= {}), answer);
    return text;
  };
  for (const line of lines) {
    if (line.startsWith('curl')) {
      const text = await remember(line);
      if (line.includes('DEVICE_CODE')) expect(text).toContain('authorization_pending');
      else expect([line, /"error"/.test(text)]).toEqual([line, false]);
      continue;
    }
    if (!line.includes('/oauth/authorize')) {
      expect((await new Client(new URL(line).origin).get(new URL(line).pathname)).status).toBe(200);
      continue;
    }
    const back = await approve(new Client(new URL(line).origin), line);
    const page = await new Client(back.origin).get(back.pathname + back.search);
    expect(page.status).toBe(200);
    const [, next] = /<pre>(curl [^<]*)</.exec(page.text) ?? [];
    if (next !== undefined) expect(await remember(next)).toContain('access_token');
    else expect(page.text).toContain('after the #');
  }
  expect(Object.keys(held)).toEqual(expect.arrayContaining(['service', 'web', 'native', 'tv', 'legacy', 'api']));
});

test('MEDIAWIKI_PATHS=1 also serves the paths of MediaWiki; TOKEN_TTL and DEVICE_TTL are applied', async () => {
  const { demo, base } = await startDemo({ MEDIAWIKI_PATHS: '1', TOKEN_TTL: '77', DEVICE_TTL: '88' });
  onTestFinished(() => void demo.stop());
  const client = new Client(base);
  const form = { grant_type: 'client_credentials' };
  for (const path of ['/oauth/token', '/w/rest.php/oauth2/access_token'])
    expect((await client.post(path, form, basic('service', 'service-secret'))).json['expires_in']).toBe(77);
  expect((await client.post('/oauth/device', { client_id: 'tv' })).json['expires_in']).toBe(88);
  for (const path of ['/api', '/w/api.php'])
    expect((await client.get(`${path}?action=query&meta=siteinfo&format=json`)).json['query']).toBeDefined();
  const link = '/w/rest.php/oauth2/authorize?response_type=code&client_id=web&redirect_uri=http://127.0.0.1/callback';
  expect((await approve(new Client(base), link)).searchParams.get('code')).not.toBeNull();
});

test('--help names the settings, and another option is an error', async () => {
  const help = await startExample(DEMO, ['--help'], {});
  expect(await help.exit).toBe(0);
  for (const name of ['PORT', 'HOST', 'FRAMEWORK', 'STORE', 'ISSUER', 'MEDIAWIKI_PATHS', 'CODE_TTL'])
    expect(help.output).toContain(name);
  const wrong = await startExample(DEMO, ['--port'], {});
  expect(await wrong.exit).toBe(1);
  expect(wrong.output).toBe('There is no option --port. See: npm start -- --help\n');
});

// At the same time: some of them wait for a connection to time out.
describe.concurrent('the settings of the demo', () => {
  test.each([
    [{ FRAMEWORK: 'hapi' }, 'FRAMEWORK must be one of express, koa, fastify, not "hapi".'],
    [{ PORT: 'x' }, 'PORT must be a whole number from 0 to 65535, not "x".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [
      { HOST: '0.0.0.0' },
      'HOST must be one of 127.0.0.1, ::1, localhost, not "0.0.0.0": the passwords and secrets of this demo are public.',
    ],
    [{ MEDIAWIKI_PATHS: 'yes' }, 'MEDIAWIKI_PATHS must be 1 or 0, not "yes".'],
    [{ CODE_TTL: '1.5' }, 'CODE_TTL must be a whole number from 0 to 31536000, not "1.5".'],
  ])('%j', (environment, sentence) => {
    expect(() => readSettings(environment)).toThrow(new Complaint(sentence));
  });

  test('have defaults, also for an empty variable', () => {
    expect(readSettings({ PORT: '', FRAMEWORK: '', STORE: '' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      framework: 'express',
      store: 'sqlite:.data/demo.db',
      issuer: undefined,
      mediawikiPaths: false,
      mcp: false,
      lifetimes: {},
    });
  });

  test.each([
    [
      'mongodb://x:secret@y',
      /^STORE: the store cannot be used: openStore: the URL must be memory:, .*, not mongodb:…$/,
    ],
    ['sqlite:/dev/null/x.db', /^STORE: the store cannot be used: .*\/dev\/null/],
    ['redis://127.0.0.1:1', /^STORE: the store cannot be used: openStore: connect ECONNREFUSED 127\.0\.0\.1:1$/],
    ['postgres://user@127.0.0.1:1/x', /^STORE: the store cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1$/],
  ])('STORE=%s', async (store, sentence) => {
    const refusal = await openStore(store).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Complaint);
    expect(String(refusal).replace(/^\w+: /, '')).toMatch(sentence);
  });

  test('an option that is not valid ends the program with one sentence', async () => {
    const demo = await startExample(DEMO, [], { PORT: '0', STORE: 'memory', ISSUER: 'http://example.org' });
    expect(await demo.exit).toBe(1);
    expect(demo.output).toMatch(/^options\.issuer must begin with https:\/\/.*\n$/);
  });

  test('a port in use ends the program with one sentence', async () => {
    const other = createServer().listen(await freePort(), '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const demo = await startExample(DEMO, [], { PORT: String(port), STORE: 'memory' });
    expect(await demo.exit).toBe(1);
    expect(demo.output).toBe(`Port ${port} is in use. Choose another one, for example: PORT=${port + 1} npm start\n`);
    other.close();
  });

  test('SIGINT and SIGTERM stop it, and a store in a file keeps its records', async () => {
    const STORE = `sqlite:${join(folder, 'demo.db')}`;
    const port = String(await freePort());
    const one = await startDemo({ STORE, PORT: port });
    const { json } = await new Client(one.base).post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic('service', 'service-secret'),
    );
    expect(await one.demo.stop('SIGINT')).toBe(0);
    const two = await startDemo({ STORE, PORT: port, FRAMEWORK: 'koa' });
    expect((await new Client(two.base).get('/content', bearer(String(json['access_token'])))).status).toBe(200);
    expect(await two.demo.stop('SIGTERM')).toBe(0);
  });
});
