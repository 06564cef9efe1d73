import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { Client, hostFor, oneHostEach, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { es256, forgeries, mint, newKey, read } from '../support/jwt.js';
import { Flows, refusal } from '../support/tokens.js';

const PHOTOS = 'https://photos.example/api';

const GUARDED = {
  open: { scope: [] },
  profile: { scope: 'profile' },
  write: { scope: 'content.write' },
  photos: { scope: 'content.read', audience: PHOTOS },
} as const;

describe.each(hostFor(import.meta.url))('JWT access tokens on $name', (host) => {
  const key = newKey();
  const { options, errors, advance, clock } = fixture({ jwt: [{ key }] });
  const withResources = (base: string) => ({ ...options, resources: [PHOTOS, base] });
  const running = useHost(host, { options: withResources, guarded: GUARDED }, errors);
  const flows = new Flows(running);

  const now = () => clock() / 1000;
  const status = async (token: string, route = 'open') => (await flows.guarded(route, token)).status;

  test('#102 a JWT access token has typ at+jwt, an asymmetric alg, a kid and every claim (RFC 9068 §2)', async () => {
    const answer = await flows.ownTokens('service', { scope: 'content.read' });
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'content.read' });
    const { header, claims } = read(answer.access_token);
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(claims).toEqual({
      iss: running.base,
      sub: 'client:service',
      aud: running.base,
      client_id: 'service',
      scope: 'content.read',
      iat: now(),
      exp: now() + 3600,
      jti: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  test("#102 an owner's token names the owner, and the requested resource (RFC 9068 §3)", async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile content.read', resource: PHOTOS }, 'carol');
    expect(read(access_token).claims).toMatchObject({
      sub: 'user-3',
      client_id: 'web',
      aud: PHOTOS,
      scope: 'profile content.read',
    });
    expect(await status(access_token, 'photos')).toBe(200);
    expect((await flows.guarded('profile', access_token)).headers['www-authenticate']).toContain(
      'error="invalid_token"',
    );
  });

  test('#102 a token for several resources names them all, and passes at each (RFC 8707 §2)', async () => {
    const aud = [PHOTOS, running.base];
    const { access_token } = await flows.tokens('web', { scope: 'profile content.read', resource: aud });
    expect(read(access_token).claims['aud']).toEqual(aud);
    expect([await status(access_token, 'photos'), await status(access_token, 'profile')]).toEqual([200, 200]);
    expect((await flows.introspect(access_token)).json['aud']).toEqual(aud);
  });

  test('#101 the JWKS in the metadata has public members only, and verifies the tokens (RFC 8414 §2, RFC 7517)', async () => {
    const { access_token } = await flows.ownTokens();
    const { jwks_uri } = (await flows.client.get('/.well-known/oauth-authorization-server')).json;
    const answer = await flows.client.get(String(jwks_uri));
    const { kid } = read(access_token).header;
    expect(answer.json).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid, alg: 'ES256', use: 'sig' }],
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
    const verified = await jwtVerify(access_token, createLocalJWKSet(JSON.parse(answer.text)), {
      issuer: running.base,
      audience: running.base,
      typ: 'at+jwt',
      currentDate: new Date(clock()),
    });
    expect(verified.payload['client_id']).toBe('service');
    expect((await flows.client.post('/oauth/jwks', {})).status).toBe(405);
  });

  test('#92 introspection of a JWT returns the same as for an opaque token, including the user name (RFC 7662 §2.2)', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile' }, 'carol');
    const { iat, exp } = read(access_token).claims;
    const described = {
      sub: 'user-3',
      username: 'carol',
      client_id: 'web',
      scope: 'profile',
      aud: running.base,
      iss: running.base,
      exp,
      iat,
      token_type: 'Bearer',
    };
    expect((await flows.introspect(access_token)).json).toEqual({ active: true, ...described });
    expect((await flows.guarded('profile', access_token)).json).toEqual({ auth: described });
    const own = await flows.ownTokens();
    expect((await flows.introspect(own.access_token)).json).toMatchObject({ active: true, sub: 'client:service' });
    expect((await flows.introspect(own.access_token)).json).not.toHaveProperty('username');
  });

  test('#94 #104 #107 a forged JWT is 401 invalid_token at the guard and {"active":false} at introspection (RFC 9068 §4, RFC 8725)', async () => {
    const code = await flows.code('web');
    const { access_token, refresh_token } = await flows.tokens('web', { scope: 'profile' });
    const { header, claims } = read(access_token);
    const again = mint(header, claims, es256(key));
    expect([await status(access_token), await status(again), await flows.isActive(again)]).toEqual([200, 200, true]);
    const noKid = mint({ alg: 'ES256', typ: 'at+jwt' }, claims, es256(key));
    const strangeId = mint(header, { ...claims, jti: 'not one of ours' }, es256(key));
    const cases = {
      ...forgeries(access_token, key),
      'without kid': noKid,
      'with a jti of nobody': strangeId,
      ...{ code, refresh_token, 'the jti alone': String(claims['jti']) },
    };
    for (const [name, token] of Object.entries(cases)) {
      const guarded = await flows.guarded('open', token);
      expect([name, ...refusal(guarded)]).toEqual([name, 401, 'invalid_token']);
      expect([name, (await flows.introspect(token)).text]).toEqual([name, '{"active":false}']);
    }
    // The genuine one has not suffered, nor does it lend its claims to a forgery.
    expect([await status(access_token), await status(access_token, 'write')]).toEqual([200, 403]);
  });

  test('#104 #105 a JWT expires at its exact second, and only has its own scopes', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile' });
    expect(refusal(await flows.guarded('write', access_token))).toEqual([403, 'insufficient_scope']);
    advance(3599);
    expect([await status(access_token), await flows.isActive(access_token)]).toEqual([200, true]);
    advance(1);
    expect([await status(access_token), await flows.isActive(access_token)]).toEqual([401, false]);
  });

  test('#91 #97 a revoked JWT is inactive immediately, and only that one; with its grant, every one (RFC 7009 §2.1)', async () => {
    const { access_token, refresh_token } = await flows.tokens('web');
    expect([await status(access_token), await flows.isActive(access_token)]).toEqual([200, true]);
    expect(refusal(await flows.revoke('service', access_token))).toEqual([400, 'invalid_grant']);
    expect(await flows.isActive(access_token)).toBe(true);
    expect((await flows.revoke('web', access_token)).status).toBe(200);
    expect((await flows.revoke('web', access_token)).status).toBe(200);
    expect([await status(access_token), await flows.isActive(access_token)]).toEqual([401, false]);
    const next = await flows.refreshed('web', refresh_token);
    expect(await flows.areActive(access_token, next.access_token)).toEqual([false, true]);
    const own = await flows.ownTokens();
    await flows.revoke('service', own.access_token);
    await flows.revoke('web', next.refresh_token);
    expect([await status(own.access_token), await status(next.access_token)]).toEqual([401, 401]);
  });

  test('#70 a refresh repeated in the grace window returns the same JWT, whose revocation ends every copy', async () => {
    const { refresh_token } = await flows.tokens('web');
    const first = await flows.refreshed('web', refresh_token);
    advance(5);
    const second = await flows.refreshed('web', refresh_token);
    expect(second.refresh_token).toBe(first.refresh_token);
    expect(read(second.access_token)).toEqual(read(first.access_token));
    expect(second.expires_in).toBe(3600);
    await flows.revoke('web', first.access_token);
    expect(await flows.areActive(first.access_token, second.access_token)).toEqual([false, false]);
  });
});

describe('a server whose access tokens are opaque', () => {
  test('#101 M21 has an empty JWKS and accepts no JWT', async () => {
    const running = await oneHostEach[0].start(fixture());
    const client = new Client(running.base);
    expect((await client.get('/oauth/jwks')).json).toEqual({ keys: [] });
    expect((await client.get('/.well-known/oauth-authorization-server')).json).not.toHaveProperty('jwks_uri');
    const token = mint({ alg: 'ES256', typ: 'at+jwt' }, { iss: running.base, sub: 'alice' }, es256(newKey()));
    expect(refusal(await new Flows(running).guarded('profile', token))).toEqual([401, 'invalid_token']);
  });
});
