import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { query } from '../../src/core/query/index.js';
import { openApi } from '../../src/openapi/index.js';
import { sandbox } from '../../src/sandbox/index.js';
import { everyTransport, type Host, sendRaw } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';

/** What node, a framework or the connection adds; everything else is ours. */
const NOT_OURS: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'x-powered-by']);

/** Bytes that are the same in each run, so that the same requests get the same codes and cookies. */
const sameBytes = (): ((size: number) => Uint8Array) => {
  let calls = 0;
  return (size) => {
    calls += 1;
    return createHash('shake256', { outputLength: size }).update(String(calls)).digest();
  };
};

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const SERVICE = `Authorization: Basic ${Buffer.from('service:service-secret').toString('base64')}`;
const WRONG = `Authorization: Basic ${Buffer.from('service:wrong').toString('base64')}`;
const API = `Authorization: Basic ${Buffer.from('api:api-secret').toString('base64')}`;
const GRANT = 'grant_type=client_credentials';

/** A request as it goes over the wire; `Host`, `Connection` and the length of the body come by themselves. */
interface Raw {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

const get = (target: string, ...headers: readonly string[]): Raw => ({ line: `GET ${target}`, headers });
const post = (target: string, body: string | Buffer, ...headers: readonly string[]): Raw => ({
  line: `POST ${target}`,
  headers: [FORM, ...headers],
  body,
});

const METADATA = '/.well-known/oauth-authorization-server';
const TOKEN = '/oauth/token';
const WEB = 'response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=x';

/** What is ours: the answer has to be the same to the byte. */
const REQUESTS: readonly Raw[] = [
  get(METADATA),
  get(`${METADATA}?a=%zz&&=`),
  get(METADATA, 'Origin: https://app.example'),
  ...['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'].map((method) => ({
    line: `${method} ${METADATA}`,
  })),
  post(METADATA, 'a=b'),
  post(TOKEN, GRANT, SERVICE),
  post(TOKEN, `${GRANT}&client_id=service&client_secret=service-secret&scope=highvolume`),
  post(TOKEN, GRANT, WRONG),
  post(TOKEN, GRANT, SERVICE, SERVICE),
  post(TOKEN, GRANT, 'Authorization: Bearer abc'),
  post(TOKEN, `${GRANT}&grant_type=x`, SERVICE),
  post(TOKEN, `${GRANT}&scope=%zz`, SERVICE),
  post(TOKEN, Buffer.from('grant_type=\xff', 'latin1'), SERVICE),
  post(TOKEN, '', SERVICE),
  post(TOKEN, 'x'.repeat(70_000), SERVICE),
  post(TOKEN, Array.from({ length: 101 }, (_, n) => `f${n}=`).join('&'), SERVICE),
  { line: `POST ${TOKEN}`, headers: [SERVICE], body: GRANT },
  ...[
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded; charset=latin1',
    'application/x-www-form-urlencoded;charset="UTF-8"',
    'nonsense',
  ].map((type) => ({ line: `POST ${TOKEN}`, headers: [`Content-Type: ${type}`, SERVICE], body: GRANT })),
  post(TOKEN, GRANT, 'Content-Encoding: gzip', SERVICE),
  { line: `POST ${TOKEN}`, headers: [FORM, SERVICE, 'Transfer-Encoding: chunked'], body: '5\r\ngrant\r\n0\r\n\r\n' },
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'QUERY'].map((method) => ({ line: `${method} ${TOKEN}` })),
  { line: `OPTIONS ${TOKEN}`, headers: ['Origin: https://app.example', 'Access-Control-Request-Method: POST'] },
  get(`http://op.example${METADATA}`),
  get('/oauth/authorize'),
  get('/oauth/authorize?client_id=nobody'),
  get('/oauth/authorize?client_id=web&client_id=web'),
  get('/oauth/authorize?response_type=code&client_id=web&scope=nonsense&state=%C3%A4'),
  get(`/oauth/authorize?${WEB}`),
  get(`/oauth/authorize?${WEB}`, 'Cookie: a=b; oauth_query_x=y'),
  { line: `HEAD /oauth/authorize?${WEB}` },
  post('/oauth/authorize', WEB),
  post('/oauth/authorize', 'resume=x&decision=approve'),
  get('/oauth/device?user_code=%3Cb%3E'),
  post('/oauth/device', 'client_id=tv'),
  post('/oauth/device/verify', 'user_code=x'),
  post('/oauth/introspect', 'token=x'),
  post('/oauth/introspect', 'token=x', API),
  post('/oauth/revoke', 'token=x', SERVICE),
  get('/api?action=query&meta=siteinfo&format=json&curtimestamp='),
  get('/api?action=query&meta=siteinfo&format=json', 'Authorization: Bearer x'),
  get('/api'),
  get('/api?action=paraminfo&modules=query&format=json'),
  post('/api', 'action=query&titles=%zz&format=json'),
  get('/api/openapi.json'),
  get('/api/openapi.json', 'If-None-Match: *'),
  { line: 'HEAD /api/openapi.json' },
  get('/guarded/profile'),
  get('/guarded/profile', 'Authorization: Bearer x'),
  get('/guarded/profile', 'Authorization: Bearer x', 'Authorization: Bearer y'),
  get('/guarded/profile?access_token=x', 'Authorization: Bearer x'),
  get('/guarded/profile', SERVICE),
];

/**
 * What is not ours, however much it looks like it: the host says that there is nothing. Paths with `.` or `..` are not
 * among them, because a `Request` has resolved them already.
 */
const OTHERS: readonly string[] = [
  '/oauth/%74oken',
  '/oauth/token/',
  '//oauth/token',
  '/OAuth/token',
  '/oauth/token;a=b',
  '/oauth%2Ftoken',
  'http://op.example?a=/oauth/token',
];

const bytesOf = ({ line, headers = [], body = '' }: Raw): Buffer => {
  const hasLength = body.length > 0 && !headers.some((header) => header.startsWith('Transfer-Encoding'));
  const head = [
    `${line} HTTP/1.1`,
    'Host: op.example',
    'Connection: close',
    // Fastify names its requests; elsewhere the name of one without would be drawn from the bytes that codes are made of.
    'X-Request-Id: same',
    ...headers,
    ...(hasLength ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
};

/** The status line, our headers by their names, and the body. */
const ours = (answer: string): readonly string[] => {
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines
    .map((line): readonly [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line])
    .filter(([name]) => !NOT_OURS.has(name))
    .map(([name, line]) => name + line.slice(name.length));
  return [status, ...headers.toSorted(), body.join('\r\n\r\n')];
};

const named = ({ line, headers = [], body = '' }: Raw): string =>
  [line, ...headers, body.length > 100 ? `${body.length} bytes` : String(body)].join(' | ');

const answersOf = async ({ start }: Host): Promise<Readonly<Record<string, unknown>>> => {
  const { options, errors } = fixture({
    issuer: 'https://op.example',
    runtime: { random: sameBytes() },
    cors: ['https://app.example'],
    features: [query({ site: { name: 'Fruit' } }), openApi(), sandbox()],
  });
  const running = await start({ options });
  const answers: Record<string, unknown> = {};
  for (const request of REQUESTS) answers[named(request)] = ours(await sendRaw(running.origin, bytesOf(request)));
  for (const path of OTHERS) answers[path] = ours(await sendRaw(running.origin, bytesOf(get(path))))[0];
  return { ...answers, errors: [...errors, ...running.errors] };
};

const hosts = everyTransport.filter(({ mount, framework }) => mount === 'bare' && framework !== 'node');
const plain = everyTransport.find(({ framework }) => framework === 'node') ?? expect.fail();

test('there are enough requests, without duplicates', () => {
  expect(new Set(REQUESTS.map(named)).size).toBe(REQUESTS.length);
  expect(REQUESTS.length).toBeGreaterThan(60);
});

let expected: Awaited<ReturnType<typeof answersOf>>;
beforeAll(async () => {
  expected = await answersOf(plain);
});

test.each(hosts)('$name gives byte for byte the same responses as node:http', async (host) => {
  expect(await answersOf(host)).toEqual(expected);
  expect(expected['errors']).toEqual([]);
  for (const path of OTHERS) expect(expected[path]).toBe('HTTP/1.1 404 Not Found');
});
