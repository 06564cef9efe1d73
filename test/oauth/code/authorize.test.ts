import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, basic, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { type AuthorizationParameters, Browser, locationOf, PKCE } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const CB = 'https://app.example/cb';

const CLIENTS = [
  { client_id: 'loop', redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]/cb?x=1', 'http://localhost/cb'] },
  { client_id: 'pair', redirect_uris: ['https://pair.example/a', 'https://pair.example/b'] },
  {
    client_id: 'keep',
    client_secret: 'keep-secret',
    redirect_uris: ['https://Keep.example:443/CB?keep=1&scope=mine&empty='],
  },
  {
    client_id: 'mute',
    client_secret: 'mute-secret',
    redirect_uris: ['https://mute.example/cb'],
    grant_types: ['client_credentials'],
  },
  { client_id: 'gone', client_secret: 'gone-secret', redirect_uris: ['https://gone.example/cb'], disabled: true },
] as const;

const WEB = { response_type: 'code', client_id: 'web', state: 'st' } as const;
const LOOP = { response_type: 'code', client_id: 'loop', ...PKCE.request } as const;

/** The server keeps the browser: a page, and nowhere to go. */
const expectPage = (answer: Answer): void => {
  expect(answer.headers.location).toBeUndefined();
  expect(answer.status).toBe(400);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
};

/** Each refusal has a reference of its own. */
const withoutReference = ({ text }: Answer): string => text.replace(/Reference: <bdi>[^<]*/, '');

/** The address without the answer, and the error in it. */
const refusal = (answer: Answer): readonly [address: string, error: string | null] => {
  const url = locationOf(answer);
  return [url.slice(0, url.indexOf('?')), new URL(url).searchParams.get('error')];
};

/** A request that is good up to the scope: its answer shows which redirect URI was accepted. */
const redirectedTo = async (browser: Browser, parameters: AuthorizationParameters): Promise<string> => {
  const [address, error] = refusal(await browser.authorize({ ...parameters, scope: 'no-such-scope' }));
  expect(error).toBe('invalid_scope');
  return address;
};

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const { options, events, errors } = fixture({ clients: CLIENTS });

  const host = useHost({ start }, { options }, errors);
  const signedIn = new Browser(host);
  beforeAll(async () => {
    await signedIn.signIn(await signedIn.authorize(WEB));
  });

  const authorize = (parameters: AuthorizationParameters): Promise<Answer> => new Browser(host).authorize(parameters);

  describe('the request', () => {
    test('#15 GET is served, and POST has the same results (RFC 6749 §3.1)', async () => {
      const requests: readonly AuthorizationParameters[] = [
        { ...WEB, client_id: 'nobody' },
        { ...WEB, client_id: ['web', 'web'] },
        { ...WEB, redirect_uri: 'https://evil.example/cb' },
        { ...WEB, response_type: 'nonsense' },
        { ...WEB, scope: 'nonsense' },
        { ...WEB, scope: ['profile', 'profile'] },
        { response_type: 'code', client_id: 'spa' },
      ];
      for (const request of requests) {
        const [got, posted] = await Promise.all([
          authorize(request),
          new Client(host.base).post('/oauth/authorize', request),
        ]);
        expect(posted.status).toBe(got.status === 302 ? 303 : got.status);
        expect([posted.headers.location, withoutReference(posted)]).toEqual([
          got.headers.location,
          withoutReference(got),
        ]);
      }
      const good = await new Client(host.base).post('/oauth/authorize', WEB);
      expect(good.status).toBe(303);
      const page = await new Browser(host).follow(good);
      expect([page.status, page.text.includes('name="password"')]).toEqual([200, true]);
    });

    test('#16 a client_id that is missing, repeated or unknown is a 400 page without Location (RFC 6749 §4.1.2.1)', () =>
      everyRow(
        [
          ['missing', {}],
          ['empty', { client_id: '' }],
          ['unknown', { client_id: 'nobody' }],
          ['a name of Object.prototype', { client_id: 'constructor' }],
          ['repeated', { client_id: ['web', 'web'] }],
          ['repeated, the second one empty', { client_id: ['web', ''] }],
          ['not printable', { client_id: 'web\u0000' }],
          ['not ASCII', { client_id: 'wéb' }],
          ['disabled', { client_id: 'gone', redirect_uri: 'https://gone.example/cb' }],
        ],
        async ([, parameters]) => {
          expectPage(await authorize({ response_type: 'code', redirect_uri: CB, ...parameters }));
        },
      ));

    test('#17 a redirect_uri that is missing, repeated or not registered is a 400 page without Location (RFC 6749 §3.1.2, §4.1.2.1)', () =>
      everyRow(
        [
          ['unregistered', 'https://evil.example/cb'],
          ['of another client', 'https://spa.example/cb'],
          ['malformed', 'https://'],
          ['no URI', 'cb'],
          ['relative', '/cb'],
          ['relative to a scheme', '//app.example/cb'],
          ['with a fragment', `${CB}#`],
          ['with a fragment and more', `${CB}#x`],
          ['repeated', [CB, CB]],
          ['repeated, one of them wrong', [CB, 'https://evil.example/cb']],
          ['with a line break', `${CB}\r\nX-Evil: 1`],
          ['with a space in front', ` ${CB}`],
          ['not ASCII', 'https://app.éxample/cb'],
        ],
        async ([, redirect_uri]) => {
          expectPage(await authorize({ ...WEB, redirect_uri }));
        },
      ));

    test('#18 a redirect_uri that is only similar to the registered one is rejected (RFC 9700 §2.1, §4.1.3)', () =>
      everyRow(
        [
          'https://app.example/cb/',
          'https://app.example/CB',
          'https://app.example/cb?',
          'https://app.example/cb?x=1',
          'https://app.example:443/cb',
          'https://app.example:8443/cb',
          'https://user@app.example/cb',
          'https://app.example@evil.example/cb',
          'https://app.example/x/../cb',
          'https://app.example/./cb',
          'https://app.example/%2e/cb',
          'https://app.example/%63b',
          'https://app.example//cb',
          'https://app.example\\cb',
          'https://app.example/cb;x',
          'https://www.app.example/cb',
          'https://app.example.evil.example/cb',
          'https://app.example./cb',
          'https://APP.example/cb',
          'HTTPS://app.example/cb',
          'http://app.example/cb',
          'app.example:/cb',
          'https://app.example/c',
          'https://app.example/',
          'https://app.example',
        ],
        async (redirect_uri) => {
          expectPage(await authorize({ ...WEB, redirect_uri }));
        },
      ));

    test('#19 a loopback URI may use any port, which the redirect keeps (RFC 8252 §7.3)', () =>
      everyRow(
        [
          'http://127.0.0.1/cb',
          'http://127.0.0.1:80/cb',
          'http://127.0.0.1:51004/cb',
          'http://127.0.0.1:65535/cb',
          // Not localhost, unless an option changes that (RFC 8252 §8.3).
          'http://localhost/cb',
        ],
        async (redirect_uri) => {
          expect(await redirectedTo(signedIn, { ...LOOP, redirect_uri })).toBe(redirect_uri);
        },
      ));

    test('#19 so may the loopback address of IPv6, with a matching query (RFC 8252 §7.3)', async () => {
      const redirect_uri = 'http://[::1]:4711/cb?x=1';
      const answer = await authorize({ ...LOOP, redirect_uri, scope: 'no-such-scope' });
      expect(locationOf(answer)).toMatch(/^http:\/\/\[::1\]:4711\/cb\?x=1&error=invalid_scope&/);
      for (const other of ['http://[::1]:4711/cb', 'http://[::1]:4711/cb?x=2', 'http://[::1]:4711/cb?x=1&y=2']) {
        expectPage(await authorize({ ...LOOP, redirect_uri: other }));
      }
    });

    test('#19 a loopback redirect_uri may only differ in the port (RFC 8252 §8.3; RFC 9700 §2.1)', () =>
      everyRow(
        [
          'https://127.0.0.1/cb',
          'http://127.1/cb',
          'http://127.0.0.2/cb',
          'http://2130706433/cb',
          'http://0177.0.0.1/cb',
          'http://127.0.0.1.evil.example/cb',
          'http://127.0.0.1:1@evil.example/cb',
          'http://evil.example:80@127.0.0.1/cb',
          'http://[::ffff:127.0.0.1]/cb',
          'http://[0:0:0:0:0:0:0:1]/cb?x=1',
          'http://127.0.0.1:65536/cb',
          'http://127.0.0.1:0/cb',
          'http://127.0.0.1:00080/cb',
          'http://127.0.0.1:051004/cb',
          'http://127.0.0.1:/cb',
          'http://127.0.0.1:+80/cb',
          'http://127.0.0.1:80/cb/',
          'http://127.0.0.1:80/cb?x=1',
          'http://127.0.0.1:80/',
          'http://127.0.0.1:80',
          'http://127.0.0.1:80/cb#x',
          'http://localhost:80/cb',
          'http://localhost:51004/cb',
          'HTTP://127.0.0.1:80/cb',
        ],
        async (redirect_uri) => {
          expectPage(await authorize({ ...LOOP, redirect_uri }));
        },
      ));

    test('#20 redirect_uri omitted → the single registered one is used; several → 400 page (RFC 6749 §3.1.2.3)', async () => {
      expect(await redirectedTo(signedIn, WEB)).toBe(CB);
      expectPage(await authorize({ response_type: 'code', client_id: 'pair' }));
      const redirect_uri = 'https://pair.example/b';
      expect(await redirectedTo(signedIn, { ...LOOP, client_id: 'pair', redirect_uri })).toBe(redirect_uri);
    });

    test('#20 none registered → 400 page (RFC 6749 §3.1.2.3)', async () => {
      expectPage(await authorize({ response_type: 'code', client_id: 'service' }));
      expectPage(await authorize({ response_type: 'code', client_id: 'service', redirect_uri: CB }));
    });

    test('#22 missing response_type → redirect invalid_request, unknown → unsupported_response_type (RFC 6749 §4.1.2.1)', async () => {
      const { response_type: _, ...missing } = WEB;
      expect(refusal(await authorize(missing))).toEqual([CB, 'invalid_request']);
      expect(refusal(await authorize({ ...WEB, response_type: '' }))).toEqual([CB, 'invalid_request']);
      expect(refusal(await authorize({ ...WEB, response_type: ['code', 'code'] }))).toEqual([CB, 'invalid_request']);
      for (const response_type of ['nonsense', 'CODE', 'constructor', 'id_token', 'code token', 'code id_token']) {
        expect(refusal(await authorize({ ...WEB, response_type }))).toEqual([CB, 'unsupported_response_type']);
      }
    });

    test('#22 a response_type that only other clients may use → unauthorized_client, nothing issued (RFC 6749 §4.1.2.1)', async () => {
      events.length = 0;
      expect(refusal(await signedIn.authorize({ ...WEB, client_id: 'mute' }))).toEqual([
        'https://mute.example/cb',
        'unauthorized_client',
      ]);
      expect(events.map(({ type }) => type)).toEqual(['authorization.refused']);
    });

    test('#23 a scope that is unknown, malformed or not for this client redirects with invalid_scope (RFC 6749 §3.3)', () =>
      everyRow(
        [
          'nonsense',
          'profile nonsense',
          'highvolume introspect',
          'profile  content.read',
          ' profile',
          'profile ',
          'pro"file',
          'PROFILE',
        ],
        async (scope) => {
          expect(refusal(await authorize({ ...WEB, scope }))).toEqual([CB, 'invalid_scope']);
        },
      ));

    test('#28 by default response_type=token → unsupported_response_type in the query, grant_type=password → unsupported_grant_type (RFC 9700 §2.1.2, §2.4)', async () => {
      expect(refusal(await authorize({ ...WEB, response_type: 'token' }))).toEqual([CB, 'unsupported_response_type']);
      const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
      const answer = await new Client(host.base).post('/oauth/token', form, basic('web', 'web-secret'));
      expect([answer.status, answer.json['error']]).toEqual([400, 'unsupported_grant_type']);
    });
  });

  describe('the response', () => {
    const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

    test.each([
      ['all printable ASCII', PRINTABLE],
      ['two KiB', PRINTABLE.repeat(22)],
      ['something like an escape', '%20+%2B&state=other&error=x#'],
    ])(
      '#24 state of %s is returned byte for byte, on success, denial and error, and only once (RFC 6749 §4.1.2)',
      async (_what, state) => {
        const answers = [
          await signedIn.authorizeFor({ ...WEB, state }),
          await signedIn.authorizeFor({ ...WEB, state }, { decision: 'deny' }),
          await signedIn.authorize({ ...WEB, state, scope: 'nonsense' }),
        ];
        for (const answer of answers) expect(new URL(locationOf(answer)).searchParams.getAll('state')).toEqual([state]);
      },
    );

    test('#24 no state if none was sent, or more than one (RFC 6749 §4.1.2)', async () => {
      const { state: _, ...request } = WEB;
      const answers = [
        await signedIn.authorizeFor(request),
        await signedIn.authorizeFor({ ...request, state: '' }),
        await signedIn.authorize({ ...request, scope: 'nonsense' }),
        await signedIn.authorize({ ...request, state: ['a', 'b'] }),
        // Whatever else is wrong with one of them.
        await signedIn.authorize({ ...request, state: ['\u0000', 'b'] }),
        await signedIn.authorize({ ...request, state: ['a', 'é'] }),
        ...(await Promise.all(
          ['state=a&state=%zz', 'state=%zz&state=a', 'stat%65=%C3&state=a'].map((states) =>
            signedIn.open(`${host.base}/oauth/authorize?response_type=code&client_id=web&${states}`),
          ),
        )),
      ];
      for (const answer of answers) expect(new URL(locationOf(answer)).searchParams.has('state')).toBe(false);
    });

    test('#25 a registered query is unchanged on success and error, and followed by our parameters (RFC 6749 §3.1.2)', async () => {
      const request = { ...WEB, client_id: 'keep' };
      const start = 'https://Keep.example:443/CB?keep=1&scope=mine&empty=&';
      const good = locationOf(await signedIn.authorizeFor(request));
      const bad = locationOf(await signedIn.authorize({ ...request, scope: 'nonsense' }));
      for (const location of [good, bad]) expect(location.slice(0, start.length)).toBe(start);
      const names = (location: string): readonly string[] => [
        ...new URLSearchParams(location.slice(start.length)).keys(),
      ];
      expect(names(good)).toEqual(['code', 'state', 'iss']);
      expect(names(bad)).toEqual(['error', 'error_description', 'state', 'iss']);
    });

    test('#26 iss, identical to the issuer in the metadata, on success, denial and error (RFC 9207 §2)', async () => {
      const metadata = await new Client(host.base).get('/.well-known/oauth-authorization-server');
      const { issuer, authorization_response_iss_parameter_supported: supported } = metadata.json;
      expect([issuer, supported]).toEqual([host.base, true]);
      const answers = [
        await signedIn.authorizeFor(WEB),
        await signedIn.authorizeFor(WEB, { decision: 'deny' }),
        await signedIn.authorize({ ...WEB, scope: 'nonsense' }),
      ];
      for (const answer of answers) expect(new URL(locationOf(answer)).searchParams.getAll('iss')).toEqual([issuer]);
    });
  });
});

describe.each(hostFor(import.meta.url))('$name with the implicit grant', ({ start }) => {
  const legacy = 'https://legacy.example/cb';
  const { options, errors } = fixture({
    grants: ['authorization_code', 'implicit', 'refresh_token'],
    clients: [
      {
        client_id: 'legacy',
        client_secret: 'legacy-secret',
        redirect_uris: [legacy],
        grant_types: ['implicit', 'refresh_token'],
      },
    ],
  });
  const TOKEN = { response_type: 'token', client_id: 'legacy', scope: 'profile', state: 'a b' };

  const host = useHost({ start }, { options }, errors);
  const browser = new Browser(host);

  /** What came in the fragment; nothing may be in the query. */
  const fragmentOf = (answer: Answer): Readonly<Record<string, string>> => {
    const [address, fragment] = locationOf(answer).split('#');
    expect(address).toBe(legacy);
    return Object.fromEntries(new URLSearchParams(fragment));
  };

  test('#27 the token is in the fragment, without a refresh token (RFC 6749 §4.2.2)', async () => {
    const { access_token, ...rest } = fragmentOf(await browser.authorizeFor(TOKEN));
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: '3600', scope: 'profile', state: 'a b', iss: host.base });
    const guarded = await new Client(host.origin).get('/guarded/profile', { authorization: `Bearer ${access_token}` });
    expect(guarded.json).toMatchObject({ auth: { sub: 'alice', client_id: 'legacy', scope: 'profile' } });
  });

  test('#27 errors are in the fragment too (RFC 6749 §4.2.2.1)', async () => {
    const denied = fragmentOf(await browser.authorizeFor(TOKEN, { decision: 'deny' }));
    expect(denied).toMatchObject({ error: 'access_denied', state: 'a b', iss: host.base });
    const refused = fragmentOf(await browser.authorize({ ...TOKEN, scope: 'nonsense' }));
    expect(refused).toMatchObject({ error: 'invalid_scope', state: 'a b', iss: host.base });
  });

  test('#22 a client without the implicit grant → unauthorized_client, although another client has it (RFC 6749 §4.1.2.1)', async () => {
    const answer = await browser.authorize({ response_type: 'token', client_id: 'web' });
    expect(new URLSearchParams(locationOf(answer).split('#')[1]).get('error')).toBe('unauthorized_client');
    expect(refusal(await browser.authorize({ response_type: 'code', client_id: 'legacy' }))).toEqual([
      legacy,
      'unauthorized_client',
    ]);
  });
});

describe.each(hostFor(import.meta.url))('$name with allowLocalhostRedirects', ({ start }) => {
  test('#19 http://localhost may use any port with the option (RFC 8252 §8.3)', async () => {
    const browser = new Browser(await start(fixture({ clients: CLIENTS, allowLocalhostRedirects: true })));
    expect(await redirectedTo(browser, { ...LOOP, redirect_uri: 'http://localhost:51004/cb' })).toBe(
      'http://localhost:51004/cb',
    );
    for (const redirect_uri of [
      'http://localhost.evil.example/cb',
      'http://127.0.0.1:80/cb/',
      'https://localhost:51004/cb',
    ]) {
      expectPage(await browser.authorize({ ...LOOP, redirect_uri }));
    }
  });
});
