import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, bearer, Client, everyTransport, type Host, sendRaw } from '../hosts.js';
import { everyRow } from '../rows.js';

vi.mock('../../src/core/server/server.js', async () => ({
  createServer: (await import('./fake-server.js')).fakeServer,
}));

/** Headers that a framework or node adds to every answer. */
const OF_THE_FRAMEWORK = new Set(['date', 'connection', 'keep-alive', 'x-powered-by']);

/** The part of an answer that comes from the core. */
const ours = ({ status, headers, text }: Answer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_FRAMEWORK.has(name))),
  text,
});

const JSON_TYPE = 'application/json; charset=utf-8';

const HOSTS = everyTransport;

const startPlace = async ({ name, start, mount, framework }: Host) => {
  const complaints: unknown[] = [];
  const host = await start({
    options: { onError: (error) => complaints.push(error), owner: () => ({ sub: 'alice' }), loginUrl: '/login' },
    guarded: {
      one: { scope: 'profile content.read' },
      two: { scope: ['a', 'b c'], audience: 'https://api.example' },
      any: { scope: [] },
    },
  });
  return {
    [inspect.custom]: () => name,
    mount,
    framework,
    isPlain: framework === 'node' || framework === 'fetch',
    host,
    client: new Client(host.base),
    atRoot: new Client(host.origin),
    /** Returns and clears what reached `onError`, so that no test sees another's. */
    takeComplaints: (): string[] => complaints.splice(0).map(String),
  };
};

type Place = Awaited<ReturnType<typeof startPlace>>;
let places: readonly Place[];
beforeAll(async () => {
  places = await Promise.all(HOSTS.map(startPlace));
});
afterAll(async () => {
  await Promise.all(places.map(({ host }) => host.close()));
});

/** One test of a rule on every host. */
const everywhere = (check: (place: Place) => unknown) => () => everyRow(places, check);

describe('on every host', () => {
  describe('a response', () => {
    const RESPONSES = [
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
    ] as const;
    test(
      'is sent as the core made it, and to HEAD without its body',
      everywhere(({ client }) =>
        everyRow(RESPONSES, async ([path, status, headers, text]) => {
          const expected = { status, headers, text };
          expect(ours(await client.get(path))).toEqual(expected);
          expect(ours(await client.post(path, 'a=b'))).toEqual(expected);
          expect(ours(await client.request(path, { method: 'HEAD' }))).toEqual({ ...expected, text: '' });
        }),
      ),
    );

    test(
      'has the usual reason phrase',
      everywhere(async ({ host }) => {
        const prefix = host.base.slice(host.origin.length);
        const lines = await sendRaw(
          host.origin,
          `GET ${prefix}/too-large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        expect(lines).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
      }),
    );
  });

  describe('a request', () => {
    test(
      'of every method that node knows reaches the route',
      everywhere(async ({ client }) => {
        for (const method of METHODS) {
          if (method === 'HEAD' || method === 'CONNECT') continue; // One without a body, the other for proxies only.
          const { status, json } = await client.request('/seen?a=1', { method });
          expect([method, status, json['method']]).toEqual([method, 200, method]);
        }
      }),
    );

    test(
      'with a complete URL, as sent to proxies, reaches the route (RFC 9112 §3.2.2)',
      everywhere(async ({ host }) => {
        const head = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        const answer = await sendRaw(host.origin, `GET ${host.base}/seen?a=1 ${head}`);
        expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
        expect(answer).toContain('"query":"a=1"');
      }),
    );

    test(
      'has its query undecoded',
      everywhere(async ({ client }) => {
        const { json } = await client.get('/seen?a=%2B+b&a=%zz&&c=?d');
        expect(json['query']).toBe('a=%2B+b&a=%zz&&c=?d');
        expect((await client.get('/seen')).json['query']).toBe('');
      }),
    );

    test(
      'has its headers, joined and one by one, and the address of the caller',
      everywhere(async ({ framework, client }) => {
        const { json } = await client.get('/seen', { 'x-custom': ['1', '2'] });
        const repeated = framework === 'fetch' ? [] : ['1', '2']; // Of a Request, only Authorization is read one by one.
        expect(json).toMatchObject({ custom: '1, 2', repeated, ip: '127.0.0.1', native: 'object' });
      }),
    );

    test(
      'has its form unread, or as the parser in front left it',
      everywhere(async ({ mount, framework, client }) => {
        const { json } = await client.post('/seen', 'a=1&a=2&b=x%20y');
        expect(json).toMatchObject(
          mount === 'parser' && framework !== 'fastify5' // Fastify's parsers are not in front, they belong to routes.
            ? { body: { fields: { a: ['1', '2'], b: 'x y' } } }
            : { body: 'a=1&a=2&b=x%20y' },
        );
      }),
    );

    test(
      'has a body of any other type unread',
      everywhere(({ client }) => {
        const types = [
          'text/plain',
          'application/xml',
          'multipart/form-data; boundary=x',
          'nonsense',
          '',
          'a/b; =',
          '/',
        ];
        return everyRow(types, async (type) => {
          for (const method of ['POST', 'PUT', 'DELETE']) {
            const { json } = await client.request('/seen', { method, headers: { 'content-type': type }, body: 'a=1' });
            expect(json).toMatchObject({ body: 'a=1' });
          }
        });
      }),
    );

    test(
      'has a body without a type, without a length, or over the limit of the host unread',
      everywhere(async ({ client }) => {
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
      }),
    );

    test(
      'reaches a route by its exact path only, in which a plus sign may be encoded',
      everywhere(async ({ client }) => {
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
      }),
    );

    test(
      'passes the request of the framework to options.owner',
      everywhere(async ({ client }) => {
        expect((await client.get('/owner')).json).toEqual({ owner: { sub: 'alice' } });
      }),
    );

    test(
      'reaches the well-known documents at the root of the host, also if mounted below a prefix',
      everywhere(async ({ mount, atRoot, isPlain }) => {
        const answer = await atRoot.get('/.well-known/fake/auth');
        // Without a framework there is no other place to mount them.
        expect(answer.status).toBe(mount === 'prefix' || isPlain ? 200 : 404);
      }),
    );

    test(
      'that ends in the middle of its body causes no error',
      everywhere(async ({ host, client, takeComplaints }) => {
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
      }),
    );
  });

  describe('the guard', () => {
    test(
      'puts the contents of the token on the request',
      everywhere(async ({ atRoot }) => {
        const { status, json } = await atRoot.get('/guarded/one', bearer('good'));
        expect([status, json]).toEqual([
          200,
          { auth: expect.objectContaining({ sub: 'alice', token_type: 'Bearer' }) },
        ]);
      }),
    );

    test(
      'answers a request without a token itself',
      everywhere(async ({ atRoot }) => {
        expect(ours(await atRoot.get('/guarded/one'))).toEqual({
          status: 401,
          headers: { 'content-length': '37', 'content-type': JSON_TYPE, 'www-authenticate': 'Bearer realm="fake"' },
          text: '{"scopes":["profile","content.read"]}',
        });
      }),
    );

    test(
      'requires the scopes and the audience of its options',
      everywhere(async ({ atRoot }) => {
        expect((await atRoot.get('/guarded/two')).json).toEqual({
          scopes: ['a', 'b', 'c'],
          audience: ['https://api.example'],
        });
        expect((await atRoot.get('/guarded/any')).json).toEqual({ scopes: [] });
      }),
    );

    test(
      'answers 500 if it fails',
      everywhere(async ({ host, atRoot, takeComplaints }) => {
        const answer = await atRoot.get('/guarded/one', bearer('breaks'));
        expect([answer.status, answer.text]).toEqual([500, 'Internal Server Error']);
        expect(takeComplaints()).toEqual(['Error: a secret of ours']);
        expect(host.errors).toEqual([]);
      }),
    );
  });

  describe('a failure of ours', () => {
    test(
      'is a 500 without details for the client, and reaches onError once',
      everywhere(({ host, client, takeComplaints }) =>
        everyRow(['/rejects', '/throws'], async (path) => {
          expect(ours(await client.get(path))).toEqual({
            status: 500,
            headers: {
              'cache-control': 'no-store',
              'content-length': '21',
              'content-type': 'text/plain; charset=utf-8',
            },
            text: 'Internal Server Error',
          });
          expect(takeComplaints()).toEqual(['Error: a secret of ours']);
          expect(host.errors).toEqual([]);
        }),
      ),
    );

    test(
      'may be a header that cannot be sent',
      everywhere(async ({ host, client, takeComplaints }) => {
        const answer = await client.get('/bad-header');
        expect(answer.status).toBe(500);
        expect(answer.text).not.toContain('secret');
        takeComplaints();
        expect(host.errors).toEqual([]);
      }),
    );
  });

  describe('a route of the host', () => {
    test(
      'receives forms and JSON through the parsers of the host',
      everywhere(async ({ atRoot }) => {
        const form = await atRoot.post('/echo', 'a=1&b=x+y');
        expect([form.status, form.json]).toEqual([200, { body: { a: '1', b: 'x y' } }]);
        const { status, json } = await atRoot.request('/json', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"a":[1]}',
        });
        expect([status, json]).toEqual([200, { body: { a: [1] } }]);
      }),
    );

    test(
      'that does not exist is 404',
      everywhere(async ({ client, atRoot }) => {
        expect((await atRoot.get('/nothing')).status).toBe(404);
        expect((await client.get('/nothing')).status).toBe(404);
      }),
    );

    test(
      'throws to the error handler of the host',
      everywhere(async ({ host, atRoot, takeComplaints }) => {
        const { status, json } = await atRoot.get('/broken');
        expect([status, json]).toEqual([500, { host: 'error' }]);
        expect(host.errors).toHaveLength(1);
        expect(takeComplaints()).toEqual([]);
      }),
    );
  });
});
