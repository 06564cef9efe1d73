import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { Client, bearer, eachFramework, sendRaw, useHost } from '../../hosts.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const PHOTOS = 'https://photos.example/api';

/** Routes of the host, and what they require. */
const GUARDED = {
  open: { scope: [] },
  profile: { scope: 'profile' },
  content: { scope: ['content.read', 'content.write'] },
  listed: { scope: 'content.read content.write' },
  photos: { scope: 'content.read', audience: PHOTOS },
} as const;

const NO_TOKEN = 'Bearer realm="oauth"';
const INVALID = 'Bearer realm="oauth", error="invalid_token", error_description="The access token is not valid."';

describe.each(eachFramework)('the guard on $name', (host) => {
  const { options, errors, advance, store } = fixture({ resources: [PHOTOS] });
  let storeIsAway = false;
  /** The store of the fixture, while it answers. */
  const answering = <T>(answer: () => Promise<T>): Promise<T> =>
    storeIsAway ? Promise.reject(new Error('connect ECONNREFUSED')) : answer();
  const wavering: Store = {
    add: (...record) => answering(() => store.add(...record)),
    swap: (...record) => answering(() => store.swap(...record)),
    get: (key) => answering(() => store.get(key)),
    delete: (key) => answering(() => store.delete(key)),
  };

  const running = useHost(host, { options: { ...options, store: wavering }, guarded: GUARDED }, errors);
  const flows = new Flows(running);
  const site = new Client(() => running.origin);

  const ask = async (authorization: string | undefined, route = 'profile') => {
    const answer = await site.get(`/guarded/${route}`, authorization === undefined ? {} : { authorization });
    return [answer.status, answer.headers['www-authenticate']];
  };

  test('#103 no token or another scheme is a 401 Bearer challenge without error (RFC 6750 §3, §3.1)', async () => {
    const credentials = Buffer.from('web:web-secret').toString('base64');
    for (const header of [undefined, 'Bearer', 'Bearer ', `Basic ${credentials}`, 'Digest x', 'BearerX abc', 'abc']) {
      expect(await ask(header)).toEqual([401, NO_TOKEN]);
    }
    const answer = await site.get('/guarded/profile');
    expect(answer.json).toEqual({ message: expect.stringContaining('Authorization: Bearer') });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('#103 the scheme is case-insensitive (RFC 9110 §11.1)', async () => {
    const { access_token } = await flows.tokens('web');
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
      expect(await ask(`${scheme} ${access_token}`)).toEqual([200, undefined]);
    }
  });

  test('the application receives the contents of the token, as introspection returns them', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'profile' }, 'carol');
    const { active: _, ...authorization } = (await flows.introspect(access_token)).json;
    const answer = await flows.guarded('profile', access_token);
    expect(answer.json).toEqual({ auth: authorization });
    expect(answer.json['auth']).toMatchObject({
      sub: 'user-3',
      username: 'carol',
      client_id: 'web',
      scope: 'profile',
      iss: running.base,
    });
  });

  test('#104 #109 anything but a live access token of this server is 401 invalid_token, at once and to the millisecond (RFC 6750 §3.1)', async () => {
    const web = await flows.tokens('web');
    const revoked = await flows.tokens('web');
    const grantRevoked = await flows.tokens('web');
    for (const { access_token } of [revoked, grantRevoked])
      expect(await ask(`Bearer ${access_token}`)).toEqual([200, undefined]);
    await flows.revoke('web', revoked.access_token);
    await flows.revoke('web', grantRevoked.refresh_token);
    for (const { access_token } of [revoked, grantRevoked])
      expect(await ask(`Bearer ${access_token}`)).toEqual([401, INVALID]);
    const expired = await flows.ownTokens();
    advance(3599.999);
    expect(await ask(`Bearer ${expired.access_token}`, 'open')).toEqual([200, undefined]);
    advance(0.001);
    const code = await flows.code('web');
    const { device_code, user_code } = await flows.device('tv');
    const tokens = [
      ...[web.refresh_token, expired.access_token, code, device_code, user_code],
      ...[
        'x',
        'x'.repeat(43),
        'x'.repeat(65),
        'a b',
        '"',
        'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.',
        `${web.access_token}x`,
      ],
    ];
    for (const token of tokens) expect(await ask(`Bearer ${token}`)).toEqual([401, INVALID]);
    const answer = await flows.guarded('profile', code);
    expect(answer.json).toEqual({ error: 'invalid_token', error_description: 'The access token is not valid.' });
  });

  test('#104 a token for another audience is 401 invalid_token, and the description names the resource to request', async () => {
    const forUs = await flows.ownTokens();
    const forPhotos = await flows.ownTokens('service', { resource: PHOTOS });
    const wants = (resource: string): string =>
      `Bearer realm="oauth", error="invalid_token", error_description="The access token is for another resource. Request one with resource=${resource} (RFC 8707)."`;
    expect(await ask(`Bearer ${forUs.access_token}`, 'photos')).toEqual([401, wants(PHOTOS)]);
    expect(await ask(`Bearer ${forPhotos.access_token}`, 'photos')).toEqual([200, undefined]);
    expect(await ask(`Bearer ${forPhotos.access_token}`, 'open')).toEqual([401, wants(running.base)]);
    expect(await ask(`Bearer ${forPhotos.access_token}x`, 'open'), 'no holder of a token').toEqual([401, INVALID]);
    expect(await ask(`Bearer ${forUs.access_token}`, 'open')).toEqual([200, undefined]);
  });

  test('#105 a missing scope is 403 insufficient_scope with all scopes of the operation (RFC 6750 §3.1)', async () => {
    const { access_token } = await flows.tokens('web', { scope: 'content.read' });
    const description = 'error_description="The access token lacks a scope that this request requires."';
    for (const route of ['content', 'listed']) {
      expect(await ask(`Bearer ${access_token}`, route)).toEqual([
        403,
        `Bearer realm="oauth", error="insufficient_scope", ${description}, scope="content.read content.write"`,
      ]);
    }
    expect(await ask(`Bearer ${access_token}`)).toEqual([
      403,
      `Bearer realm="oauth", error="insufficient_scope", ${description}, scope="profile"`,
    ]);
    expect(await ask(`Bearer ${access_token}`, 'open')).toEqual([200, undefined]);
    const both = await flows.tokens('web', { scope: 'content.write content.read' });
    expect(await ask(`Bearer ${both.access_token}`, 'content')).toEqual([200, undefined]);
  });

  test('#106 M15 a token in the query is ignored, and in addition to the header it is 400 invalid_request (RFC 6750 §2)', async () => {
    const { access_token } = await flows.tokens('web');
    const inQuery = await site.get(`/guarded/profile?access_token=${access_token}`);
    expect([inQuery.status, inQuery.headers['www-authenticate']]).toEqual([401, NO_TOKEN]);
    for (const name of ['access_token', 'access%5Ftoken', '%61ccess_toke%6e']) {
      const twice = await site.get(`/guarded/profile?x=1&${name}=${access_token}`, bearer(access_token));
      expect([name, twice.status, twice.json['error']]).toEqual([name, 400, 'invalid_request']);
      expect(twice.headers['www-authenticate']).toContain('error="invalid_request"');
    }
    for (const query of ['no_access_token=1', 'x=access_token=1', 'access%255Ftoken=1', '%zz=1'])
      expect([query, (await site.get(`/guarded/profile?${query}`, bearer(access_token))).status]).toEqual([query, 200]);
  });

  test('#106 a repeated Authorization header is 400 invalid_request, even if one of the tokens is valid', async () => {
    const { access_token } = await flows.tokens('web');
    const lines = [`Authorization: Bearer ${access_token}`, 'Authorization: Bearer x'];
    for (const headers of [lines, lines.toReversed(), [lines[0], lines[0]]]) {
      const request = ['GET /guarded/profile HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''].join(
        '\r\n',
      );
      expect(await sendRaw(running.origin, request)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  test('#109 while the store is unreachable, the answer is 503 with Retry-After', async () => {
    const { access_token } = await flows.tokens('web');
    for (const route of ['profile', 'open']) {
      storeIsAway = true;
      const away = await flows.guarded(route, access_token);
      storeIsAway = false;
      expect([away.status, away.headers['retry-after'], away.json['error']]).toEqual([
        503,
        '5',
        'temporarily_unavailable',
      ]);
      expect(away.text).not.toContain('ECONNREFUSED');
    }
    expect(errors.splice(0)).toHaveLength(2);
    expect(await ask(`Bearer ${access_token}`)).toEqual([200, undefined]);
  });
});
