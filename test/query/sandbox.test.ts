import { createHash } from 'node:crypto';
import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageLanguage } from '../../src/core/base/pages/languages/english.js';
import { catalogue, customModule, defineModule, type ModuleHandlers, query } from '../../src/core/query/index.js';
import type { ServerOptions } from '../../src/core/server/options/server-options.js';
import { createServer } from '../../src/core/server/server.js';
import * as languages from '../../src/languages/index.js';
import { SCRIPT, STYLE } from '../../src/sandbox/assets.js';
import { sandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import { sandboxAssets } from '../../tools/sandbox-assets.js';
import { Client, hostFor, oneHostEach, type RunningHost } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { fixture } from '../oauth/support/fixture.js';

const HOSTILE = `</style><script>alert("1")</script><img src=x onerror='alert(2)'>`;

const own = [
  customModule(
    defineModule({ name: 'ripeness', group: 'list', prefix: 'ri', description: HOSTILE, parameters: {} }),
    () => [],
  ),
];

const attribute = (page: string, name: string): string | undefined =>
  new RegExp(`<body[^>]* ${name}="([^"]*)"`).exec(page)?.[1];

test('script and style are up to date: run `npm run sandbox` after a change in sandbox/', async () => {
  expect({ script: SCRIPT, style: STYLE }).toEqual(await sandboxAssets());
});

test('script and style contain nothing that could end their elements', () => {
  expect(SCRIPT).not.toMatch(/<\/script|<!--|<script/i);
  expect(STYLE).not.toMatch(/<\/style/i);
});

test('in Express, the policy of the page replaces that of a middleware in front, such as helmet', async () => {
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader('content-security-policy', "default-src 'none'");
    next();
  });
  app.use(oauthQuery(fixture({ features: [query(), sandbox()] }).options));
  const { headers, text } = await new Client((await listen(app)).origin).get('/api/sandbox');
  expect(text).toContain('<script');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-[^,]*$/);
});

describe.each(hostFor(import.meta.url))('the page on $name', ({ start }) => {
  let host: RunningHost;
  let client: Client;
  beforeAll(async () => {
    const { options } = fixture({
      features: [query({ site: { name: HOSTILE }, customModules: own }), sandbox({ client_id: 'spa' })],
    });
    host = await start({ options });
    client = new Client(host.base);
  });
  afterAll(() => host.close());

  test('the content security policy allows only its script, its style and requests to this origin', async () => {
    const { status, headers, text } = await client.get('/api/sandbox');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const scripts = [...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, code = '']) => code);
    const styles = [...text.matchAll(/<style>([^]*?)<\/style>/g)].map(([, code = '']) => code);
    expect(scripts).toEqual([SCRIPT]);
    const [style = '', ...more] = styles;
    expect([style.endsWith(STYLE), more]).toEqual([true, []]);
    const hash = (code: string): string => createHash('sha256').update(code).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'sha256-${hash(SCRIPT)}'; style-src 'sha256-${hash(style)}'; connect-src 'self'; ` +
        `base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
  });

  test('has the URLs of the API and the OAuth endpoints for any mount point', async () => {
    const { text } = await client.get('/api/sandbox');
    const at = (name: string): string => new URL(attribute(text, name) ?? '?', `${host.base}/api/sandbox`).href;
    expect(['data-api', 'data-authorize', 'data-token', 'data-revoke'].map(at)).toEqual(
      ['/api', '/oauth/authorize', '/oauth/token', '/oauth/revoke'].map((path) => host.base + path),
    );
    expect([attribute(text, 'data-client-id'), attribute(text, 'data-issuer')]).toEqual(['spa', host.base]);
  });

  test('304 if the page has not changed (ETag)', async () => {
    const { etag = '' } = (await client.get('/api/sandbox')).headers;
    const again = await client.get('/api/sandbox', { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    expect((await client.get('/api/sandbox', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('HEAD is GET without a body; other methods get 405 with Allow', async () => {
    const head = await client.request('/api/sandbox', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'text/html; charset=utf-8']);
    const post = await client.post('/api/sandbox', { action: 'query' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the content of the page', () => {
  const pageOf = async (options: Parameters<typeof fixture>[0], path = '/api/sandbox') => {
    const host = await oneHostEach[0].start({ options: fixture(options).options });
    try {
      return await new Client(host.base).get(path);
    } finally {
      await host.close();
    }
  };

  test('lists every module that has a handler, with its description, and escapes those of custom modules', async () => {
    const modules: ModuleHandlers = Object.fromEntries(Object.keys(catalogue).map((name) => [name, () => []]));
    const { text } = await pageOf({
      features: [query({ site: { name: HOSTILE }, modules, customModules: own }), sandbox()],
    });
    expect(text.match(/<li><a /g)).toHaveLength(73);
    expect(text).toContain('Lists all pages of a namespace by title.');
    expect(text).toContain('<code>ripeness</code>');
    expect(text).toContain('&lt;/style&gt;&lt;script&gt;alert(&quot;1&quot;)');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img');
  });

  test('by default, the page is enabled and has no sign-in', async () => {
    const { status, text } = await pageOf({ features: [query(), sandbox()] });
    expect(status).toBe(200);
    expect(attribute(text, 'data-api')).toBe('../api');
    expect(attribute(text, 'data-client-id')).toBeUndefined();
    expect(attribute(text, 'data-token')).toBeUndefined();
    expect(text).not.toContain('id="account"');
  });

  test('is below the first path of the API, also with a custom, deeper path', async () => {
    const renamed = { features: [query({ path: ['/w/v1/api.php', '/api'] }), sandbox()] };
    const { status, text } = await pageOf(renamed, '/w/v1/api.php/sandbox');
    expect(status).toBe(200);
    expect(new URL(attribute(text, 'data-api') ?? '', 'http://host/w/v1/api.php/sandbox').pathname).toBe(
      '/w/v1/api.php',
    );
    expect((await pageOf(renamed, '/api/sandbox')).status).toBe(404);
  });
});

describe('invalid options throw at construction, and are named', () => {
  test.each([
    [null, /^sandbox must be /],
    [{ client: 'spa' }, /^sandbox\.client is unknown/],
    [{ client_id: '' }, /^sandbox\.client_id must be /],
    [{ client_id: 5 }, /^sandbox\.client_id must be /],
  ])('sandbox: %o', (options, message) => {
    // As from a program without types.
    expect(() => sandbox(options as SandboxOptions)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
    );
  });

  const start =
    (client_id: string, options: Partial<ServerOptions> = {}) =>
    () =>
      createServer({
        ...fixture().options,
        features: [query(), sandbox({ client_id })],
        ...options,
      } as ServerOptions); // The fixture names no framework's own.

  test.each([
    ['sap', /^sandbox\.client_id: the client "sap" is not registered in options\.clients\. Did you mean "spa"\?$/],
    ['web', /^sandbox\.client_id: the client "web" has a secret/],
    ['tv', /^sandbox\.client_id: the client "tv" cannot sign users in/],
  ])('the client %s', (client_id, message) => {
    expect(start(client_id)).toThrow(message);
    expect(start(client_id, { clients: { find: () => undefined } })).not.toThrow();
  });

  test('client_id requires the authorization_code grant', () => {
    const grants = ['client_credentials'] as const;
    expect(start('spa', { grants })).toThrow(/^sandbox\.client_id needs the grant authorization_code/);
    expect(start('spa', { grants, features: [query(), sandbox()] })).not.toThrow();
  });
});

test('help and the sandbox stay below 60 kB in every language', async () => {
  const { options } = fixture({
    languages: Object.values<PageLanguage>(languages),
    features: [query({ site: { name: 'Orchard' } }), sandbox({ client_id: 'spa' })],
  });
  const host = await oneHostEach[0].start({ options });
  const client = new Client(host.base);
  for (const { locale } of Object.values<PageLanguage>(languages))
    for (const page of ['/api/sandbox?', '/api?', '/api?action=help&modules=query%2Brevisions&']) {
      const { text } = await client.get(`${page}ui_locales=${locale}`);
      expect(text).toContain(`<html lang="${locale}"`);
      expect([page, locale, Buffer.byteLength(text) < 59_000]).toEqual([page, locale, true]);
    }
});
