import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Complaint } from '../../examples/demo/complaint.js';
import { readSettings } from '../../examples/demo/settings.js';
import { loadDriver, openStore } from '../../examples/demo/store.js';
import { type Answer, basic, bearer, Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

const DEMO = 'demo/main.ts';
const folder = mkdtempSync(join(tmpdir(), 'oauth-query-demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const startDemo = async (
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly demo: Example; readonly base: string }> => {
  const demo = startExample(DEMO, [], { PORT: '0', STORE: 'memory', ...environment });
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

  test('says where it is, that its secrets are public, and what to try', () => {
    expect(demo.output).toContain(framework);
    expect(demo.output).toContain('everybody knows its secrets');
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

  test('its guarded routes ask for a token, its open one does not', async () => {
    expect((await client.get('/me')).status).toBe(401);
    expect((await client.get('/content')).status).toBe(401);
    const open = await client.get('/open');
    expect([open.status, open.text]).toEqual([200, '{"ok":true}']);
    const nowhere = await client.get('/nowhere');
    expect([nowhere.status, nowhere.text]).toEqual([404, '{"error":"not_found"}']);
  });

  test.each([
    ['service', 'service-secret', 'content.read highvolume'],
    ['odd', 'a:b%c+d e', 'profile content.read'],
    ['rolling', 'old-secret', 'profile content.read'],
    ['rolling', 'new-secret', 'profile content.read'],
    ['api', 'api-secret', 'introspect'],
  ])('client_credentials: %s / %s', async (id, secret, scope) => {
    const { status, json } = await token({ grant_type: 'client_credentials' }, basic(id, secret));
    expect([status, json['scope']]).toEqual([200, scope]);
    const content = await client.get('/content', bearer(String(json['access_token'])));
    expect(content.status).toBe(scope.includes('content.read') ? 200 : 403);
  });

  test('authorization_code: web, with a secret, then refresh and revocation', async () => {
    const redirect_uri = 'http://127.0.0.1:5555/callback';
    const query = new URLSearchParams({ response_type: 'code', client_id: 'web', redirect_uri, state: 'x' });
    const back = await approve(new Client(base), `/oauth/authorize?${query.toString()}`);
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([redirect_uri, 'x']);
    const credentials = basic('web', 'web-secret');
    const code = back.searchParams.get('code') ?? '';
    const first = await token({ grant_type: 'authorization_code', code, redirect_uri }, credentials);
    expect(first.json).toMatchObject({ scope: 'profile content.read', expires_in: 3600 });

    const me = await client.get('/me', bearer(String(first.json['access_token'])));
    expect(me.text).toBe('{"sub":"alice","username":"alice","client_id":"web","scope":"profile content.read"}');

    const second = await token(
      { grant_type: 'refresh_token', refresh_token: String(first.json['refresh_token']) },
      credentials,
    );
    const renewed = String(second.json['access_token']);
    expect((await client.get('/me', bearer(renewed))).status).toBe(200);
    expect((await client.post('/oauth/introspect', { token: renewed }, basic('api', 'api-secret'))).json).toMatchObject(
      { active: true, sub: 'alice' },
    );
    expect((await client.post('/oauth/revoke', { token: renewed }, credentials)).text).toBe('{}');
    expect((await client.get('/me', bearer(renewed))).status).toBe(401);
  });

  test.each([
    ['spa', 'S256'],
    ['native', 'S256'],
    ['plain', 'plain'],
  ])('authorization_code with PKCE: %s, %s', async (client_id, code_challenge_method) => {
    const code_verifier = 'a-verifier-that-is-long-enough-to-be-one-of-them';
    const code_challenge =
      code_challenge_method === 'plain'
        ? code_verifier
        : createHash('sha256').update(code_verifier).digest('base64url');
    const redirect_uri = client_id === 'plain' ? 'http://[::1]:5555/cb' : 'http://127.0.0.1:5555/callback';
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri,
      code_challenge,
      code_challenge_method,
    });
    const back = await approve(new Client(base), `/oauth/authorize?${query.toString()}`);
    const code = back.searchParams.get('code') ?? '';
    const { status, json } = await token({
      grant_type: 'authorization_code',
      client_id,
      code,
      redirect_uri,
      code_verifier,
    });
    expect([status, 'refresh_token' in json]).toEqual([200, client_id === 'native']);
  });

  test('the guide of the demo can be followed to a token', async () => {
    const guide = await client.get('/');
    expect(guide.headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const [address = ''] of guide.text.matchAll(/http\S+response_type=code\S+/g)) {
      const back = await approve(new Client(base), address);
      const { text } = await client.get(back.href);
      const form: Record<string, string> = {};
      for (const [, name = '', value = ''] of text.matchAll(/-d (\w+)=(\S+)/g)) form[name] = decodeURIComponent(value);
      const [, id = '', secret = ''] = /-u (\w+):(\S+)/.exec(text) ?? [];
      expect((await token(form, id === '' ? {} : basic(id, secret))).status).toBe(200);
    }
  });

  test('device_code: tv', async () => {
    const { json: device } = await client.post('/oauth/device', { client_id: 'tv' });
    const poll = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'tv',
      device_code: String(device['device_code']),
    };
    expect((await token(poll)).json).toMatchObject({ error: 'authorization_pending' });
    expect((await token(poll)).json).toMatchObject({ error: 'slow_down' });
    expect(device['verification_uri']).toBe(`${base}/oauth/device`);
  });

  test('the query API knows whose token it is, and what the scopes of the token allow', async () => {
    const { json: issued } = await token({ grant_type: 'client_credentials' }, basic('service', 'service-secret'));
    const query = '/api?action=query&meta=siteinfo|userinfo&uiprop=rights&format=json&formatversion=2';
    const nobody = await client.get(query);
    const somebody = await client.get(query, bearer(String(issued['access_token'])));
    expect(nobody.json['query']).toMatchObject({ general: { sitename: 'Harbour' }, userinfo: { anon: true } });
    expect(somebody.json['query']).toMatchObject({ userinfo: { rights: expect.arrayContaining(['apihighlimits']) } });
    expect((await client.get('/api/query+userinfo?format=json')).json).toMatchObject({
      query: { userinfo: { anon: '' } },
    });
  });

  test('legacy: password and implicit', async () => {
    const answer = await token(
      { grant_type: 'password', username: 'bob', password: 'builder' },
      basic('legacy', 'legacy-secret'),
    );
    expect(answer.json).toMatchObject({ scope: 'profile content.read' });
    const back = await approve(new Client(base), '/oauth/authorize?response_type=token&client_id=legacy');
    expect([back.origin, new URLSearchParams(back.hash.slice(1)).get('token_type')]).toEqual([
      'https://legacy.example',
      'Bearer',
    ]);
  });
});

describe('the settings of the demo', () => {
  test.each([
    [{ FRAMEWORK: 'hapi' }, 'FRAMEWORK must be one of express, koa, fastify, not "hapi".'],
    [{ PORT: 'x' }, 'PORT must be a whole number from 0 to 65535, not "x".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [
      { HOST: '0.0.0.0' },
      'HOST must be one of 127.0.0.1, ::1, localhost, not "0.0.0.0": everybody knows the secrets of this demo.',
    ],
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
      lifetimes: {},
    });
  });

  test.each([
    ['mongodb://x', /^STORE must be memory, sqlite:<file>, redis:\/\/… or postgres:\/\/…, not "mongodb:\/\/x"\.$/],
    ['sqlite:/dev/null/x.db', /^STORE: the file \/dev\/null\/x\.db cannot be opened: /],
    ['redis://127.0.0.1:1', /^STORE: Redis cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1$/],
    ['postgres://user@127.0.0.1:1/x', /^STORE: PostgreSQL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1$/],
  ])('STORE=%s', async (store, sentence) => {
    await expect(openStore(store)).rejects.toThrow(sentence);
    await expect(openStore(store)).rejects.toBeInstanceOf(Complaint);
  });

  test('a driver that is not installed', async () => {
    const name: string = 'a-driver-that-nobody-has';
    await expect(loadDriver(name, () => import(name))).rejects.toThrow(
      new Complaint(
        `This store needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
      ),
    );
  });

  test.each([
    [{ FRAMEWORK: 'hapi' }, 'FRAMEWORK must be'],
    [{ CODE_TTL: '601' }, 'options.lifetimes.authorizationCode must be'],
    [{ ISSUER: 'http://example.org' }, 'options.issuer must begin with https://'],
  ])('%j ends the program with this one sentence', async (environment, sentence) => {
    const demo = startExample(DEMO, [], { PORT: '0', STORE: 'memory', ...environment });
    expect(await demo.exit).toBe(1);
    expect(demo.output.slice(0, sentence.length)).toBe(sentence);
    expect(demo.output.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a port that is in use', async () => {
    const other = createServer().listen(await freePort(), '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const demo = startExample(DEMO, [], { PORT: String(port), STORE: 'memory' });
    expect(await demo.exit).toBe(1);
    expect(demo.output).toBe(`Port ${port} is in use. Take another one, for example: PORT=${port + 1} npm start\n`);
    other.close();
  });

  test('lifetimes and the issuer', async () => {
    const { demo, base } = await startDemo({ TOKEN_TTL: '77', DEVICE_TTL: '88', ISSUER: 'https://demo.example' });
    const client = new Client(base);
    const { json } = await client.post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic('service', 'service-secret'),
    );
    expect(json['expires_in']).toBe(77);
    expect((await client.post('/oauth/device', { client_id: 'tv' })).json['expires_in']).toBe(88);
    expect((await client.get('/.well-known/oauth-authorization-server')).json['issuer']).toBe('https://demo.example');
    await demo.stop();
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, and a store in a file keeps what it held', async (signal) => {
    const STORE = `sqlite:${join(folder, signal, 'demo.db')}`;
    const port = String(await freePort());
    const one = await startDemo({ STORE, PORT: port });
    const { json } = await new Client(one.base).post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic('service', 'service-secret'),
    );
    expect(await one.demo.stop(signal)).toBe(0);
    const two = await startDemo({ STORE, PORT: port, FRAMEWORK: 'koa' });
    expect((await new Client(two.base).get('/content', bearer(String(json['access_token'])))).status).toBe(200);
    await two.demo.stop();
  });
});
