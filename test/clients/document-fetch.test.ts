import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { documentFetch } from '../../src/clients/documents/fetch-document.js';
import { freshSeconds } from '../../src/outbound/fetch-json.js';
import { isPublicAddress } from '../../src/outbound/public-address.js';
import { hostResolver, type Resolve } from '../../src/outbound/resolve-host.js';
import { everyRow } from '../rows.js';

const HOST = 'app.example.org';
const ADDRESS = `https://${HOST}/client.json`;
const DOCUMENT = { client_id: ADDRESS, client_name: 'App', redirect_uris: [`https://${HOST}/cb`] };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const sendJson: Handler = (_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(DOCUMENT));
};

let certificate: { readonly cert: string; readonly private: string };
let foreign: { readonly cert: string; readonly private: string };
beforeAll(async () => {
  const named = (name: string) =>
    generate([{ name: 'commonName', value: name }], {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
    });
  [certificate, foreign] = await Promise.all([named(HOST), named('other.example.org')]);
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Running {
  readonly port: number;
  readonly requests: IncomingMessage[];
  readonly sockets: Set<Socket>;
}

/** A server that speaks TLS on loopback. */
const serve = async (handler: Handler, { cert, private: key } = certificate, host = '127.0.0.1'): Promise<Running> => {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer({ cert, key }, (request, response) => {
    requests.push(request);
    handler(request, response);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, sockets }; // It listens on a port and not on a pipe.
};

/** The fetch of the product, with a name server and a port of ours. */
const fetchAt = (
  port: number,
  {
    resolve = (async () => ['127.0.0.1']) as Resolve,
    isAllowed = (_address: string): boolean => true,
    signal = AbortSignal.timeout(60_000),
    address = ADDRESS,
  } = {},
) => {
  const seconds: number[] = [];
  const fetch = documentFetch({ resolve, isAllowed, connection: { port, ca: [certificate.cert, foreign.cert] } });
  const answer = (async () => fetch(address, { signal, cacheFor: (given) => void seconds.push(given) }))();
  return answer.then((json) => ({ json, seconds }));
};

describe('M34: a document is fetched', () => {
  test('from its host, over TLS with its name, as uncompressed JSON', async () => {
    const { port, requests } = await serve(sendJson);
    expect((await fetchAt(port)).json).toEqual(DOCUMENT);
    expect(requests[0]?.headers).toMatchObject({
      host: HOST,
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    expect(requests[0]?.url).toBe('/client.json');
  });

  test('and the connection does not stay open', async () => {
    const { port, sockets } = await serve(sendJson);
    await fetchAt(port);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('with a query, which is part of the URL', async () => {
    const { port, requests } = await serve(sendJson);
    await fetchAt(port, { address: `${ADDRESS}?v=2` });
    expect(requests[0]?.url).toBe('/client.json?v=2');
  });

  test('if it is one of the types of JSON', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/cimd+json']) {
      const { port } = await serve((_request, response) => {
        response.setHeader('content-type', type);
        response.end('{"a":1}');
      });
      expect((await fetchAt(port)).json, type).toEqual({ a: 1 });
    }
  });

  test('M35: with its cache lifetime', async () => {
    const { port } = await serve((request, response) => {
      response.setHeader('cache-control', 'public, max-age=600');
      response.setHeader('age', '100');
      sendJson(request, response);
    });
    expect((await fetchAt(port)).seconds).toEqual([500]);
  });
});

describe('M34: a fetch is rejected', () => {
  const answering =
    (status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = '{}'): Handler =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body);
    };
  test.each<readonly [what: string, handler: Handler, message: string]>([
    ['404', answering(404, {}), 'status 404'],
    ['500', answering(500, {}), 'status 500'],
    ['201', answering(201, {}), 'status 201'],
    ['204', answering(204, {}, ''), 'status 204'],
    ['HTML', answering(200, { 'content-type': 'text/html' }, '<p>'), 'content type'],
    ['JavaScript', answering(200, { 'content-type': 'text/javascript+json' }), 'content type'],
    // The sentence repeats nothing of the document.
    ['no JSON', answering(200, {}, '{"a": hello\nlevel=info \u001b[2J'), 'It is not valid JSON.'],
    ['no UTF-8', answering(200, {}, Buffer.from([0x22, 0xff, 0x22])), 'encoded'],
    ['a compressed answer', answering(200, { 'content-encoding': 'gzip' }, gzipSync('{}')), 'compressed'],
    [
      'a decompression bomb',
      answering(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000, 0x20))),
      'compressed',
    ],
    ['65,537 bytes', answering(200, {}, `"${'a'.repeat(65_535)}"`), 'longer than 65536'],
    ['headers of 20 kB', answering(200, { 'x-long': 'a'.repeat(20_000) }), 'Header overflow'],
  ])('with %s', async (_what, handler, message) => {
    const { port } = await serve(handler);
    await expect(fetchAt(port)).rejects.toThrow(message);
    await expect(fetchAt(port)).rejects.not.toThrow(/level|[^\x20-\x7e]/);
  });

  test('but a document of 65,536 bytes is read', async () => {
    const { port } = await serve(answering(200, {}, `"${'a'.repeat(65_534)}"`));
    expect(String((await fetchAt(port)).json)).toHaveLength(65_534);
  });

  test('without following redirects, not even to the same server, to loopback or to cloud metadata', async () => {
    for (const location of ['/other.json', 'http://127.0.0.1/', 'http://169.254.169.254/latest/', ADDRESS]) {
      for (const status of [301, 302, 303, 307, 308]) {
        const { port, requests } = await serve(answering(status, { location }));
        await expect(fetchAt(port)).rejects.toThrow(`redirects (${status})`);
        expect(requests).toHaveLength(1);
      }
    }
  });

  test('if the certificate is for another name', async () => {
    const { port, requests } = await serve(sendJson, foreign);
    await expect(fetchAt(port)).rejects.toThrow(/altnames/);
    expect(requests).toEqual([]);
  });

  test('if the certificate is not trusted', async () => {
    const { port, requests } = await serve(sendJson);
    const fetch = documentFetch({ resolve: async () => ['127.0.0.1'], isAllowed: () => true, connection: { port } });
    const asked = (async () => fetch(ADDRESS, { signal: AbortSignal.timeout(60_000), cacheFor: () => undefined }))();
    await expect(asked).rejects.toThrow(/self-signed|self signed/);
    expect(requests).toEqual([]);
  });

  test('and an endless body is cut off at the size limit', async () => {
    let sent = 0;
    const { port, sockets } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(16_384))) sent += 16_384;
      };
      response.on('drain', more);
      more();
    });
    await expect(fetchAt(port)).rejects.toThrow('longer than 65536');
    await expect.poll(() => sockets.size).toBe(0);
    expect(sent).toBeLessThan(16 * 1_048_576);
  });

  test('and the body of another status is not read', async () => {
    const { port, sockets } = await serve((_request, response) => void response.writeHead(404).write('a'));
    await expect(fetchAt(port)).rejects.toThrow('status 404');
    await expect.poll(() => sockets.size).toBe(0);
  });

  test.each<readonly [what: string, handler: Handler]>([
    ['never answers', () => undefined],
    [
      'sends its body drop by drop',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
    [
      'sends informational answers for ever',
      (_request, response) => {
        const drip = setInterval(() => response.writeProcessing(), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('at the deadline, if the server %s', async (_what, handler) => {
    const { port, sockets } = await serve(handler);
    await expect(fetchAt(port, { signal: AbortSignal.timeout(300) })).rejects.toThrow(/aborted/);
    await expect.poll(() => sockets.size).toBe(0);
  });
});

describe('M34: the name of a host', () => {
  test('is resolved once, and the connection goes to the checked address', async () => {
    const { port, requests } = await serve(sendJson);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const isAllowed = (address: string) => address === '127.0.0.1';
    expect((await fetchAt(port, { resolve, isAllowed })).json).toEqual(DOCUMENT);
    expect([asked, requests.length]).toEqual([1, 1]);
  });

  test('is rejected without a connection if one of its addresses is special', async () => {
    const { port, sockets, requests } = await serve(sendJson);
    for (const special of ['10.0.0.1', '169.254.169.254', '::1', 'fe80::1%eth0'])
      await expect(
        fetchAt(port, { resolve: async () => ['93.184.216.34', special], isAllowed: isPublicAddress }),
      ).rejects.toThrow(`${special}, which is not a public address`);
    expect([sockets.size, requests.length]).toEqual([0, 0]);
  });

  test('must by default have public addresses only', async () => {
    const { port, requests } = await serve(sendJson);
    const fetch = documentFetch({ resolve: async () => ['127.0.0.1'], connection: { port, ca: certificate.cert } });
    const asked = (async () => fetch(ADDRESS, { signal: AbortSignal.timeout(60_000), cacheFor: () => undefined }))();
    await expect(asked).rejects.toThrow('127.0.0.1, which is not a public address');
    expect(requests).toEqual([]);
  });

  test('may have a second address that responds if the first does not', async () => {
    const { port } = await serve(sendJson);
    expect((await fetchAt(port, { resolve: async () => ['127.0.0.9', '127.0.0.1'] })).json).toEqual(DOCUMENT);
  });

  test('must be a name: a URL with an IP address in any form is not fetched', async () => {
    let asked = 0;
    const resolve = async () => (asked++, ['127.0.0.1']);
    for (const address of ['http://app.example.org/c', 'https://127.0.0.1/c', 'https://app.example.org:444/c'])
      await expect(fetchAt(1, { resolve, address })).rejects.toThrow('The URL ');
    expect(asked).toBe(0);
  });

  describe('while the name server does not respond', () => {
    let server: string;
    const silent = createSocket('udp4');
    beforeAll(async () => {
      silent.bind(0, '127.0.0.1');
      await once(silent, 'listening');
      server = `127.0.0.1:${silent.address().port}`;
    });
    afterAll(() => void silent.close());

    test('no thread of the pool is blocked: files are read meanwhile, and the timeout applies', async () => {
      const resolve = hostResolver([server]);
      const deadline = new AbortController();
      const failures: string[] = [];
      const fetches = Array.from({ length: 50 }, () =>
        fetchAt(1, { resolve, signal: AbortSignal.any([deadline.signal]) }).catch((error: unknown) =>
          failures.push(String(error)),
        ),
      );
      await Promise.all(Array.from({ length: 20 }, () => readFile(import.meta.filename)));
      expect(failures).toEqual([]);
      deadline.abort();
      await Promise.all(fetches);
      expect(new Set(failures)).toEqual(new Set([`Error: The name servers have no address for ${HOST}.`]));
    });
  });
});

describe('M34: special-purpose addresses', () => {
  const listed = (text: string): readonly string[] => text.trim().split(/\s+/);

  test('private, reserved and malformed addresses are not public', () =>
    everyRow(
      [
        ...listed(`
          0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 169.254.169.254
          172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
          192.168.1.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255
          240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::127.0.0.1 ::7f00:1
          64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:10::1
          2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 2620:4f:8000::1 5f00::1
          fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::1111%eth0 4000::1 1fff::1
          localhost 2130706433 0x7f000001 0177.0.0.1 127.1 1.2.3.4.5 [2606:4700::1]
        `),
        '',
        '8.8.8.8 ',
      ],
      (address) => {
        expect(isPublicAddress(address)).toBe(false);
      },
    ));

  test('other addresses are public', () =>
    everyRow(
      listed(`
        1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
        169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 198.17.0.1 198.20.0.0
        223.255.255.255 2606:4700:4700::1111 2001:200::1 2001:4860:4860::8888 2a00:1450::1 2003::1 2000::1
        3ffe::1 2620:4f:8001::1
      `),
      (address) => {
        expect(isPublicAddress(address)).toBe(true);
      },
    ));
});

describe('M35: freshness of a response (RFC 9111 §4.2)', () => {
  test.each<readonly [cacheControl: string | undefined, age: string | undefined, seconds: number | undefined]>([
    [undefined, undefined, undefined],
    ['', '5', undefined],
    ['public', undefined, undefined],
    ['max-age=60', undefined, 60],
    ['MAX-AGE=60', undefined, 60],
    ['public , max-age="60" , immutable', undefined, 60],
    ['max-age=60', '20', 40],
    ['max-age=60', '90', 0],
    ['max-age=60', '-5', 60],
    ['max-age=60', 'x', 60],
    ['max-age=-1', undefined, undefined],
    ['max-age=1e9', undefined, undefined],
    ['max-age=99999999999', undefined, undefined],
    ['no-store, max-age=60', undefined, 0],
    ['no-cache="set-cookie"', undefined, 0],
    ['x-max-age=60', undefined, undefined],
  ])('%s with an age of %s', (cacheControl, age, seconds) => {
    expect(freshSeconds(cacheControl, age)).toBe(seconds);
  });
});
