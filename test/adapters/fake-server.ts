import type { GuardResult } from '../../src/core/base/http/bearer.js';
import { readBody } from '../../src/core/base/http/body.js';
import type { HttpRequest, HttpResponse, RequestBody, Route } from '../../src/core/base/http/messages.js';
import { systemTimer } from '../../src/core/base/system.js';
import type { ServerOptions } from '../../src/core/server/options/server-options.js';
import type { Server } from '../../src/core/server/server.js';

const TYPE = { 'content-type': 'application/json; charset=utf-8' };

const route = (path: string, handle: (request: HttpRequest) => Promise<HttpResponse>): Route => ({ path, handle });

const bodyOf = async (request: HttpRequest): Promise<RequestBody | string> => {
  try {
    const limits = { bytes: 10_000, timer: systemTimer, request: 10_000, room: () => ({ take: () => true }) };
    return await readBody(request, limits, (error) => error);
  } catch (error) {
    return String(error);
  }
};

/** Everything that a route can see of a request. */
const echo = async (request: HttpRequest): Promise<HttpResponse> => {
  const body = await bodyOf(request);
  const seen = {
    method: request.method,
    query: request.query,
    body: typeof body === 'object' && 'bytes' in body ? Buffer.from(body.bytes).toString() : body,
    custom: request.header('x-custom'),
    repeated: request.rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === 'x-custom'),
    ip: request.ip,
    native: typeof request.native,
  };
  return { status: 200, headers: TYPE, body: JSON.stringify(seen) };
};

const responses: Readonly<Record<string, HttpResponse>> = {
  '/created': { status: 201, headers: { ...TYPE, 'cache-control': 'no-store' }, body: '{"ä":"€"}' },
  '/moved': { status: 303, headers: { location: 'https://app.example/cb?a=1&b=%C3%A4' }, body: '' },
  '/empty': { status: 204, headers: { 'access-control-allow-origin': '*' }, body: '' },
  '/cookies': {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': ['a=1; Path=/', 'b=2'] },
    body: '<p>é',
  },
  '/cookie': { status: 200, headers: { ...TYPE, 'set-cookie': 'c=3' }, body: '{}' },
  '/vary': { status: 200, headers: { ...TYPE, vary: 'Origin', 'x-frame-options': 'DENY' }, body: '{}' },
  '/too-large': { status: 413, headers: TYPE, body: '{}' },
  '/busy': { status: 503, headers: { ...TYPE, 'retry-after': '5' }, body: '{}' },
};

/**
 * A server in place of the real one whose routes show what an adapter made of a request, and whose answers have
 * everything in them that a framework might want to change.
 */
export const fakeServer = (options: ServerOptions): Server => ({
  routes: [
    route('/seen', echo),
    route('/api/query+allpages', echo),
    ...Object.entries(responses).map(([path, response]) => route(path, async () => response)),
    route('/owner', async ({ native }) => ({
      status: 200,
      headers: TYPE,
      body: JSON.stringify({ owner: await options.owner?.(native) }),
    })),
    route('/rejects', () => Promise.reject(new Error('a secret of ours'))),
    route('/throws', () => {
      throw new Error('a secret of ours');
    }),
    route('/bad-header', async () => ({
      status: 200,
      headers: { ...TYPE, 'x-bad': 'a\nb' },
      body: 'a secret of ours',
    })),
  ],
  wellKnown: [route('/.well-known/fake/auth', async () => ({ status: 200, headers: TYPE, body: '{"well":"known"}' }))],
  bindsTokens: false,
  keepsSignIn: false,
  close: async () => undefined,
  check: () => Promise.reject(new Error('not used')),
  guard: async (request, requirement): Promise<GuardResult> => {
    const token = request.header('authorization');
    if (token === 'Bearer breaks') throw new Error('a secret of ours');
    if (token !== 'Bearer good') {
      return {
        response: {
          status: 401,
          headers: { ...TYPE, 'www-authenticate': 'Bearer realm="fake"' },
          body: JSON.stringify(requirement),
        },
      };
    }
    return {
      authorization: {
        sub: 'alice',
        client_id: 'web',
        scope: 'profile',
        aud: 'x',
        iss: 'x',
        exp: 2,
        iat: 1,
        token_type: 'Bearer',
      },
    };
  },
  warn: () => undefined,
  checkScopes: () => undefined,
  resourceRequirement: () => ({}),
  owner: async () => undefined,
  basePath: new URL(options.issuer ?? 'http://localhost').pathname.replace(/\/$/, ''),
  issue: () => Promise.reject(new Error('not here')),
  grants: {
    list: async () => ({ grants: [] }),
    apps: async () => [],
    revoke: async () => 0,
    forgetConsent: async () => undefined,
  },
  owners: {
    signOut: async () => undefined,
    export: async function* () {},
    erase: async () => ({ grants: 0, consents: 0 }),
  },
});
