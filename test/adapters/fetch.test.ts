import { describe, expect, test } from 'vitest';
import { oauthQuery, remoteGuard } from '../../src/adapters/fetch/index.js';
import { toResponse } from '../../src/adapters/fetch/message.js';
import { introspectionVerifier, jwtVerifier } from '../../src/resource-server/index.js';
import { basic, bearer } from '../hosts.js';

const ISSUER = 'https://op.example/auth';
const CREDENTIALS = basic('service', 'service-secret');
const FORM = 'grant_type=client_credentials';
const ips = new Set<unknown>();
const complaints: unknown[] = [];
const { fetch, handler, guard } = oauthQuery({
  issuer: ISSUER,
  secret: 'a secret for tests that is long enough',
  clients: [{ client_id: 'service', client_secret: 'service-secret', grant_types: ['client_credentials'] }],
  address: (request) => request.headers.get('x-real-ip') ?? '',
  onEvent: ({ ip }) => ips.add(ip),
  onError: (error) => complaints.push(error),
});

const tokenRequest = (body: string | ReadableStream = FORM, headers: Record<string, string> = CREDENTIALS): Request =>
  new Request(`${ISSUER}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
    duplex: 'half',
  } as RequestInit); // `duplex`, which a stream needs, is missing in the types of Node 20.

const issue = async (request = tokenRequest()): Promise<readonly [status: number, body: Record<string, unknown>]> => {
  const response = await handler(request);
  return [response.status, (await response.json()) as Record<string, unknown>]; // What is in it is for the test to say.
};

describe('oauth-query/fetch', () => {
  test('fetch returns undefined immediately for other paths, and handler a 404', async () => {
    for (const path of ['/auth', '/oauth/token', '/auth/oauth/%74oken', '/auth/oauth/token/']) {
      expect([path, fetch(new Request(`https://op.example${path}`))]).toEqual([path, undefined]);
    }
    expect((await handler(new Request('https://op.example/'))).status).toBe(404);
    expect((await fetch(new Request('https://op.example/.well-known/oauth-authorization-server/auth')))?.status).toBe(
      200,
    );
  });

  test('the functions work without their object, and a guard answers with its handler or with the refusal', async () => {
    const [status, body] = await issue();
    expect(status).toBe(200);
    const answer = (request: Request) => guard.any()(request, (auth) => Response.json(auth, { status: 201 }));
    const passed = await answer(new Request('https://api.example/', { headers: bearer(String(body['access_token'])) }));
    expect(passed.status).toBe(201);
    expect(await passed.json()).toMatchObject({ client_id: 'service', iss: ISSUER });
    const refused = await answer(new Request('https://api.example/'));
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="oauth"']);
    const bare: (request: Request) => Promise<Response> = guard.any() as never;
    expect(() => bare(new Request('https://api.example/'))).toThrow(/takes the function that answers/);
  });

  test('limits apply to the address that the option returns', async () => {
    ips.clear();
    await issue(tokenRequest(undefined, { ...basic('service', 'wrong'), 'x-real-ip': '203.0.113.7' }));
    expect([...ips]).toEqual(['203.0.113.7']);
  });

  test('two Authorization headers are rejected, although a Request has joined them', async () => {
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    for (const credentials of [CREDENTIALS, basic('service', 'wrong')])
      headers.append('authorization', credentials.authorization);
    const request = new Request(tokenRequest(), { headers });
    expect((await issue(request))[0]).toBeGreaterThanOrEqual(400);
    const twice = new Headers([
      ['authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
    ]);
    const { status } = await guard.any()(new Request('https://api.example/', { headers: twice }), () => new Response());
    expect(status).toBe(400);
  });
});

describe('a body', () => {
  const streamOf = (pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void, cancel = () => {}) =>
    new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });

  test('over the limit is not read to its end', async () => {
    let pulled = 0;
    let cancelled = 0;
    const endless = streamOf(
      (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(10_000).fill(97));
      },
      () => (cancelled += 1),
    );
    expect(await issue(tokenRequest(endless))).toEqual([413, expect.objectContaining({ error: 'invalid_request' })]);
    expect(cancelled).toBe(1);
    expect(pulled).toBeLessThan(20);
  });

  test('that breaks off is an error of the client', async () => {
    const broken = streamOf((controller) => controller.error(new Error('the connection is gone')));
    expect(await issue(tokenRequest(broken))).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
    expect(complaints).toEqual([]);
  });

  test('in several chunks is one form', async () => {
    const pieces = ['grant_type=client', '_credentials', '&scope='];
    const stream = streamOf((controller) => {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    });
    expect((await issue(tokenRequest(stream)))[0]).toBe(200);
  });

  test('that the application has already read is an error of the application, with the remedy', async () => {
    const request = tokenRequest();
    await request.text();
    expect((await issue(request))[0]).toBe(500);
    expect(complaints.splice(0).map(String)).toEqual([expect.stringContaining('Mount oauth-query before it')]);
  });
});

test('a response counts as sent when its whole body has been read', async () => {
  let sent = 0;
  const onSent = (): unknown => (sent += 1);
  const response = toResponse({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'ä', onSent }, 'POST');
  await new Promise(setImmediate);
  expect(sent).toBe(0);
  expect([await response.text(), response.headers.get('content-length'), sent]).toEqual(['ä', '2', 1]);
  const dropped = toResponse({ status: 200, headers: {}, body: 'x', onSent }, 'POST');
  await dropped.body?.cancel();
  expect(sent).toBe(1);
});

describe('guards for the tokens of another process', () => {
  test('reject with a Response, and can be closed', async () => {
    for (const remote of [
      remoteGuard(jwtVerifier({ issuer: ISSUER, audience: 'https://api.example' })),
      remoteGuard(
        introspectionVerifier({
          issuer: ISSUER,
          audience: 'https://api.example',
          credentials: { client_id: 'api', client_secret: 'api-secret' },
        }),
      ),
    ]) {
      const answer = await remote('profile')(new Request('https://api.example/'), () => new Response());
      expect(answer).toMatchObject({ status: 401 });
      remote.close();
    }
  });

  test('add the headers of a response that passes, also to one that cannot be changed', async () => {
    const passed = { authorization: { sub: 'alice' }, headers: { 'dpop-nonce': 'next', 'x-more': ['1', '2'] } };
    const guard = remoteGuard({ guard: async () => passed, documents: [], onError: console.error } as never).any();
    const answer = await guard(new Request('https://api.example/'), ({ sub }) => {
      const response = new Response(sub, { status: 201, headers: { 'content-type': 'text/plain' } });
      response.headers.append = () => {
        throw new TypeError('immutable');
      };
      return response;
    });
    expect([answer.status, await answer.text(), ...answer.headers]).toEqual([
      ...[201, 'alice', ['content-type', 'text/plain'], ['dpop-nonce', 'next']],
      ['x-more', '1, 2'],
    ]);
  });
});
