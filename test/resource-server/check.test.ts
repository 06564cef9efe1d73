import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OAuthQuery, oauthQuery, remoteGuard } from '../../src/adapters/node/index.js';
import type { CheckOptions, RequiredScope } from '../../src/core/base/guard-requirement.js';
import type { Store } from '../../src/core/base/ports.js';
import { introspectionVerifier, jwtVerifier, type TokenCheck, type Verifier } from '../../src/resource-server/index.js';
import { memoryStore } from '../../src/stores/memory.js';
import { testAuthorizationServer, type TestAuthorizationServer } from '../../src/testing/authorization-server.js';
import { bearer, Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';

const PHOTOS = 'https://photos.example/api';
const SCOPES = { 'photos.read': 'See', 'photos.write': 'Change' };

/** What a test asks for; without a scope, any valid token. */
type Demand = CheckOptions & { readonly scope?: RequiredScope };

/** A server with three guards that decide about the same kinds of tokens. */
interface Deciders {
  readonly guard: ReturnType<typeof oauthQuery>['guard'];
  readonly check: TokenCheck;
  token(request: { readonly scope?: string; readonly resource?: string }): Promise<string>;
}

const errors: unknown[] = [];
const onError = (error: unknown): number => errors.push(error);

const inProcess = (): Deciders => {
  const oauth = oauthQuery({
    issuer: 'http://127.0.0.1:3000',
    store: memoryStore(),
    secret: 'a secret of at least 32 characters',
    clients: [{ client_id: 'spa', redirect_uris: ['https://spa.example/cb'], scope: Object.keys(SCOPES).join(' ') }],
    scopes: SCOPES,
    resources: [PHOTOS],
    users: [{ username: 'alice', password: 'wonderland' }],
    onError,
  });
  return {
    guard: oauth.guard,
    check: oauth.check,
    token: async (request) =>
      (await (oauth as OAuthQuery).issue({ sub: 'alice', client_id: 'spa', ...request })).access_token,
  };
};

const remotely = (verifier: Verifier, server: TestAuthorizationServer): Deciders => ({
  guard: remoteGuard(verifier),
  check: verifier.check,
  token: (request) => server.token({ sub: 'alice', client_id: 'spa', ...request }),
});

describe('a token is checked without middleware', () => {
  const deciders = new Map<string, Deciders>();
  let authorizationServer: TestAuthorizationServer;

  beforeAll(async () => {
    authorizationServer = await testAuthorizationServer({ scopes: Object.keys(SCOPES), resources: [PHOTOS] });
    const { issuer, introspection } = authorizationServer;
    deciders.set('oauthQuery', inProcess());
    deciders.set(
      'introspectionVerifier',
      remotely(introspectionVerifier({ ...introspection, onError }), authorizationServer),
    );
    deciders.set('jwtVerifier', remotely(jwtVerifier({ issuer, onError }), authorizationServer));
  });
  afterAll(() => authorizationServer.close());

  /** What a guard and a check say of the same token. */
  const both = async ({ guard, check }: Deciders, token: string | undefined, { scope, ...options }: Demand) => {
    const protect = scope === undefined ? guard.any(options) : guard(scope, options);
    const { origin } = await listen((req, res) =>
      protect(req, res, (authorization) => res.end(JSON.stringify({ authorization }))),
    );
    const answer = await new Client(origin).get('/', token === undefined ? {} : bearer(token));
    const result = await (scope === undefined ? check.any(token, options) : check(token, { scope, ...options }));
    return { answer, result };
  };

  test.each(['oauthQuery', 'introspectionVerifier', 'jwtVerifier'])(
    '%s.check decides as its guard does',
    async (name) => {
      const decider = deciders.get(name);
      if (decider === undefined) throw new Error(name);
      const token = await decider.token({ scope: 'photos.read' });
      const elsewhere = await decider.token({ resource: PHOTOS });
      const passing: [string, Demand][] = [
        [token, {}],
        [token, { scope: 'photos.read' }],
        [elsewhere, { scope: ['photos.read', 'photos.write'], audience: PHOTOS }],
      ];
      for (const [given, options] of passing) {
        const { answer, result } = await both(decider, given, options);
        expect(result.refused).toBeUndefined();
        expect(answer.json['authorization']).toEqual(result.authorization);
        expect(result.authorization).toMatchObject({ sub: 'alice', client_id: 'spa' });
      }
      const failing: [string | undefined, Demand, string | undefined][] = [
        [undefined, {}, undefined],
        [token, { scope: 'photos.write' }, 'insufficient_scope'],
        [elsewhere, {}, 'invalid_token'],
        [token, { audience: PHOTOS }, 'invalid_token'],
        [`${token}x`, {}, 'invalid_token'],
      ];
      for (const [given, options, error] of failing) {
        const { answer, result } = await both(decider, given, options);
        expect(result.authorization).toBeUndefined();
        expect(result.refused).toMatchObject({ status: answer.status, error });
        expect(result.refused?.headers['www-authenticate']).toBe(answer.headers['www-authenticate']);
        expect(result.refused?.message).toBe(answer.json['error_description'] ?? answer.json['message']);
      }
      for (const given of [
        null,
        '',
        {},
        [],
        ['x'],
        7,
        true,
        { toString: () => token },
        'x'.repeat(1_000_000),
        'a\r\nb',
      ])
        expect((await decider.check.any(given)).refused?.status).toBe(401);
      expect(errors.splice(0)).toEqual([]);
    },
  );

  test('a token that cannot be checked is refused with 503, and only a mistake of the application rejects', async () => {
    const away: Store = { ...memoryStore(), get: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    const warnings: string[] = [];
    const oauth = oauthQuery({
      issuer: 'http://127.0.0.1:3000',
      secret: 'a secret of at least 32 characters',
      store: away,
      scopes: SCOPES,
      onError,
      onWarning: (sentence) => warnings.push(sentence),
    });
    const { refused } = await oauth.check.any('x'.repeat(43));
    expect(refused).toMatchObject({
      status: 503,
      error: 'temporarily_unavailable',
      headers: { 'retry-after': '5', 'cache-control': 'no-store' },
    });
    expect(errors.splice(0)).toEqual([expect.objectContaining({ cause: new Error('connect ECONNREFUSED') })]);

    await expect(oauth.check.any('x', { resource: '/unknown' })).rejects.toThrow(/resource/);
    await expect(oauth.check.any('x', { scopes: 'a' } as CheckOptions)).rejects.toThrow(/scopes/);
    const local = oauthQuery({ onWarning: () => undefined });
    await expect(local.check.any('x')).rejects.toThrow(/options\.issuer/);

    const forgotten = oauth.check.any('x'.repeat(43));
    expect(() => Reflect.get(forgotten, 'refused')).toThrow(/Write: const \{ refused \} = await/);
    expect((await forgotten).refused).toMatchObject({ status: 503 });
    errors.length = 0;

    warnings.length = 0;
    await (oauth as OAuthQuery).check('x', { scope: 'photo.read' });
    await (oauth as OAuthQuery).check('x', { scope: 'photo.read' });
    expect(warnings).toEqual([expect.stringMatching(/photo\.read.*Did you mean "photos\.read"/)]);
  });
});
