import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, basic, bearer, Client, hostFor, useHost } from '../../hosts.js';
import { Browser, formOf, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import {
  credentials,
  formOfRandom,
  fuzzedRequests,
  JSON_ENDPOINTS,
  PATHS,
  valueOf,
} from '../support/fuzzed-requests.js';
import { limitsOfSuite } from '../support/limits.js';

/** The same requests in every run; another seed finds other ones. */
const SEED = 20260101;

/** A status that is our fault, in any of the answers of one connection. */
const STATUS = /HTTP\/1\.1 (\d{3})/g;

/** Sends bytes, then nothing more. Everything that comes back; rejects when the server neither answers nor hangs up. */
const exchange = (origin: string, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.end(bytes));
    socket.setTimeout(60_000, () => {
      socket.destroy();
      reject(new Error('The server neither answered nor closed the connection.'));
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined); // The server may hang up before it has read everything.
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });

describe.each(hostFor(import.meta.url))('$name', ({ start, mount }) => {
  limitsOfSuite({ clientFailures: 1000, loginFailures: 1000, userCodeFailures: 100 });
  const { options, errors } = fixture({
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
    resources: ['https://one.example'],
    cors: ['https://spa.example'],
  });
  let prefix: string;
  let browser: Browser;
  const live: string[] = [];

  const host = useHost({ start }, { options });
  beforeAll(async () => {
    prefix = host.base.slice(host.origin.length);
    browser = new Browser(host);
    const client = new Client(host.base);
    const request = { client_id: 'web', response_type: 'code', scope: 'profile' };
    const consent = await browser.signIn(await browser.authorize(request));
    const code =
      responseOf(await browser.submit(await browser.authorize(request), { decision: 'approve' }))['code'] ?? '';
    const spare =
      responseOf(await browser.submit(await browser.authorize(request), { decision: 'approve' }))['code'] ?? '';
    const { json } = await client.post(
      '/oauth/token',
      { grant_type: 'authorization_code', code },
      basic('web', 'web-secret'),
    );
    const device = (await client.post('/oauth/device', 'client_id=tv')).json;
    const { resume = '', form_token = '' } = formOf(consent).fields;
    live.push(
      resume,
      form_token,
      code,
      spare,
      ...[json['access_token'], json['refresh_token'], device['device_code'], device['user_code']].map(String),
    );
    expect(live.filter((value) => value.length < 9)).toEqual([]);
  });

  let known = 0;

  /** A parser of the host may refuse a form before we see it; what is answered then is for the host to say. */
  const isOfHost = (): boolean => {
    const fresh = host.errors.slice(known);
    known = host.errors.length;
    if (mount !== 'parser') expect(fresh).toEqual([]);
    return fresh.length > 0;
  };

  const expectGood = (path: string, verb: string, { status, headers, text, rawHeaders }: Answer): void => {
    expect(errors).toEqual([]);
    if (isOfHost()) return;
    expect(status).toBeLessThan(500);
    expect(rawHeaders.join('')).toMatch(/^[\x20-\x7e]*$/);
    if (!JSON_ENDPOINTS.includes(path) || verb === 'HEAD' || status === 204) return;
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toBeTypeOf('object');
    if (status === 200) expect(verb).toBe('POST');
  };

  // First, while everything that was handed out is still good.
  test('no request passes a guard by accident', async () => {
    const client = new Client(host.origin);
    const [, , , , access = ''] = live;
    const others = live.filter((value) => value !== access);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...others).map((value) => `Bearer ${value}`),
          credentials(others),
          valueOf(others).map((value) => `Bearer ${value.replace(/[^\x20-\x7e]/g, '')}`),
        ),
        fc.constantFrom('', `?access_token=${access}`),
        async (authorization, query) => {
          const { status } = await client.get(
            `/guarded/profile${query}`,
            authorization === undefined ? {} : { authorization },
          );
          expect([400, 401]).toContain(status);
        },
      ),
      { seed: SEED, numRuns: 100 },
    );
    // What was refused was refused for what it is: the right one still passes.
    expect((await client.get('/guarded/profile', bearer(access))).status).toBe(200);
    expect(errors).toEqual([]);
  });

  test('answers every form with less than 500, and programs with JSON', async () => {
    const cookies = browser.cookie;
    const cookie = fc.constantFrom(
      undefined,
      cookies,
      cookies,
      `${cookies.slice(0, -9)}AAAAAAAAA`,
      'x',
      ';;;',
      `${[...browser.cookies.keys()].join()}=; a`,
    );
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fuzzedRequests(live, cookie), async ({ method: verb, path, address, headers, body }) => {
        const answer = await new Client(host.base).request(address, { method: verb, headers, body });
        seen.add(answer.status);
        expectGood(path, verb, answer);
      }),
      { seed: SEED, numRuns: 250 },
    );
    // It got further than the first check.
    for (const status of [200, 400, 401]) expect(seen).toContain(status);
  });

  test('answers or closes the connection for every byte sequence', async () => {
    const FORM = 'Content-Type: application/x-www-form-urlencoded';
    const SERVICE = 'Authorization: Basic c2VydmljZTpzZXJ2aWNlLXNlY3JldA==';
    const usual = fc.constantFrom<readonly string[]>([FORM, SERVICE], [FORM, SERVICE], [FORM], []);
    const good = fc.constantFrom(
      'Cookie: a=b',
      'Origin: https://spa.example',
      'Accept: */*',
      'X-Forwarded-For: x',
      FORM,
      SERVICE,
    );
    const bad = fc.constantFrom(
      'Content-Type: application/x-www-form-urlencoded, text/plain',
      'Content-Type:',
      'Authorization: Basic x',
      'authorization:',
      'Authorization: Bearer x',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Content-Encoding: gzip',
      'Content-Encoding: br',
      'Content-Length: 5',
      'Content-Length: 0',
      'Content-Length: 100000000000',
      'Expect: 100-continue',
      'Host: y',
      `Cookie: ${'a=b; '.repeat(500)}`,
      'Origin: null',
      'Upgrade: websocket',
      'Connection: upgrade',
      'X\u00e9: \u00e9',
    );
    const line = fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: bad });
    const mostly = (usual: string, ...others: readonly string[]) =>
      fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
    const start = fc
      .tuple(
        mostly('POST', 'GET', 'HEAD', 'OPTIONS', 'BREW', 'post', ''),
        fc.constantFrom(...PATHS),
        mostly(
          '',
          '?a=%zz',
          '?%00',
          '?a=\u0000',
          '?#',
          '?access_token=x&access_token=y',
          '?resume=x',
          '%2e',
          '/..',
          '/%ff',
          ' x',
        ),
        mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
      )
      .map(([verb, path, tail, version]) => `${verb} ${prefix}${path}${tail} ${version}`);
    const body = fc.oneof(
      fc.constantFrom(
        'grant_type=client_credentials&token=x',
        'grant_type=client_credentials&token=x&client_id=service',
      ),
      formOfRandom(live),
    );
    const length = mostly('right', 'too long', 'too short', 'none', 'chunked', 'chunked and cut');
    const arbitrary = fc.record({
      start,
      lines: fc.tuple(usual, fc.array(line, { maxLength: 2 })).map((both) => both.flat()),
      end: mostly('\r\n', '\n'),
      body,
      length,
      twice: fc.boolean(),
    });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ start: first, lines, end, body: form, length: how, twice }) => {
        const bytes = Buffer.from(form);
        const chunked = how.startsWith('chunked');
        const sizes: Readonly<Record<string, number>> = {
          right: bytes.length,
          'too long': bytes.length + 10,
          'too short': Math.max(0, bytes.length - 1),
        };
        const size = sizes[how];
        const head = [
          first,
          'Host: x',
          ...lines,
          ...(size === undefined ? [] : [`Content-Length: ${size}`]),
          ...(chunked ? ['Transfer-Encoding: chunked'] : []),
          'Connection: close',
          '',
          '',
        ].join(end);
        const framed = chunked
          ? Buffer.concat([
              Buffer.from(`${bytes.length.toString(16)}\r\n`),
              bytes,
              Buffer.from(how === 'chunked' ? '\r\n0\r\n\r\n' : '\r\n'),
            ])
          : bytes;
        const message = Buffer.concat([Buffer.from(head, 'latin1'), framed]);
        const text = await exchange(host.origin, twice ? Buffer.concat([message, message]) : message);
        expect(errors).toEqual([]);
        if (isOfHost()) return;
        expect(
          [...text.matchAll(STATUS)].map(([, status]) => Number(status)).filter((status) => status >= 500),
        ).toEqual([]);
        expect(text === '' || text.startsWith('HTTP/1.1 ')).toBe(true);
        for (const [, status = ''] of text.matchAll(STATUS)) seen.add(status);
      }),
      { seed: SEED, numRuns: 120 },
    );
    for (const status of ['200', '400', '401', '405']) expect(seen).toContain(status);
  });

  test('still works afterwards', async () => {
    const client = new Client(host.base);
    expect(
      (await client.post('/oauth/token', 'grant_type=client_credentials', basic('service', 'service-secret'))).status,
    ).toBe(200);
    expect((await client.get('/.well-known/oauth-authorization-server')).json['issuer']).toBe(host.base);
    expect(errors).toEqual([]);
  });
});
