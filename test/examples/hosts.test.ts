import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { basic, bearer, Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { freePort } from '../stores/engines/daemon.js';
import { startExample } from './process.js';

interface Running {
  readonly base: string;
  stop(): unknown;
}

const startProcess = async (file: string): Promise<Running> => {
  const port = await freePort();
  const example = await startExample(file, [], { PORT: String(port) });
  await example.until(/Listening on/);
  return { base: `http://127.0.0.1:${port}`, stop: () => example.stop() };
};

type RouteHandler = (request: Request, context: { readonly params: Promise<object> }) => Promise<Response>;
type RouteModule = Readonly<Record<string, RouteHandler | undefined>>;

/** What Next.js makes of `app/`, without its build. */
const ROUTES: readonly (readonly [path: RegExp, load: () => Promise<RouteModule>])[] = [
  [/^\/oauth\/(.+)$/, () => import('../../examples/next/app/oauth/[...path]/route.js')],
  [
    /^\/\.well-known\/oauth-authorization-server$/,
    () => import('../../examples/next/app/.well-known/oauth-authorization-server/route.js'),
  ],
  [/^\/api\/photos$/, () => import('../../examples/next/app/api/photos/route.js')],
];

/** Next.js hands over a subclass, with the address parsed. */
class NextRequest extends Request {
  readonly nextUrl = new URL(this.url);
}

/** Calls a route handler as Next.js does: an export per method, HEAD by GET if there is none, and 405 otherwise. */
const callRoute = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  for (const [path, load] of ROUTES) {
    const match = path.exec(pathname);
    if (match === null) continue;
    const module = await load();
    const handler = module[request.method] ?? (request.method === 'HEAD' ? module['GET'] : undefined);
    if (handler === undefined) return new Response(null, { status: 405 });
    const { url, method, headers, body } = request;
    // `duplex`, which a stream needs, is missing in the types of Node 20.
    const init = { method, headers, body, duplex: 'half' } as RequestInit;
    return handler(new NextRequest(url, init), { params: Promise.resolve({ path: match[1]?.split('/') }) });
  }
  return new Response('Hello');
};

const startNext = async (): Promise<Running> => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  vi.stubEnv('ISSUER', base);
  const listener = getRequestListener(callRoute);
  const server = createServer((req, res) => void listener(req, res)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    base,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
afterEach(() => void vi.unstubAllEnvs());

const CALLBACK = 'http://127.0.0.1:5555/callback';
const AUTHORIZE = `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'printer', state: 'x', redirect_uri: CALLBACK })}`;

describe.each([
  ['hono', () => startProcess('hono/main.ts')],
  ['nest', () => startProcess('nest/main.ts')],
  ['next', startNext],
])('examples/%s', (_name, start) => {
  let running: Running;
  let program: Client;

  beforeAll(async () => {
    running = await start();
    program = new Client(running.base);
  });
  afterAll(() => running.stop());

  test('another program gets a token, and the photos with it', async () => {
    const browser = new Client(running.base);
    const login = formOf((await browser.get(AUTHORIZE)).text, 'password');
    const signedIn = await browser.post(login.action, { ...login.fields, username: 'alice', password: 'wonderland' });
    const consentPage = (await browser.get(String(signedIn.headers.location))).text;
    expect(consentPage).toContain('See your photos');
    const consent = formOf(consentPage, 'decision');
    const decided = await browser.post(consent.action, { ...consent.fields, decision: 'approve' });
    const code = new URL(String(decided.headers.location)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    const { json } = await program.post('/oauth/token', form, basic('printer', 'printer-secret'));
    const photos = await program.get('/api/photos', bearer(String(json['access_token'])));
    expect([photos.status, photos.json]).toEqual([200, { photos: ['rabbit.jpg', 'tea-party.jpg'] }]);
  });

  test('without a token, the photos are refused with our response alone', async () => {
    const { status, headers, json } = await program.get('/api/photos');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="oauth"']);
    expect(Object.keys(json)).toEqual(['message']);
  });

  test('the metadata is where clients look for it, and a wrong method gets our response', async () => {
    const { json } = await program.get('/.well-known/oauth-authorization-server');
    expect(json['issuer']).toBe(running.base);
    const wrong = await program.request('/oauth/token', { method: 'DELETE' });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
  });

  test('the rest of the application still works', async () => {
    expect((await program.get('/')).text).toBe('Hello');
  });
});
