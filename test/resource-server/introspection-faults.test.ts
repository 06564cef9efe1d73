import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { IntrospectionVerifierOptions } from '../../src/resource-server/introspection-options.js';
import { refusal } from '../oauth/support/tokens.js';
import { guardHosts, oneGuardHost, type ResourceServer } from './support/guard-hosts.js';
import { type Question, ScriptedServer, sendJson } from './support/scripted-server.js';

const START = Date.UTC(2026, 0, 1);
const CREDENTIALS = { client_id: 'api', client_secret: 'api-secret' };

let now = START;
const clock = () => now;
const advance = (seconds: number) => {
  now += seconds * 1000;
};

const active = (more: object = {}) => ({
  active: true,
  sub: 'alice',
  client_id: 'web',
  scope: 'profile',
  exp: START / 1000 + 3600,
  iat: START / 1000,
  token_type: 'Bearer',
  ...more,
});

/** What the scripted server does at each path; a path without a script is a 404. */
let scripts: Record<
  string,
  (question: Question, response: ServerResponse) => object | undefined | Promise<object | undefined>
>;
let authorizationServer: ScriptedServer;
let site: ResourceServer | undefined;
const failures: unknown[] = [];
/** What the host was told about the last 503. */
let reasons: string[] = [];

beforeEach(async () => {
  now = START;
  scripts = {
    '/introspect': () => active({ iss: authorizationServer.origin }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: authorizationServer.origin,
      introspection_endpoint: `${authorizationServer.origin}/introspect`,
      token_endpoint: `${authorizationServer.origin}/token`,
    }),
  };
  authorizationServer = await new ScriptedServer(
    (question, response) =>
      scripts[question.path]?.(question, response) ??
      (scripts[question.path] === undefined ? sendJson(response, 404, {}) : undefined),
  ).start();
});
afterEach(async () => {
  site?.close();
  await authorizationServer.stop();
  expect(failures.splice(0)).toEqual([]);
});

const start = async (
  options: Partial<IntrospectionVerifierOptions> = {},
  host = oneGuardHost,
): Promise<ResourceServer> => {
  const where = options.endpoint === undefined ? { issuer: authorizationServer.origin } : {};
  const introspection = {
    credentials: CREDENTIALS,
    clock,
    timeout: 20_000, // A slow machine is not what is tested.
    onError: (error: unknown) => failures.push(error),
    ...where,
    ...options,
  };
  site = await host.start({ introspection });
  return site;
};

const expectUnavailable = async (asked: ReturnType<ResourceServer['get']>, name = '') => {
  const answer = await asked;
  expect([name, answer.status, answer.headers['retry-after'], answer.json['error']]).toEqual([
    name,
    503,
    '5',
    'temporarily_unavailable',
  ]);
  reasons = failures.splice(0).map(String);
  expect(reasons).not.toEqual([]);
};

describe.each(guardHosts)('requests of $name', (host) => {
  test('#109 500 requests with one token cause one introspection', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    scripts['/introspect'] = async () => (await held, active());
    const server = await start({}, host);
    const answers = Array.from({ length: 500 }, () => server.get('profile', 'one'));
    while (server.requests < 500 || authorizationServer.asked('/introspect') === 0)
      await new Promise((resolve) => setImmediate(resolve));
    release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([new Set(statuses), statuses.length]).toEqual([new Set([200]), 500]);
    expect(authorizationServer.asked('/introspect')).toBe(1);
    expect(authorizationServer.asked('/.well-known/oauth-authorization-server')).toBe(1);
    const [, question] = authorizationServer.questions;
    expect([question?.method, Object.fromEntries(question?.form ?? [])]).toEqual([
      'POST',
      { token: 'one', token_type_hint: 'access_token' },
    ]);
  });

  test('#109 each response is cached for ten seconds, inactive ones too, and scopes are checked per route', async () => {
    scripts['/introspect'] = ({ form }) => (form.get('token') === 'dead' ? { active: false } : active());
    const server = await start({}, host);
    const statuses = async () => {
      const answers = await Promise.all([
        server.get('profile', 'one'),
        server.get('write', 'one'),
        server.get('photos', 'one'),
        server.get('open', 'dead'),
      ]);
      return answers.map(({ status }) => status);
    };
    for (const [seconds, asked] of [
      [0, 2],
      [9, 2],
      [1, 4],
      [9, 4],
    ] as const) {
      advance(seconds);
      expect([await statuses(), authorizationServer.asked('/introspect')]).toEqual([[200, 403, 401, 401], asked]);
    }
  });
});

describe('the cache', () => {
  test('#109 cacheSeconds 0 introspects for every request, 30 is the maximum', async () => {
    const server = await start({ cacheSeconds: 0 });
    await Promise.all(Array.from({ length: 5 }, () => server.get('open', 'one')));
    expect(authorizationServer.asked('/introspect')).toBe(5);
    site?.close();
    const lazy = await start({ cacheSeconds: 30 });
    await lazy.get('open', 'one');
    advance(29);
    await lazy.get('open', 'one');
    expect(authorizationServer.asked('/introspect')).toBe(6);
    advance(1);
    await lazy.get('open', 'one');
    expect(authorizationServer.asked('/introspect')).toBe(7);
  });

  test('#109 the limit counts from the request, not from a late response', async () => {
    scripts['/introspect'] = () => (advance(8), active());
    const server = await start();
    await server.get('open', 'one');
    advance(1);
    await server.get('open', 'one');
    expect(authorizationServer.asked('/introspect')).toBe(1);
    advance(1);
    await server.get('open', 'one');
    expect(authorizationServer.asked('/introspect')).toBe(2);
  });

  test('#109 a response without exp is cached no longer than others', async () => {
    scripts['/introspect'] = () => active({ exp: undefined, iat: undefined, sub: undefined });
    const server = await start();
    const { auth } = (await server.get('open', 'one')).json;
    expect(auth).toMatchObject({ sub: 'client:web', exp: START / 1000 + 10, iat: START / 1000 });
    advance(10);
    expect((await server.get('open', 'one')).status).toBe(200);
    expect(authorizationServer.asked('/introspect')).toBe(2);
  });

  test('#109 it is bounded: with one entry, an earlier token is introspected again', async () => {
    const server = await start({ cacheSize: 1 });
    for (const token of ['one', 'two', 'one', 'one']) await server.get('open', token);
    expect(authorizationServer.asked('/introspect')).toBe(3);
  });

  test('#109 invented tokens displace no active one, and are cached themselves', async () => {
    scripts['/introspect'] = ({ form }) =>
      form.get('token')?.startsWith('made-up') === true
        ? { active: false }
        : active({ iss: authorizationServer.origin });
    const server = await start({ cacheSize: 20 });
    await server.get('open', 'good');
    for (let n = 0; n < 60; n += 1) await server.get('open', `made-up-${n}`);
    expect([(await server.get('open', 'good')).status, (await server.get('open', 'made-up-59')).status]).toEqual([
      200, 401,
    ]);
    expect(authorizationServer.asked('/introspect')).toBe(61);
  });

  test('#109 failures are not cached', async () => {
    const genuine = scripts['/introspect'];
    scripts['/introspect'] = (_question, response) => sendJson(response, 500, {});
    const server = await start();
    await expectUnavailable(server.get('open', 'one'));
    if (genuine !== undefined) scripts['/introspect'] = genuine;
    expect((await server.get('open', 'one')).status).toBe(200);
  });

  test('#104 text that cannot be a token is rejected without introspection (RFC 6750 §2.1)', async () => {
    const server = await start();
    for (const text of ['a b', '{"a":1}', 'a"b', 'a,b', '=', 'a=b', 'ü', '%41', "'"]) {
      expect(refusal(await server.getWith(`Bearer ${Buffer.from(text).toString('latin1')}`))).toEqual([
        401,
        'invalid_token',
      ]);
    }
    expect(authorizationServer.questions).toEqual([]);
    expect((await server.getWith('Bearer aA0-._~+/==')).status).toBe(200);
  });
});

describe('an authorization server with wrong responses or failures', () => {
  const raw =
    (status: number, type: string | undefined, body: string, headers: Readonly<Record<string, string>> = {}) =>
    (_question: Question, response: ServerResponse): undefined => {
      response.writeHead(status, { ...(type === undefined ? {} : { 'content-type': type }), ...headers }).end(body);
      return undefined;
    };
  const good = JSON.stringify(active());

  test.each<readonly [string, (question: Question, response: ServerResponse) => object | undefined]>([
    ['answers 500', raw(500, 'application/json', good)],
    ['answers 404', raw(404, 'application/json', good)],
    ['answers 403', raw(403, 'application/json', good)],
    ['answers 429', raw(429, 'application/json', good)],
    ['answers 201', raw(201, 'application/json', good)],
    ['answers 204', raw(204, undefined, '')],
    ['answers HTML', raw(200, 'text/html', '<p>Hello')],
    ['calls JSON HTML', raw(200, 'text/html', good)],
    ['says no type', raw(200, undefined, good)],
    ['answers broken JSON', raw(200, 'application/json', `${good.slice(0, -1)},`)],
    ['answers nothing', raw(200, 'application/json', '')],
    ['answers null', raw(200, 'application/json', 'null')],
    ['answers an array', raw(200, 'application/json', `[${good}]`)],
    ['answers true', raw(200, 'application/json', 'true')],
    ['answers too much', raw(200, 'application/json', good + ' '.repeat(65_536))],
    ['answers {}', () => ({})],
    ['says active as text', () => active({ active: 'true' })],
    ['says active as number', () => active({ active: 1 })],
    ['says active as null', () => active({ active: null })],
    ['says active and nothing else', () => ({ active: true })],
    ['leaves the client out', () => active({ client_id: undefined })],
    ['has a client that is no text', () => active({ client_id: 7 })],
    ['has an owner that is no text', () => active({ sub: 7 })],
    ['has scopes as an array', () => active({ scope: ['profile'] })],
    ['has exp as text', () => active({ exp: '9999999999' })],
    ['has exp as null', () => active({ exp: null })],
    ['has iss as an array', () => active({ iss: [] })],
    ['hangs up', (_question, response) => void response.destroy()],
    [
      'hangs up in the middle',
      (_question, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' })
          .write(good, () => response.destroy()),
    ],
    ['never answers', () => undefined],
    [
      'never ends',
      (_question, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write(good),
    ],
  ])('#109 %s: 503 and never a pass, and it recovers by itself', async (name, script) => {
    const genuine = scripts['/introspect'];
    const deadline = new AbortController();
    // Time runs out when the request has arrived, and for no other request.
    const timer = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    scripts['/introspect'] = (...asked) => {
      if (name.startsWith('never')) setImmediate(() => deadline.abort());
      return script(...asked);
    };
    const server = await start();
    await expectUnavailable(server.get('open', 'one'), name);
    expect(timer).toHaveBeenLastCalledWith(20_000);
    timer.mockRestore();
    if (genuine !== undefined) scripts['/introspect'] = genuine;
    expect((await server.get('open', 'one')).status).toBe(200);
  });

  test.each([301, 302, 303, 307, 308])(
    '#109 a redirect with %i is not followed: the token is not sent elsewhere',
    async (status) => {
      const thief = await new ScriptedServer(() => active()).start();
      scripts['/introspect'] = raw(status, 'application/json', good, { location: `${thief.origin}/introspect` });
      const server = await start();
      await expectUnavailable(server.get('open', 'one'));
      expect(thief.questions).toEqual([]);
      await thief.stop();
    },
  );

  test.each<readonly [string, object | (() => object)]>([
    ['of another issuer', { iss: 'https://other.example' }],
    ['that is a refresh token', { token_type: undefined }],
    ['that is a refresh token by its type', { token_type: 'refresh_token' }],
    ['of another type', { token_type: 'N_A' }],
    ['that is bound by DPoP', { token_type: 'DPoP', cnf: { jkt: 'x' } }],
    ['that is bound to a certificate', { cnf: { 'x5t#S256': 'x' } }],
    ['that ended in the past', { exp: START / 1000 - 1 }],
    ['that ends at this very second', { exp: START / 1000 }],
    ['that is not active, whatever else is said', { active: false }],
    ['for another audience', { aud: 'https://other.example' }],
    ['without an audience', { aud: [] }],
    ['for something that is no text', { aud: { toString: 7 } }],
    ['for an audience in an array of its own', () => ({ aud: [[authorizationServer.origin]] })],
  ])('#104 a token %s is 401', async (_name, changes) => {
    scripts['/introspect'] = () => active(typeof changes === 'function' ? changes() : changes);
    const server = await start();
    expect(refusal(await server.get('open', 'one'))).toEqual([401, 'invalid_token']);
  });

  test('#104 a guard with only the endpoint requires iss in the response, and itself as audience', async () => {
    const endpoint = `${authorizationServer.origin}/introspect`;
    const cases = [
      [{}, 200],
      [{ iss: 'https://a.example' }, 200],
      [{ iss: 'https://a.example', aud: 'https://a.example' }, 200],
      [{ iss: 'https://a.example', aud: ['https://b.example', 'https://a.example'] }, 200],
      [{ iss: 'https://a.example', aud: 'https://b.example' }, 401],
      [{ aud: 'https://b.example' }, 401],
    ] as const;
    for (const [changes, status] of cases) {
      scripts['/introspect'] = () => active(changes);
      const server = await start({ endpoint });
      expect([changes, (await server.get('open', 'one')).status]).toEqual([changes, status]);
    }
  });

  test('#109 unreachable: 503 with Retry-After; reachable again: 200', async () => {
    const server = await start();
    await authorizationServer.stop();
    await expectUnavailable(server.get('open', 'one'));
    await authorizationServer.start();
    expect((await server.get('open', 'one')).status).toBe(200);
    await authorizationServer.stop();
    // What was said a moment ago still holds, and nothing else is known.
    expect((await server.get('open', 'one')).status).toBe(200);
    await expectUnavailable(server.get('open', 'two'));
    advance(10);
    await expectUnavailable(server.get('open', 'one'));
    await authorizationServer.start();
    expect((await server.get('open', 'one')).status).toBe(200);
  });
});

describe('discovery', () => {
  const METADATA = '/.well-known/oauth-authorization-server';

  test('#109 an issuer with a path has its metadata after the well-known path (RFC 8414 §3.1)', async () => {
    const issuer = `${authorizationServer.origin}/a/b`;
    scripts[`${METADATA}/a/b`] = () => ({ issuer, introspection_endpoint: `${authorizationServer.origin}/introspect` });
    scripts['/introspect'] = () => active({ iss: issuer });
    const server = await start({ issuer });
    expect((await server.get('open', 'one')).status).toBe(200);
    expect(authorizationServer.questions.map(({ path }) => path)).toEqual([`${METADATA}/a/b`, '/introspect']);
  });

  test('#109 a server with only OpenID metadata is found', async () => {
    const issuer = `${authorizationServer.origin}/realm`;
    scripts['/realm/.well-known/openid-configuration'] = () => ({
      issuer,
      introspection_endpoint: `${authorizationServer.origin}/introspect`,
    });
    scripts['/introspect'] = () => active({ iss: issuer });
    expect((await (await start({ issuer })).get('open', 'one')).status).toBe(200);
  });

  test.each<readonly [string, (origin: string) => object]>([
    ['names another issuer', (origin) => ({ issuer: `${origin}/`, introspection_endpoint: `${origin}/introspect` })],
    ['names none', (origin) => ({ introspection_endpoint: `${origin}/introspect` })],
    ['has no introspection endpoint', (origin) => ({ issuer: origin })],
    ['has a relative one', (origin) => ({ issuer: origin, introspection_endpoint: '/introspect' })],
    [
      'has an endpoint over plain http',
      (origin) => ({ issuer: origin, introspection_endpoint: 'http://auth.example/introspect' }),
    ],
    ['has one of another kind', (origin) => ({ issuer: origin, introspection_endpoint: 'file:///etc/passwd' })],
  ])('#109 metadata that %s is invalid: 503, until it is correct', async (name, metadata) => {
    const genuine = scripts[METADATA];
    scripts[METADATA] = () => metadata(authorizationServer.origin);
    const server = await start();
    await expectUnavailable(server.get('open', 'one'), name);
    expect(reasons.join()).toMatch(
      /names (undefined|"\S+\/") as its issuer, not \S+\.$|has no usable introspection_endpoint/,
    );
    expect(authorizationServer.asked('/introspect')).toBe(0);
    if (genuine !== undefined) scripts[METADATA] = genuine;
    expect((await server.get('open', 'one')).status).toBe(200);
  });

  test('#109 an endpoint that has moved is discovered again after a failure', async () => {
    const server = await start();
    expect((await server.get('open', 'one')).status).toBe(200);
    const { origin } = authorizationServer;
    scripts['/moved'] = () => active();
    delete scripts['/introspect'];
    scripts[METADATA] = () => ({ issuer: origin, introspection_endpoint: `${origin}/moved` });
    await expectUnavailable(server.get('open', 'two'));
    expect((await server.get('open', 'two')).status).toBe(200);
    expect(authorizationServer.asked(METADATA)).toBe(2);
  });
});

describe('its own bearer token', () => {
  let serial: number;
  let valid: string;
  let given: object;

  beforeEach(() => {
    serial = 0;
    given = { expires_in: 100, scope: 'introspect' };
    scripts['/token'] = ({ form, headers }) => {
      expect([form.toString(), headers.authorization]).toEqual([
        'grant_type=client_credentials&scope=introspect',
        `Basic ${btoa('api:api-secret')}`,
      ]);
      serial += 1;
      valid = `bearer-${serial}`;
      return { access_token: valid, token_type: 'Bearer', ...given };
    };
    scripts['/introspect'] = ({ headers }, response) =>
      headers.authorization === `Bearer ${valid}` ? active() : sendJson(response, 401, { error: 'invalid_token' });
  });

  const startBearer = () => start({ credentials: { ...CREDENTIALS, method: 'bearer' } });
  const many = async (server: ResourceServer, prefix: string) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => server.get('open', `${prefix}-${n}`)));
    return new Set(answers.map(({ status }) => status));
  };

  test('#109 is requested once for many introspections, and renewed once before its expiry', async () => {
    const server = await startBearer();
    expect([await many(server, 'a'), serial]).toEqual([new Set([200]), 1]);
    advance(69);
    expect([await many(server, 'b'), serial]).toEqual([new Set([200]), 1]);
    advance(1);
    expect([await many(server, 'c'), serial]).toEqual([new Set([200]), 2]);
  });

  test('#109 is renewed once for all requests that were rejected with it', async () => {
    const server = await startBearer();
    await many(server, 'a');
    valid = 'revoked before its end';
    expect([await many(server, 'b'), serial]).toEqual([new Set([200]), 2]);
  });

  test('#109 that is rejected although it is new leads to 503', async () => {
    scripts['/introspect'] = (_question, response) => sendJson(response, 401, { error: 'invalid_token' });
    const server = await startBearer();
    await expectUnavailable(server.get('open', 'one'));
    expect([serial, authorizationServer.asked('/introspect')]).toEqual([2, 2]);
  });

  test.each<readonly [string, object | undefined]>([
    ['without the scope', { scope: 'profile' }],
    ['that is none', { access_token: undefined }],
    ['that is no text', { access_token: 7 }],
    ['that is refused', undefined],
  ])('#109 a token %s leads to 503, until there is a valid one', async (_name, answer) => {
    const genuine = scripts['/token'];
    scripts['/token'] = (_question, response) =>
      answer === undefined
        ? sendJson(response, 400, { error: 'invalid_scope' })
        : { access_token: 'x', token_type: 'Bearer', expires_in: 100, ...answer };
    const server = await startBearer();
    await expectUnavailable(server.get('open', 'one'));
    expect(authorizationServer.asked('/introspect')).toBe(0);
    if (genuine !== undefined) scripts['/token'] = genuine;
    expect((await server.get('open', 'one')).status).toBe(200);
  });

  test.each([
    [{}, 30],
    [{ expires_in: 40 }, 20],
    [{ expires_in: '100' }, 30],
  ] as const)('#109 with %o is renewed after %i seconds', async (more, seconds) => {
    given = more;
    const server = await startBearer();
    await server.get('open', 'one');
    advance(seconds - 1);
    await server.get('open', 'two');
    expect(serial).toBe(1);
    advance(1);
    await server.get('open', 'three');
    expect(serial).toBe(2);
  });
});

describe('connections', () => {
  test('stay open between requests, and are closed by close()', async () => {
    const server = await start();
    await server.get('open', 'one');
    const [socket] = authorizationServer.sockets;
    await server.get('open', 'two');
    expect([...authorizationServer.sockets]).toEqual([socket]);
    const closed = socket === undefined ? expect.fail('There is no connection.') : once(socket, 'close');
    server.closeGuard();
    await closed;
    expect((await server.get('open', 'three')).status).toBe(200);
  });

  test('to an https URL use TLS from the first byte on', async () => {
    const bytes: Buffer[] = [];
    const listener = createServer((socket) =>
      socket.on('error', () => undefined).once('data', (chunk) => (bytes.push(chunk), socket.destroy())),
    ).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo; // It listens on a port and not on a pipe.
    const server = await start({ endpoint: `https://127.0.0.1:${port}/introspect` });
    await expectUnavailable(server.get('open', 'one'));
    listener.close();
    const [hello] = bytes;
    expect([hello?.[0], hello?.includes('POST')]).toEqual([0x16, false]);
  });

  test('that are closed at the moment of a request are replaced, once for each', async () => {
    const server = await start();
    await server.get('open', 'one');
    const [stale] = authorizationServer.sockets;
    scripts['/introspect'] = (_question, response) => (response.socket === stale ? void response.destroy() : active());
    expect((await server.get('open', 'two')).status).toBe(200);
    scripts['/introspect'] = (_question, response) => void response.destroy();
    const before = authorizationServer.asked('/introspect');
    await expectUnavailable(server.get('open', 'three'));
    expect(authorizationServer.asked('/introspect')).toBe(before + 2);
  });
});
