import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { type RemoteGuard, remoteGuard } from 'oauth-query/node';
import { type TestAuthorizationServer, testAuthorizationServer } from 'oauth-query/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleOf } from '../bundle.js';
import { environment } from '../cli/program.js';
import { bearer, Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { everyRow } from '../rows.js';

const API = 'https://api.example';

/** Routes of another process: `/photos` asks for a scope, `/api` is for a resource. */
const serve = async (guard: RemoteGuard, forApi: RemoteGuard) => {
  const [photos, api] = [guard('photos.read'), forApi('photos.read')];
  const { origin, close } = await listen(async (req, res) => {
    await (req.url === '/api' ? api : photos)(req, res, (auth) => res.end(JSON.stringify(auth)));
  });
  const http = new Client(origin);
  const get = async (token: string, path = '/photos') => {
    const { status, headers, text } = await http.get(path, bearer(token));
    const error = /error="(\w+)"/.exec(String(headers['www-authenticate']))?.[1];
    return { status, error, auth: status === 200 ? JSON.parse(text) : undefined };
  };
  return { get, close: () => (close(), guard.close(), forApi.close()) };
};

const GUARDS = {
  introspectionVerifier: (auth: TestAuthorizationServer, audience?: string) =>
    remoteGuard(
      introspectionVerifier({
        ...auth.introspection,
        ...(audience !== undefined && { audience }),
        onError: () => undefined,
      }),
    ),
  jwtVerifier: ({ issuer }: TestAuthorizationServer, audience?: string) =>
    remoteGuard(jwtVerifier({ issuer, ...(audience !== undefined && { audience }), onError: () => undefined })),
};

describe.each(Object.entries(GUARDS))('routes behind %s, with tokens of testAuthorizationServer', (name, guard) => {
  let auth: TestAuthorizationServer;
  let app: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    auth = await testAuthorizationServer({ scopes: ['photos.read', 'photos.write'], resources: [API] });
    app = await serve(guard(auth), guard(auth, API));
  });
  afterAll(async () => {
    await auth.close();
    app.close();
  });

  test("accept an owner's token, with everything requested", async () => {
    const token = await auth.token({ sub: 'alice', username: 'Alice', client_id: 'photo app', scope: 'photos.read' });
    const { status, auth: found } = await app.get(token);
    expect([status, found]).toEqual([
      200,
      {
        sub: 'alice',
        ...(name === 'introspectionVerifier' && { username: 'Alice' }),
        client_id: 'photo app',
        scope: 'photos.read',
        aud: auth.issuer,
        iss: auth.issuer,
        exp: expect.any(Number),
        iat: expect.any(Number),
        token_type: 'Bearer',
      },
    ]);
  });

  test("accept a client's own token, which has all scopes by default", async () => {
    const { auth: found } = await app.get(await auth.token());
    expect(found).toMatchObject({ sub: 'client:test', client_id: 'test', scope: 'photos.read photos.write' });
  });

  test("reject a token without the scope, also a client's own", async () => {
    for (const sub of [{ sub: 'alice' }, {}])
      expect(await app.get(await auth.token({ ...sub, scope: 'photos.write' }))).toMatchObject({
        status: 403,
        error: 'insufficient_scope',
      });
  });

  test('reject an expired token that is otherwise valid', async () => {
    for (const sub of [{ sub: 'alice' }, {}]) {
      const token = await auth.token({ ...sub, scope: 'photos.read', expired: true });
      const { exp = 0, iss, ...claims } = decodeJwt(token);
      expect(Date.now() / 1000 - exp).toBeGreaterThan(3600);
      expect([iss, claims['scope']]).toEqual([auth.issuer, 'photos.read']);
      expect(await app.get(token)).toMatchObject({ status: 401, error: 'invalid_token' });
      const { protectedHeader } = await verified(auth, token);
      expect(protectedHeader.alg).toBe('ES256');
    }
  });

  test('distinguish resources', async () => {
    const forApi = await auth.token({ sub: 'alice', resource: API });
    const own = await auth.token({ resource: API });
    const other = await auth.token({ sub: 'alice' });
    const statuses = [forApi, own, other].map(async (token) => [
      (await app.get(token)).status,
      (await app.get(token, '/api')).status,
    ]);
    expect(await Promise.all(statuses)).toEqual([
      [401, 200],
      [401, 200],
      [200, 401],
    ]);
  });

  test(name === 'jwtVerifier' ? 'pass a revoked one, as it never asks' : 'refuse a revoked one at once', async () => {
    for (const request of [{ sub: 'alice', client_id: 'x:y z' }, {}]) {
      const [token, other] = [await auth.token(request), await auth.token(request)];
      expect((await app.get(token)).status).toBe(200);
      await auth.revoke(token);
      expect((await app.get(token)).status).toBe(name === 'jwtVerifier' ? 200 : 401);
      expect((await app.get(other)).status).toBe(200);
    }
  });
});

/** The signature of an expired token, by the keys that the server publishes. */
const verified = async (auth: TestAuthorizationServer, token: string) => {
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  const keys = (await new Client(auth.issuer).get('/oauth/jwks')).json as { keys: [] };
  return jwtVerify(token, createLocalJWKSet(keys), { currentDate: new Date(Date.now() - 86_400_000) });
};

describe('testAuthorizationServer', () => {
  test('responds with 503 to a guard once it is closed, and can be closed twice', async () => {
    const auth = await testAuthorizationServer({ scopes: ['photos.read'] });
    const app = await serve(GUARDS.introspectionVerifier(auth), GUARDS.introspectionVerifier(auth));
    const token = await auth.token({ sub: 'alice' });
    expect((await app.get(token)).status).toBe(200);
    await auth.close();
    await auth.close();
    expect((await app.get(token)).status).toBe(503);
    app.close();
  });

  test('does not accept the tokens of another one', async () => {
    const [here, there] = await Promise.all([
      testAuthorizationServer({ scopes: ['photos.read'] }),
      testAuthorizationServer({ scopes: ['photos.read'] }),
    ]);
    for (const guard of Object.values(GUARDS)) {
      const app = await serve(guard(here), guard(here));
      expect((await app.get(await there.token({ sub: 'alice' }))).status).toBe(401);
      app.close();
    }
    await expect(here.revoke(await there.token())).rejects.toThrow('revoke: this is not a live token');
    await Promise.all([here.close(), there.close()]);
  });

  test('rejects invalid options', () =>
    everyRow(
      [
        [{}, 'testAuthorizationServer: options.scopes is missing: name what tokens may have'],
        [{ scopes: 'photos.read' }, 'testAuthorizationServer: options.scopes must be an array of scopes.'],
        [{ scopes: ['a b'] }, 'testAuthorizationServer: options.scopes[0] must be a scope, such as photos.read.'],
        [{ scopes: ['a'], resources: ['api'] }, 'options.resources[0] must be an absolute URI'],
        [
          { scopes: ['a'], scope: 'a' },
          'testAuthorizationServer: options.scope is unknown. Did you mean options.scopes?',
        ],
      ],
      async ([options, sentence]) => {
        await expect(testAuthorizationServer(options as never)).rejects.toThrow(sentence);
      },
    ));

  test('rejects invalid token options', () =>
    everyRow(
      [
        [{ scope: 'photos.raed' }, 'token: this server does not have the scope "photos.raed", only photos.read.'],
        [{ scope: '' }, 'token.scope must be scopes separated by single spaces.'],
        [{ sub: '' }, 'token.sub must be a string.'],
        [{ sub: 'client:x' }, 'sub'],
        [{ sub: undefined, username: 'Alice' }, 'token: a username needs the sub of its owner.'],
        [{ resource: API }, 'token: this server does not have "https://api.example" among its resources.'],
        [{ expired: 'yes' }, 'token.expired must be true or false.'],
        [{ scopes: 'photos.read' }, 'token.scopes is unknown. Did you mean token.scope?'],
        [{ client_id: 'ü' }, 'token.client_id must be printable ASCII.'],
      ],
      async ([request, sentence]) => {
        const auth = await testAuthorizationServer({ scopes: ['photos.read'] });
        await expect(auth.token(request as never)).rejects.toThrow(sentence);
        await auth.close();
      },
    ));

  test('keeps no process alive, and prints nothing', async () => {
    const program = `
      const { testAuthorizationServer } = await import('${await bundleOf('src/testing/index.ts')}');
      const auth = await testAuthorizationServer({ scopes: ['a'] });
      console.log((await auth.token()).split('.').length);`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: environment(),
      timeout: 20_000,
    });
    expect(await run).toEqual({ stdout: '3\n', stderr: '' });
  });
});
