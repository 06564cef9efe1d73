import { createPublicKey, type KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { generateKey } from '../../src/core/oauth/keys/signing-keys.js';
import type { JwtVerifierOptions } from '../../src/resource-server/jwt-verifier.js';
import { oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { type Claims, es256, forgeries, mint, newKey, read } from '../oauth/support/jwt.js';
import { Flows, refusal } from '../oauth/support/tokens.js';
import { guardHosts, oneGuardHost, PHOTOS, type ResourceServer } from './support/guard-hosts.js';
import { type Question, ScriptedServer, sendJson } from './support/scripted-server.js';

const START = Date.UTC(2026, 0, 1);
const SECONDS = START / 1000;
const METADATA = '/.well-known/oauth-authorization-server';

const jwkOf = (key: KeyObject, kid: string) => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
  kid,
  alg: 'ES256',
  use: 'sig',
});

/** Each framework in front of an authorization server on another one, with each algorithm. */
const PAIRS = guardHosts.flatMap((site, index) => {
  const authorizationServer = oneHostEach[(index + 1) % oneHostEach.length];
  const algorithm = (['ES256', 'EdDSA', 'RS256'] as const)[index % 3];
  return authorizationServer === undefined || algorithm === undefined
    ? []
    : [{ name: site.name, other: authorizationServer.name, algorithm, site, authorizationServer }];
});

describe.each(PAIRS)(
  'jwtVerifier on $name reads the $algorithm tokens of our server on $other',
  ({ algorithm, site, authorizationServer }) => {
    const { options, errors, advance, clock } = fixture({
      resources: [PHOTOS],
      jwt: [{ key: generateKey(algorithm) }],
    });
    const failures: unknown[] = [];
    let running: RunningHost;
    let flows: Flows;
    let server: ResourceServer;

    beforeAll(async () => {
      running = await authorizationServer.start({ options });
      flows = new Flows(running);
      server = await site.start({ jwt: { issuer: running.base, clock, onError: (error) => failures.push(error) } });
    });
    afterAll(async () => {
      server.close();
      await running.close();
      expect(errors).toEqual([]);
      expect(failures).toEqual([]);
    });

    test('#102 #105 a token has its owner and scopes without introspection (RFC 9068 §4)', async () => {
      const { access_token } = await flows.tokens('web', { scope: 'profile' }, 'carol');
      const { jti: _, ...claims } = read(access_token).claims;
      for (let round = 0; round < 2; round += 1) {
        expect((await server.get('profile', access_token)).json).toEqual({ auth: { ...claims, token_type: 'Bearer' } });
        expect(refusal(await server.get('write', access_token))).toEqual([403, 'insufficient_scope']);
      }
    });

    test('#104 a token is only accepted for its audience, and nothing else is a token (RFC 9068 §4)', async () => {
      const { access_token: forIssuer, refresh_token } = await flows.tokens('web', { scope: 'profile content.read' });
      const { access_token: forPhotos } = await flows.tokens('web', {
        scope: 'profile content.read',
        resource: PHOTOS,
      });
      for (const [token, statuses] of [
        [forIssuer, [200, 401]],
        [forPhotos, [401, 200]],
        [refresh_token, [401, 401]],
      ] as const) {
        expect([(await server.get('open', token)).status, (await server.get('photos', token)).status]).toEqual(
          statuses,
        );
      }
    });

    test('#104 it expires after its last second, with a tolerance of five seconds', async () => {
      const { access_token } = await flows.tokens('web');
      const { access_token: fresh } = await flows.tokens('web');
      advance(3604);
      expect((await server.get('open', access_token)).status).toBe(200);
      advance(1);
      for (const token of [access_token, fresh])
        expect(refusal(await server.get('open', token))).toEqual([401, 'invalid_token']);
    });

    test('a revoked token is accepted until it expires; introspectionVerifier checks JWTs too', async () => {
      const { access_token } = await flows.tokens('web');
      const credentials = { client_id: 'api', client_secret: 'api-secret' };
      const asking = await site.start({ introspection: { issuer: running.base, credentials, clock } });
      expect((await asking.get('open', access_token)).status).toBe(200);
      await flows.revoke('web', access_token);
      advance(10);
      expect((await server.get('open', access_token)).status).toBe(200);
      expect(refusal(await asking.get('open', access_token))).toEqual([401, 'invalid_token']);
    });
  },
);

describe('jwtVerifier and its keys', () => {
  const key = newKey();
  const failures: unknown[] = [];
  let now: number;
  let scripts: Record<string, (question: Question, response: ServerResponse) => object | undefined>;
  let authorizationServer: ScriptedServer;
  let site: ResourceServer | undefined;

  const clock = () => now;
  const advance = (seconds: number) => {
    now += seconds * 1000;
  };
  const publish = (...keys: readonly object[]) => {
    scripts['/jwks'] = () => ({ keys });
  };
  const claims = (changes: Claims = {}): Claims => {
    const { origin } = authorizationServer;
    return {
      iss: origin,
      sub: 'alice',
      aud: origin,
      client_id: 'web',
      scope: 'profile',
      iat: SECONDS,
      exp: SECONDS + 1e6,
      jti: 'one',
      ...changes,
    };
  };
  const token = (changes: Claims = {}, signer = key, kid = 'k1') =>
    mint({ alg: 'ES256', typ: 'at+jwt', kid }, claims(changes), es256(signer));
  const start = async (options: Partial<JwtVerifierOptions> = {}): Promise<ResourceServer> => {
    site = await oneGuardHost.start({
      jwt: { issuer: authorizationServer.origin, clock, onError: (error) => failures.push(error), ...options },
    });
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
    expect(failures.splice(0).length).toBeGreaterThan(0);
  };
  const ok = async (server: ResourceServer, jwt = token()) => expect((await server.get('open', jwt)).status).toBe(200);
  const refused = async (server: ResourceServer, jwt: string, name = '') =>
    expect([name, ...refusal(await server.get('open', jwt))]).toEqual([name, 401, 'invalid_token']);

  beforeEach(async () => {
    now = START;
    scripts = {
      [METADATA]: () => ({ issuer: authorizationServer.origin, jwks_uri: `${authorizationServer.origin}/jwks` }),
    };
    publish(jwkOf(key, 'k1'));
    authorizationServer = await new ScriptedServer((question, response) =>
      scripts[question.path] === undefined ? sendJson(response, 404, {}) : scripts[question.path]?.(question, response),
    ).start();
  });
  afterEach(async () => {
    site?.close();
    await authorizationServer.stop();
    expect(failures.splice(0)).toEqual([]);
  });

  test('#107 #104 every forgery is 401 (RFC 9068 §4, RFC 8725)', async () => {
    const server = await start();
    const genuine = token();
    await ok(server, genuine);
    const ours = {
      'bound to a key': token({ cnf: { jkt: 'x' } }),
      'for another audience': token({ aud: 'https://other.example' }),
      'without an audience': token({ aud: [] }),
      'for something that is no text': token({ aud: [7] }),
      'with a sub that is no text': token({ sub: 7 }),
      'with scopes as an array': token({ scope: ['profile'] }),
    };
    for (const [name, jwt] of Object.entries({ ...forgeries(genuine, key), ...ours })) await refused(server, jwt, name);
    await ok(server, genuine);
    await ok(server, token({ aud: ['https://other.example', authorizationServer.origin] }));
    await ok(server, mint({ alg: 'ES256', typ: 'application/at+jwt', kid: 'k1' }, claims(), es256(key)));
  });

  test('#107 an algorithm that the guard does not accept is 401', async () => {
    const server = await start({ algorithms: ['RS256'] });
    await refused(server, token());
  });

  test('#109 tokens are not introspected: the keys are fetched once for many, and again after five minutes', async () => {
    const server = await start();
    await Promise.all(Array.from({ length: 100 }, (_, n) => ok(server, token({ jti: String(n) }))));
    advance(299);
    await ok(server);
    expect(authorizationServer.questions.map(({ path }) => path)).toEqual([METADATA, '/jwks']);
    advance(1);
    await Promise.all(Array.from({ length: 10 }, () => ok(server)));
    expect(authorizationServer.asked('/jwks')).toBe(2);
  });

  test('#101 a new key is found immediately, but invented kids do not cause many fetches', async () => {
    const server = await start();
    await ok(server);
    const next = newKey();
    publish(jwkOf(key, 'k1'), jwkOf(next, 'k2'));
    await refused(server, token({}, next, 'k2'));
    advance(10);
    await ok(server, token({}, next, 'k2'));
    expect(authorizationServer.asked('/jwks')).toBe(2);
    for (let n = 0; n < 50; n += 1) await refused(server, token({}, newKey(), `made up ${n}`));
    expect(authorizationServer.asked('/jwks')).toBe(2);
    advance(10);
    await Promise.all(Array.from({ length: 50 }, (_, n) => refused(server, token({}, next, `made up ${n}`))));
    expect(authorizationServer.asked('/jwks')).toBe(3);
    await ok(server);
  });

  test('#101 a removed key invalidates the cached tokens that it verified', async () => {
    const server = await start();
    const jwt = token();
    await ok(server, jwt);
    publish(jwkOf(newKey(), 'k2'));
    advance(299);
    await ok(server, jwt);
    advance(1);
    await refused(server, jwt);
  });

  test('#109 unreachable at the start: 503 until it responds; unreachable later: the known keys are used for a day', async () => {
    const server = await start();
    await authorizationServer.stop();
    await expectUnavailable(server.get('open', token()));
    await refused(server, 'opaque');
    await authorizationServer.start();
    await ok(server);
    await authorizationServer.stop();

    advance(300);
    await ok(server);
    expect(failures.splice(0)).toHaveLength(1);
    await ok(server, token({ jti: 'two' }));
    // Fetching its keys just failed, so it is unknown whether it has this one.
    await expectUnavailable(server.get('open', token({}, newKey(), 'k2')));
    advance(10);
    await expectUnavailable(server.get('open', token({}, newKey(), 'k2')));
    advance(86_400 - 310 - 1);
    await ok(server);
    expect(failures.splice(0)).toHaveLength(1);
    advance(1);
    await expectUnavailable(server.get('open', token()));
    await authorizationServer.start();
    await ok(server);
    await refused(server, token({}, newKey(), 'k2'));
  });

  const raw =
    (status: number, type: string, body: string) =>
    (_question: Question, response: ServerResponse): undefined => {
      response.writeHead(status, { 'content-type': type, location: '/other' }).end(body);
      return undefined;
    };

  test.each<readonly [string, (question: Question, response: ServerResponse) => object | undefined]>([
    ['HTML', raw(200, 'text/html', '<p>Hello')],
    ['500', raw(500, 'application/json', '{"keys":[]}')],
    ['broken JSON', raw(200, 'application/json', '{"keys":[')],
    ['an array', raw(200, 'application/json', '[]')],
    ['a redirect', raw(302, 'application/json', '{"keys":[]}')],
    ['too much', raw(200, 'application/json', `{"keys":[]}${' '.repeat(65_536)}`)],
    ['no keys', () => ({})],
    ['keys that are none', () => ({ keys: 'k1' })],
    ['keys that cannot be read', () => ({ keys: [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'k1' }] })],
    ['nothing', () => undefined],
  ])('#109 %s instead of keys is 503, until there are some', async (name, script) => {
    const deadline = new AbortController();
    // Time runs out when the request has arrived, and for no other request.
    const timer = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    scripts['/jwks'] = (...asked) => {
      if (name === 'nothing') setImmediate(() => deadline.abort());
      return script(...asked);
    };
    const server = await start();
    await expectUnavailable(server.get('open', token()), name);
    timer.mockRestore();
    publish(jwkOf(key, 'k1'));
    advance(300);
    await ok(server);
  });

  test('#109 symmetric keys and keys for other uses are ignored, whoever publishes them', async () => {
    const secret = Buffer.from('a secret that was published');
    publish({ kty: 'oct', k: secret.toString('base64url'), kid: 'k1' }, { ...jwkOf(key, 'k2'), use: 'enc' });
    const server = await start();
    const { createHmac } = await import('node:crypto');
    await refused(
      server,
      mint({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' }, claims(), (data) =>
        createHmac('sha256', secret).update(data).digest(),
      ),
    );
    await refused(server, token({}, key, 'k2'));
  });

  test('#109 jwksUri replaces the metadata', async () => {
    const server = await start({ jwksUri: `${authorizationServer.origin}/jwks` });
    await ok(server);
    expect(authorizationServer.questions.map(({ path }) => path)).toEqual(['/jwks']);
  });

  test('#104 audience: one of these, instead of the issuer', async () => {
    const server = await start({ audience: ['https://a.example', PHOTOS] });
    await refused(server, token());
    await refused(server, token({ aud: PHOTOS, iss: 'https://other.example' }));
    await ok(server, token({ aud: PHOTOS }));
    await ok(server, token({ aud: ['https://x.example', 'https://a.example'] }));
  });
});
