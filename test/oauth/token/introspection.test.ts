import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/core/base/secrets.js';
import { basic, bearer, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { Flows, refusal } from '../support/tokens.js';

const PHOTOS = 'https://photos.example/api';
const FILES = 'https://files.example/api';

const CLIENTS = [
  /** A resource server: it sees every token, but only those for what it serves. */
  { client_id: 'photos', client_secret: 'photos-secret', scope: '', introspect: true, audience: PHOTOS },
  {
    client_id: 'files',
    client_secret: 'files-secret',
    scope: 'introspect content.read',
    audience: [FILES, 'https://more.example'],
  },
  { client_id: 'second', client_secret: 'second-secret', scope: 'content.read' },
  { client_id: 'auditor', redirect_uris: ['https://auditor.example/cb'], scope: 'introspect profile' },
] as const;

const INACTIVE = '{"active":false}';

const asJwt = (claims: object): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`;
};

describe.each(hostFor(import.meta.url))('introspection on $name', (host) => {
  const { options, store, errors, advance, clock } = fixture({ clients: CLIENTS, resources: [PHOTOS, FILES] });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, CLIENTS);

  const withBearer = (caller: string, token: string) =>
    flows.client.post('/oauth/introspect', { token }, bearer(caller));

  test('#90 no credentials is 401 with WWW-Authenticate (RFC 7662 §2.1)', async () => {
    const answer = await flows.client.post('/oauth/introspect', { token: 'x' });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="oauth"');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json).toEqual({ message: expect.stringContaining('credentials of a client') });
  });

  test('#90 a client that fails authentication is 401 invalid_client (RFC 7662 §2.3)', async () => {
    const byHeader = await flows.client.post('/oauth/introspect', { token: 'x' }, basic('api', 'wrong'));
    expect([...refusal(byHeader), byHeader.headers['www-authenticate']]).toEqual([
      401,
      'invalid_client',
      'Basic realm="oauth"',
    ]);
    const others = [
      await flows.client.post('/oauth/introspect', { token: 'x', client_id: 'api', client_secret: 'wrong' }),
      await flows.client.post('/oauth/introspect', { token: 'x', client_id: 'nobody', client_secret: 'x' }),
      await flows.client.post('/oauth/introspect', { token: 'x', client_id: 'api' }),
      // A public client proves nothing about itself.
      await flows.client.post('/oauth/introspect', { token: 'x', client_id: 'native' }),
    ];
    expect(others.map(refusal)).toEqual(others.map(() => [401, 'invalid_client']));
  });

  test('#90 an invalid bearer token is 401 invalid_token (RFC 6750 §3.1)', async () => {
    const { refresh_token } = await flows.tokens('web');
    const gone = await flows.ownTokens('api');
    await flows.revoke('api', gone.access_token);
    for (const token of ['unknown', refresh_token, gone.access_token, 'x'.repeat(43)]) {
      const answer = await withBearer(token, 'x');
      expect(refusal(answer)).toEqual([401, 'invalid_token']);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="oauth", error="invalid_token"/);
    }
  });

  test('#91 anything but a live token of this server is 200 and exactly {"active":false} (RFC 7662 §2.2)', async () => {
    const { access_token: revoked } = await flows.ownTokens();
    await flows.revoke('service', revoked);
    const rotated = await flows.tokens('web');
    await flows.refresh('web', rotated.refresh_token);
    const code = await flows.code('web');
    const { device_code, user_code } = await flows.device('tv');
    const { access_token: expired } = await flows.ownTokens();
    advance(3599);
    expect(await flows.isActive(expired)).toBe(true);
    advance(1);
    const grantId = code.slice(0, 22);
    const texts = [
      ...[
        'unknown',
        'x'.repeat(43),
        'x'.repeat(65),
        '%',
        '../../token',
        '__proto__',
        'a'.repeat(20_000),
        asJwt({ sub: 'alice' }),
      ],
      ...[revoked, rotated.refresh_token, code, device_code, user_code, expired, grantId, `${grantId}${expired}`],
    ];
    for (const text of texts) {
      for (const caller of ['api', 'web', 'service']) {
        const answer = await flows.introspect(text, caller);
        expect([caller, answer.status, answer.text]).toEqual([caller, 200, INACTIVE]);
        expect(answer.headers['cache-control']).toBe('no-store');
      }
    }
  });

  test('#91 tokens that the caller may not see are inactive, not forbidden (RFC 7662 §4)', async () => {
    const web = await flows.tokens('web');
    const service = await flows.ownTokens();
    const second = await flows.ownTokens('second');
    for (const token of [web.access_token, web.refresh_token, service.access_token]) {
      expect((await flows.introspect(token, 'second')).text).toBe(INACTIVE);
      expect((await withBearer(second.access_token, token)).text, 'under-privileged bearer').toBe(INACTIVE);
    }
    expect((await flows.introspect(second.access_token, 'second')).json['active']).toBe(true);
    expect((await withBearer(second.access_token, second.access_token)).json['active']).toBe(true);
    expect((await withBearer((await flows.ownTokens('api')).access_token, web.access_token)).json['active']).toBe(true);
  });

  test("#91 a token of a public client without the scope introspect sees nothing, not even its own client's tokens", async () => {
    const { access_token } = await flows.tokens('native');
    for (const token of [access_token, 'unknown']) {
      const answer = await withBearer(access_token, token);
      expect(refusal(answer)).toEqual([403, 'insufficient_scope']);
      expect(answer.headers['www-authenticate']).toContain('scope="introspect"');
    }
    const { access_token: privileged } = await flows.tokens('auditor', { scope: 'introspect' });
    expect((await withBearer(privileged, access_token)).json['active']).toBe(true);
  });

  test('#91 a refresh token is inactive for all but its own client', async () => {
    const [web, native] = [await flows.tokens('web'), await flows.tokens('native')];
    const { access_token: api } = await flows.ownTokens('api');
    for (const token of [web.refresh_token, native.refresh_token]) {
      expect((await flows.introspect(token)).text).toBe(INACTIVE);
      expect((await withBearer(api, token)).text).toBe(INACTIVE);
    }
    expect((await flows.introspect(web.refresh_token, 'web')).json['active']).toBe(true);
    expect((await withBearer(web.access_token, web.refresh_token)).json['active']).toBe(true);
  });

  test('#91 a wrong or unknown token_type_hint changes nothing (RFC 7662 §2.1)', async () => {
    const { access_token, refresh_token } = await flows.tokens('web');
    for (const token of [access_token, refresh_token]) {
      const { text } = await flows.introspect(token, 'web');
      expect(text).not.toBe(INACTIVE);
      for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense']) {
        expect((await flows.introspect(token, 'web', { token_type_hint })).text).toBe(text);
      }
    }
    expect((await flows.introspect('unknown', 'api', { token_type_hint: 'access_token' })).text).toBe(INACTIVE);
  });

  test("#92 a user's token has all members of RFC 7662 §2.2", async () => {
    const iat = Math.floor(clock() / 1000);
    const { access_token, refresh_token } = await flows.tokens('web', { scope: 'profile' }, 'carol');
    const common = {
      active: true,
      sub: 'user-3',
      username: 'carol',
      client_id: 'web',
      scope: 'profile',
      aud: running.base,
      iss: running.base,
      iat,
    };
    expect((await flows.introspect(access_token)).json).toEqual({ ...common, exp: iat + 3600, token_type: 'Bearer' });
    // A refresh token has no type that a resource server could accept.
    expect((await flows.introspect(refresh_token, 'web')).json).toEqual({ ...common, exp: iat + 14 * 86_400 });
  });

  test("#92 a client's own token has no username", async () => {
    const iat = Math.floor(clock() / 1000);
    const { access_token } = await flows.ownTokens('service', { scope: 'highvolume' });
    expect((await flows.introspect(access_token)).json).toEqual({
      active: true,
      sub: 'client:service',
      client_id: 'service',
      scope: 'highvolume',
      aud: running.base,
      iss: running.base,
      exp: iat + 3600,
      iat,
      token_type: 'Bearer',
    });
  });

  test("#93 a caller outside the token's audience gets active:false (RFC 7662 §4)", async () => {
    const forPhotos = await flows.ownTokens('service', { resource: PHOTOS });
    const forFiles = await flows.ownTokens('service', { resource: FILES });
    const forUs = await flows.ownTokens();
    const seenBy = async (client_id: string) =>
      Promise.all(
        [forPhotos, forFiles, forUs].map(
          async ({ access_token }) => (await flows.introspect(access_token, client_id)).json['active'],
        ),
      );
    expect(await seenBy('photos')).toEqual([true, false, false]);
    expect(await seenBy('api')).toEqual([true, true, true]);
    const files = await flows.ownTokens('files', { scope: 'introspect' });
    const throughBearer = await Promise.all(
      [forPhotos, forFiles, forUs].map(
        async ({ access_token }) => (await withBearer(files.access_token, access_token)).json['active'],
      ),
    );
    expect(throughBearer).toEqual([false, true, false]);
  });

  test('#93 a token for another resource does not authenticate a caller here', async () => {
    const { access_token } = await flows.ownTokens('api', { resource: PHOTOS });
    expect(refusal(await withBearer(access_token, 'x'))).toEqual([401, 'invalid_token']);
  });

  test('#94 a JWT with edited claims and a live jti is active:false: stored state overrides claims (RFC 7662 §4)', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile' });
    const exp = Math.floor(clock() / 1000) + 999;
    for (const jti of [access_token, access_token.slice(0, 22), access_token.slice(22)]) {
      const forged = asJwt({
        jti,
        sub: 'alice',
        scope: 'introspect',
        client_id: 'api',
        exp,
        iss: running.base,
        aud: running.base,
      });
      expect((await flows.introspect(forged)).text).toBe(INACTIVE);
      expect((await flows.guarded('profile', forged)).status).toBe(401);
    }
  });

  test("#94 a token with another grant's id is invalid", async () => {
    const [mine, yours] = [await flows.tokens('web'), await flows.tokens('native', {}, 'bob')];
    for (const forged of [yours.access_token.slice(0, 22) + mine.access_token.slice(22), mine.access_token.slice(22)]) {
      expect((await flows.introspect(forged)).text).toBe(INACTIVE);
    }
    expect(await flows.areActive(mine.access_token, yours.access_token)).toEqual([true, true]);
  });

  test('#94 a token whose record names another grant than the token itself is invalid', async () => {
    const [mine, yours] = [await flows.tokens('web'), await flows.tokens('native', {}, 'bob')];
    const isMine = ([key]: readonly [string, object]): boolean => key.endsWith(`:${sha256(mine.access_token)}`);
    const [key, record] = [...store.entries()].find(isMine) ?? expect.fail('no record of the token');
    await store.delete(key);
    await store.add(key, { ...record, grant: yours.access_token.slice(0, 22) }, clock() + 60_000);
    expect((await flows.introspect(mine.access_token)).text).toBe(INACTIVE);
    expect((await flows.guarded('profile', mine.access_token)).status).toBe(401);
  });
});
