import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fakeServer } from './fake-server.js';
import { type Answer, bearer, Client, everyTransport, type RunningHost, sendRaw } from '../hosts.js';

vi.mock('../../src/core/server/server.js', () => ({ createServer: fakeServer }));

/** What a framework or node adds to every answer. */
const OF_THE_FRAMEWORK = new Set(['date', 'connection', 'keep-alive', 'x-powered-by']);

/** Everything of an answer that is ours. */
const ours = ({ status, headers, text }: Answer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_FRAMEWORK.has(name))),
  text,
});

const JSON_TYPE = 'application/json; charset=utf-8';

describe.each(everyTransport)('$name', ({ start, mount, framework }) => {
  let host: RunningHost;
  let client: Client;
  let atRoot: Client;
  const complaints: unknown[] = [];
  const isPlain = framework === 'node' || framework === 'fetch';

  beforeAll(async () => {
    host = await start({
      options: { onError: (error) => complaints.push(error), owner: () => ({ sub: 'alice' }), loginUrl: '/login' },
      guarded: {
        one: { scope: 'profile content.read' },
        two: { scope: ['a', 'b c'], audience: 'https://api.example' },
        any: { scope: [] },
      },
    });
    client = new Client(host.base);
    atRoot = new Client(host.origin);
  });
  afterAll(() => host.close());

  /** Looks at it and forgets it, so that no test sees another's. */
  const takeComplaints = (): string[] => complaints.splice(0).map(String);

  describe('a response', () => {
    test.each([
      [
        '/created',
        201,
        { 'content-type': JSON_TYPE, 'cache-control': 'no-store', 'content-length': '12' },
        '{"ä":"€"}',
      ],
      ['/moved', 303, { location: 'https://app.example/cb?a=1&b=%C3%A4', 'content-length': '0' }, ''],
      ['/empty', 204, { 'access-control-allow-origin': '*' }, ''],
      [
        '/cookies',
        200,
        { 'content-type': 'text/html; charset=utf-8', 'set-cookie': ['a=1; Path=/', 'b=2'], 'content-length': '5' },
        '<p>é',
      ],
      ['/cookie', 200, { 'content-type': JSON_TYPE, 'set-cookie': ['c=3'], 'content-length': '2' }, '{}'],
      ['/too-large', 413, { 'content-type': JSON_TYPE, 'content-length': '2' }, '{}'],
      ['/busy', 503, { 'content-type': JSON_TYPE, 'retry-after': '5', 'content-length': '2' }, '{}'],
    ])('%s arrives as the core made it', async (path, status, headers, text) => {
      const expected = { status, headers, text };
      expect(ours(await client.get(path))).toEqual(expected);
      expect(ours(await client.post(path, 'a=b'))).toEqual(expected);
      // HEAD is GET without the body.
      expect(ours(await client.request(path, { method: 'HEAD' }))).toEqual({ ...expected, text: '' });
    });

    test('has the usual reason phrase', async () => {
      const prefix = host.base.slice(host.origin.length);
      const lines = await sendRaw(
        host.origin,
        `GET ${prefix}/too-large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(lines).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
    });
  });

  describe('a request', () => {
    test('every method that node knows reaches the route', async () => {
      for (const method of METHODS) {
        if (method === 'HEAD' || method === 'CONNECT') continue; // One without a body, the other for proxies only.
        const { status, json } = await client.request('/seen?a=1', { method });
        expect([method, status, json['method']]).toEqual([method, 200, method]);
      }
    });

    test('that names the whole address, as to a proxy, reaches the route (RFC 9112 §3.2.2)', async () => {
      const head = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const answer = await sendRaw(host.origin, `GET ${host.base}/seen?a=1 ${head}`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toContain('"query":"a=1"');
    });

    test('its query arrives raw', async () => {
      const { json } = await client.get('/seen?a=%2B+b&a=%zz&&c=?d');
      expect(json['query']).toBe('a=%2B+b&a=%zz&&c=?d');
      expect((await client.get('/seen')).json['query']).toBe('');
    });

    test('its headers arrive joined and one by one, and so does the address of the caller', async () => {
      const { json } = await client.get('/seen', { 'x-custom': ['1', '2'] });
      const repeated = framework === 'fetch' ? ['1, 2'] : ['1', '2']; // A Request has joined them already.
      expect(json).toMatchObject({ custom: '1, 2', repeated, ip: '127.0.0.1', native: 'object' });
    });

    test('its form arrives unread, or as the parser in front left it', async () => {
      const { json } = await client.post('/seen', 'a=1&a=2&b=x%20y');
      expect(json).toMatchObject(
        mount === 'parser' && framework !== 'fastify5' // Fastify's parsers are not in front, they belong to routes.
          ? { body: { fields: { a: ['1', '2'], b: 'x y' } } }
          : { body: 'a=1&a=2&b=x%20y' },
      );
    });

    test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense', '', 'a/b; =', '/'])(
      'a body of type %j arrives unread',
      async (type) => {
        for (const method of ['POST', 'PUT', 'DELETE']) {
          const { json } = await client.request('/seen', { method, headers: { 'content-type': type }, body: 'a=1' });
          expect(json).toMatchObject({ body: 'a=1' });
        }
      },
    );

    test('a body without a type, without a length, or over the limit of the host arrives unread', async () => {
      expect((await client.request('/seen', { method: 'POST', body: 'a=1' })).json).toMatchObject({
        body: 'a=1',
      });
      const chunked = await client.request('/seen', {
        method: 'POST',
        headers: { 'content-type': 'x/y', 'transfer-encoding': 'chunked' },
        body: 'abc',
      });
      expect(chunked.json).toMatchObject({ body: 'abc' });
      const large = await client.request('/seen', {
        method: 'POST',
        // Not every host reads the rest, so the connection cannot be used again.
        headers: { 'content-type': 'x/y', connection: 'close' },
        body: 'x'.repeat(3_000_000),
      });
      expect(large.json['body']).toMatch(/too large/);
    });

    test('a plus sign in a path is a plus sign, and paths match exactly', async () => {
      for (const path of ['/api/query+allpages', '/api/query%2Ballpages', '/api/query%2ballpages']) {
        expect((await client.get(`${path}?x=1`)).json).toMatchObject({ query: 'x=1' });
      }
      for (const path of [
        '/api/query allpages',
        '/api/queryallpages',
        '/api/queryyallpages',
        '/api/query+allpages/',
        '/API/query+allpages',
        '/seen/',
        '/seen/x',
        '/see%6e',
        '/%73een',
        '/api/query%252Ballpages',
      ]) {
        expect([path, (await client.get(path)).status]).toEqual([path, 404]);
        expect([path, (await client.post(path, 'a=b')).status]).toEqual([path, 404]);
      }
    });

    test('the host is asked with its own request who is signed in', async () => {
      expect((await client.get('/owner')).json).toEqual({ owner: { sub: 'alice' } });
    });

    test('well-known documents are at the root, also below a prefix', async () => {
      const answer = await atRoot.get('/.well-known/fake/auth');
      // Without a framework there is no other place to mount them.
      expect(answer.status).toBe(mount === 'prefix' || isPlain ? 200 : 404);
    });

    test('somebody who hangs up in the middle of a body breaks nothing', async () => {
      const prefix = host.base.slice(host.origin.length);
      const socket = connect(Number(new URL(host.origin).port), '127.0.0.1');
      await new Promise<void>((resolve) => {
        socket.write(
          `POST ${prefix}/seen HTTP/1.1\r\nHost: x\r\nContent-Type: x/y\r\nContent-Length: 100\r\n\r\nhalf`,
          () => resolve(),
        );
      });
      socket.destroy();
      expect((await client.get('/seen')).status).toBe(200);
      expect([takeComplaints(), host.errors]).toEqual([[], []]);
    });
  });

  describe('the guard', () => {
    test('puts what the token says on the request', async () => {
      const { status, json } = await atRoot.get('/guarded/one', bearer('good'));
      expect([status, json]).toEqual([200, { auth: expect.objectContaining({ sub: 'alice', token_type: 'Bearer' }) }]);
    });

    test('answers itself when there is none', async () => {
      expect(ours(await atRoot.get('/guarded/one'))).toEqual({
        status: 401,
        headers: { 'content-length': '37', 'content-type': JSON_TYPE, 'www-authenticate': 'Bearer realm="fake"' },
        text: '{"scopes":["profile","content.read"]}',
      });
    });

    test('asks for the scopes and the audience that it was told', async () => {
      expect((await atRoot.get('/guarded/two')).json).toEqual({
        scopes: ['a', 'b', 'c'],
        audience: ['https://api.example'],
      });
      expect((await atRoot.get('/guarded/any')).json).toEqual({ scopes: [] });
    });

    test('lets nobody pass when it breaks', async () => {
      const answer = await atRoot.get('/guarded/one', bearer('breaks'));
      expect([answer.status, answer.text]).toEqual([500, 'Internal Server Error']);
      expect(takeComplaints()).toEqual(['Error: a secret of ours']);
      expect(host.errors).toEqual([]);
    });
  });

  describe('what breaks in us', () => {
    test.each(['/rejects', '/throws'])('%s: the client sees nothing of it, the host hears of it once', async (path) => {
      expect(ours(await client.get(path))).toEqual({
        status: 500,
        headers: { 'cache-control': 'no-store', 'content-length': '21', 'content-type': 'text/plain; charset=utf-8' },
        text: 'Internal Server Error',
      });
      expect(takeComplaints()).toEqual(['Error: a secret of ours']);
      expect(host.errors).toEqual([]);
    });

    test('a header that cannot be sent', async () => {
      const answer = await client.get('/bad-header');
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain('secret');
      takeComplaints();
      expect(host.errors).toEqual([]);
    });
  });

  describe("the host's own", () => {
    test('form reaches its route through its parser', async () => {
      const { status, json } = await atRoot.post('/echo', 'a=1&b=x+y');
      expect([status, json]).toEqual([200, { body: { a: '1', b: 'x y' } }]);
    });

    test('JSON reaches its route through its parser', async () => {
      const { status, json } = await atRoot.request('/json', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"a":[1]}',
      });
      expect([status, json]).toEqual([200, { body: { a: [1] } }]);
    });

    test('404 stays its own', async () => {
      expect((await atRoot.get('/nothing')).status).toBe(404);
      expect((await client.get('/nothing')).status).toBe(404);
    });

    test('errors reach its error handler', async () => {
      const { status, json } = await atRoot.get('/broken');
      expect([status, json]).toEqual([500, { host: 'error' }]);
      expect(host.errors).toHaveLength(1);
      expect(takeComplaints()).toEqual([]);
    });
  });
});
