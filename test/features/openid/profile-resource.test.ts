import { mediaWikiProfile, profileResource } from 'oauth-query/openid';
import { describe, expect, test } from 'vitest';
import { bearer, Client, hostFor, useHost } from '../../hosts.js';
import { fixture } from '../../oauth/support/fixture.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';

describe.each(hostFor(import.meta.url))('a profile without OpenID Connect on $name', (host) => {
  let answer: () => unknown = () => ({});
  const { options, errors } = fixture({
    features: [
      profileResource({
        path: '/me',
        scope: 'profile',
        claims: ({ sub, username, client_id }) =>
          (answer() as Record<string, unknown> | undefined) ?? { sub, username, client_id },
      }),
    ],
    cors: ['https://spa.example'],
  });
  const running = useHost(host, { options }, errors);
  const flows = new Flows(running);
  const me = (token: string) => new Client(running.base).get('/me', token === '' ? {} : bearer(token));

  test('O69: it serves the document of the application about the owner, uncached and readable by allowed origins', async () => {
    answer = () => undefined;
    const { access_token } = await flows.tokens('web');
    const { status, headers, json } = await new Client(running.base).get('/me', {
      ...bearer(access_token),
      origin: 'https://spa.example',
    });
    expect({ status, json }).toEqual({ status: 200, json: { sub: 'alice', username: 'alice', client_id: 'web' } });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': 'https://spa.example',
    });
  });

  test('O69: without a token, with a bad one, without the scope or for a client it answers as RFC 6750 says', async () => {
    const own = await flows.token('service', { grant_type: 'client_credentials' });
    const narrow = await flows.tokens('web', { scope: 'content.read' });
    const rows = [
      ['', 401, /^Bearer realm="oauth"$/],
      ['nonsense', 401, /error="invalid_token"/],
      [narrow.access_token, 403, /error="insufficient_scope".*scope="profile"/],
      [String(own.json['access_token']), 403, /error="insufficient_scope"/],
    ] as const;
    for (const [token, status, challenge] of rows) {
      const refused = await me(token);
      expect(refused.status).toBe(status);
      expect(refused.headers['www-authenticate']).toMatch(challenge);
      expect(refused.headers['access-control-expose-headers']).toBe('www-authenticate');
    }
  });

  test('O69: a wrong document never reaches the application', async () => {
    const { access_token } = await flows.tokens('web');
    const rows = [
      [() => 'alice', /must return an object/],
      [() => ({ sub: 'bob' }), /different owner/],
      [() => ({ text: 'x'.repeat(40_000) }), /more than 32768 bytes/],
      [() => Promise.reject(new Error('the directory is away')), /directory is away/],
    ] as const;
    for (const [wrong, problem] of rows) {
      answer = wrong;
      const refused = await me(access_token);
      expect(refused.status).toBeGreaterThanOrEqual(500);
      expect(refused.text).not.toMatch(problem);
      expect(String(errors.splice(0))).toMatch(problem);
    }
    answer = () => undefined;
  });
});

describe.each(hostFor(`${import.meta.url}2`))('the profile of a wiki on $name', (host) => {
  const { options } = fixture({
    scopes: { basic: 'Basic rights', 'mwoauth-authonlyprivate': 'See your name and e-mail address' },
    clients: [
      {
        client_id: 'wiki',
        client_secret: 'wiki-secret',
        redirect_uris: ['https://wiki.example/cb'],
        scope: 'basic mwoauth-authonlyprivate',
      },
    ],
    features: [
      mediaWikiProfile({
        user: (sub) => ({
          username: `User ${sub}`,
          editcount: 7,
          registered: new Date('2020-02-03T04:05:06Z'),
          groups: ['*', 'user', 'sysop'],
          realname: 'Alice Liddell',
          email: 'alice@example.org',
        }),
      }),
    ],
  });
  test('O69: it is where MediaWiki has it, and shows private data by scope', async () => {
    const running = await host.start({ options: { ...options, clients: (options.clients as readonly [])?.slice(-1) } });
    const flows = new Flows(running, [
      { client_id: 'wiki', client_secret: 'wiki-secret', redirect_uris: ['https://wiki.example/cb'] },
    ]);
    const read = async (scope: string) => {
      const { access_token } = await flows.tokens('wiki', { scope });
      return (await new Client(running.base).get('/rest.php/oauth2/resource/profile', bearer(access_token))).json;
    };
    const open = {
      ...{ sub: 'alice', username: 'User alice', editcount: 7, confirmed_email: false, blocked: false },
      ...{ registered: '20200203040506', groups: ['*', 'user', 'sysop'], rights: [] },
    };
    expect(await read('basic')).toEqual(open);
    expect(await read('mwoauth-authonlyprivate')).toEqual({
      ...open,
      ...{ realname: 'Alice Liddell', email: 'alice@example.org' },
    });
  });
});

test('O3: a mistake in the options stops the start, with the option and the remedy', () =>
  everyRow(
    [
      [() => profileResource({} as never), /profileResource.claims/],
      [() => profileResource({ claims: () => ({}), scope: 'a  b' }), /scope must be scopes/],
      [() => profileResource({ claims: () => ({}), scopes: 'a' } as never), /scopes/],
      [() => mediaWikiProfile({} as never), /mediaWikiProfile.user/],
    ] as const,
    ([make, problem]) => {
      expect(make).toThrow(problem);
    },
  ));
