import { describe, expect, test } from 'vitest';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { type Answer, basic, bearer, Client, hostFor, sendRaw, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, PKCE, responseOf } from '../support/browser.js';
import { DEVICE_CODE, fixture, START } from '../support/fixture.js';
import { limitsOfSuite } from '../support/limits.js';
import { refusal } from '../support/tokens.js';

const GRANT = 'grant_type=client_credentials';
const CHALLENGE = 'Basic realm="oauth"';
const FAILED = { error: 'invalid_client', error_description: 'Client authentication failed.' };

/** Everything that means something somewhere on the way: to Basic, to forms, to base64, to UTF-8. */
const ODD_ID = 'a:b%c+d e/=&?';
const ODD_SECRET = ':%+ é=&"\\€~!';

const machine = { grant_types: ['client_credentials'], scope: 'content.read' } as const;

const CLIENTS: readonly ClientRegistration[] = [
  { client_id: ODD_ID, client_secret: ODD_SECRET, ...machine },
  { client_id: 'by-header', client_secret: 'secret', token_endpoint_auth_method: 'client_secret_basic', ...machine },
  { client_id: 'by-body', client_secret: 'secret', token_endpoint_auth_method: 'client_secret_post', ...machine },
  {
    client_id: 'rolling',
    client_secret: ['old', { value: 'new' }, { value: 'ending', expiresAt: START + 600_000 }],
    ...machine,
  },
  { client_id: 'disabled', client_secret: 'secret', disabled: true, ...machine },
  {
    client_id: 'code-only',
    client_secret: 'secret',
    redirect_uris: ['https://code.example/cb'],
    grant_types: ['authorization_code'],
  },
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  limitsOfSuite({ clientFailures: 1000 });
  const { options, errors, events, advance, clock } = fixture({ clients: CLIENTS });

  const host = useHost({ start }, { options }, errors);
  const client = new Client(() => host.base);

  const withHeader = (authorization: string, form = GRANT): Promise<Answer> =>
    client.post('/oauth/token', form, { authorization });
  const withBody = (client_id: string, client_secret: string): Promise<Answer> =>
    client.post('/oauth/token', { grant_type: 'client_credentials', client_id, client_secret });

  const expectRefused = ({ status, json, headers }: Answer, challenge: string | undefined): void => {
    expect([status, json, headers['www-authenticate']]).toEqual([401, FAILED, challenge]);
  };

  describe('a confidential client without credentials', () => {
    test('#47 wrong or missing credentials are invalid_client (RFC 6749 §3.2.1)', () =>
      everyRow(
        [
          ['/oauth/token', `${GRANT}&client_id=service`],
          ['/oauth/token', 'grant_type=refresh_token&refresh_token=x&client_id=web'],
          ['/oauth/token', `grant_type=${DEVICE_CODE}&device_code=x&client_id=box`],
          ['/oauth/device', 'client_id=box'],
          ['/oauth/introspect', 'client_id=api&token=x'],
          ['/oauth/revoke', 'client_id=service&token=x'],
        ],
        async ([path, form]) => {
          expectRefused(await client.post(path, form), undefined);
          expectRefused(await client.post(path, `${form}&client_secret=`), undefined);
        },
      ));

    test('a client_id of more than 512 characters reaches neither clients.find nor an event', async () => {
      const asked: string[] = [];
      const { options, events } = fixture({ clients: [{ find: (id) => void asked.push(id) }] });
      const other = await start({ options });
      const http = new Client(other.base);
      await everyRow([513, 1501, 20_000], async (length) => {
        for (const id of ['x'.repeat(length), `reg.${'x'.repeat(length - 4)}`]) {
          const query = new URLSearchParams({
            response_type: 'code',
            client_id: id,
            redirect_uri: 'https://a.example/',
          });
          expect((await http.get(`/oauth/authorize?${query}`)).status).toBe(length > 10_000 ? 431 : 400);
          const assertion = ['{"alg":"ES256"}', JSON.stringify({ iss: id })]
            .map((part) => Buffer.from(part).toString('base64url'))
            .join('.');
          for (const path of ['/oauth/token', '/oauth/device', '/oauth/introspect', '/oauth/revoke']) {
            const form = { grant_type: 'client_credentials', token: 'x' };
            expect((await http.post(path, { ...form, client_id: id, client_secret: 's' })).status).toBeGreaterThan(399);
            expect((await http.post(path, form, basic(id, 's'))).status).toBeGreaterThan(399);
            const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
            const signed = { ...form, client_assertion_type, client_assertion: `${assertion}.AAAA` };
            expect((await http.post(path, signed)).status).toBeGreaterThan(399);
          }
        }
      });
      await http.post('/oauth/token', { grant_type: 'client_credentials', client_id: 'y'.repeat(512) });
      expect(asked).toEqual(['y'.repeat(512)]);
      const ids = events.flatMap((event) => ('client_id' in event ? [event.client_id ?? ''] : []));
      // An identifier that looks like a registration may be as long as one.
      expect(ids.filter((id) => id.length > (id.startsWith('reg.') ? 1500 : 512))).toEqual([]);
    });

    test('#47 no client at all is invalid_client too (RFC 6749 §3.2.1)', async () => {
      for (const path of ['/oauth/token', '/oauth/device', '/oauth/revoke']) {
        const { status, json, headers } = await client.post(path, `${GRANT}&token=x`);
        expect([status, json['error'], headers['www-authenticate']]).toEqual([401, 'invalid_client', undefined]);
      }
    });

    test('#47 a PKCE verifier does not replace the secret, and causes no work (RFC 6749 §3.2.1)', async () => {
      const browser = new Browser(host);
      const answer = await browser.authorizeFor({
        client_id: 'web',
        response_type: 'code',
        scope: 'profile',
        ...PKCE.request,
      });
      const form = {
        grant_type: 'authorization_code',
        code: responseOf(answer)['code'] ?? '',
        code_verifier: PKCE.verifier,
      };
      expectRefused(await client.post('/oauth/token', { ...form, client_id: 'web' }), undefined);
      expectRefused(await client.post('/oauth/token', form, basic('web', '')), CHALLENGE);
      expect((await client.post('/oauth/token', form, basic('web', 'web-secret'))).status).toBe(200);
    });
  });

  describe('the Basic scheme', () => {
    test('#48 ids and secrets with any characters work if encoded (RFC 6749 §2.3.1)', async () => {
      expect((await client.post('/oauth/token', GRANT, basic(ODD_ID, ODD_SECRET))).status).toBe(200);
      const percent = (text: string) =>
        [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      expect((await withHeader(`Basic ${base64(`${percent(ODD_ID)}:${percent(ODD_SECRET)}`)}`)).status).toBe(200);
      expect(
        (await withHeader(`Basic ${base64(`${encodeURIComponent(ODD_ID)}:${encodeURIComponent(ODD_SECRET)}`)}`)).status,
      ).toBe(200);
      expectRefused(await withHeader(`Basic ${base64(`${ODD_ID}:${ODD_SECRET}`)}`), CHALLENGE);
      expectRefused(
        await client.post('/oauth/token', GRANT, basic(ODD_ID, ODD_SECRET.toUpperCase().replace('€', ' '))),
        CHALLENGE,
      );
    });

    test('#48 only the first colon separates (RFC 7617 §2)', async () => {
      const id = encodeURIComponent(ODD_ID);
      // Colons of the secret may stay as they are.
      expect((await withHeader(`Basic ${base64(`${id}::${encodeURIComponent(ODD_SECRET.slice(1))}`)}`)).status).toBe(
        200,
      );
      expectRefused(await withHeader(`Basic ${base64('service:service-secret:')}`), CHALLENGE);
    });

    test.each(['Basic', 'basic', 'BASIC', 'bAsIc'])('#49 %s is the same scheme (RFC 9110 §11.1)', async (scheme) => {
      expect((await withHeader(`${scheme} ${base64('service:service-secret')}`)).status).toBe(200);
      expect((await withHeader(`${scheme}   ${base64('service:service-secret')}`)).status).toBe(200);
    });

    test('#49 a malformed Authorization header is a failed authentication (RFC 9110 §11.1)', () =>
      everyRow(
        [
          'Basic',
          'Basic ',
          'Basic !!!!',
          'Basic c2VydmljZQ',
          'Basic c2VydmljZQ==',
          `Basic ${base64(':secret')}`,
          `Basic ${base64('service:%zz')}`,
          `Basic ${base64('%:x')}`,
          `Basic ${base64('service:%C3')}`,
          `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
          `Basic ${Buffer.from('service:\xe9', 'latin1').toString('base64')}`,
          `Basic ${base64('service:service-secret')} x`,
          `Basic ${base64('service:service-secret')},`,
          `Basic ${base64('service:service-secret')}=`,
          `Basic ${base64('service\0:service-secret')}`,
          `Basic ${base64('service:service-secret')}, Bearer x`,
          'Basic =',
          'Digest username="service"',
          'Bearer x',
          'Basicx',
          'nonsense',
          ' ',
          base64('service:service-secret'),
        ],
        async (authorization) => {
          expectRefused(await withHeader(authorization), CHALLENGE);
        },
      ));

    test('#49 Basic credentials have the grammar of the body, and malformed ones appear in no event (RFC 6749 appendix A)', () =>
      everyRow(
        [
          ['a line break in the id', 'evil%0D%0Aforged=line', 'x'],
          ['NUL in the id', 'evil%00', 'x'],
          ['ESC in the id, not encoded', 'evil\u001b[2J', 'x'],
          ['an id that is not ASCII', 'b%C3%A9', 'x'],
          ['a line break in the secret', 'service', 'service-secret%0A'],
          ['NUL in the secret', 'service', '%00service-secret'],
        ],
        async ([, id, secret]) => {
          const before = events.length;
          expectRefused(await withHeader(`Basic ${base64(`${id}:${secret}`)}`), CHALLENGE);
          expect(JSON.stringify(events.slice(before))).not.toMatch(/evil|\\u00|\\n|\u00e9/);
        },
      ));

    test('#50 a client that fails with a header gets a challenge in a header (RFC 6749 §5.2)', async () => {
      for (const path of ['/oauth/token', '/oauth/device', '/oauth/introspect', '/oauth/revoke']) {
        expectRefused(await client.post(path, `${GRANT}&token=x`, basic('service', 'wrong')), CHALLENGE);
        expectRefused(await client.post(path, `${GRANT}&token=x&client_id=service&client_secret=wrong`), undefined);
      }
    });
  });

  describe('two methods at once', () => {
    test.each([
      ['header and body', 'client_secret=service-secret'],
      ['header and body, both whole', 'client_id=service&client_secret=service-secret'],
      ['another client_id in the body', 'client_id=web'],
      ['another client in the body', 'client_id=web&client_secret=web-secret'],
    ])('#51 %s is invalid_request (RFC 6749 §2.3)', async (_what, more) => {
      for (const path of ['/oauth/token', '/oauth/device', '/oauth/introspect', '/oauth/revoke']) {
        const { status, json } = await client.post(
          path,
          `${GRANT}&token=x&${more}`,
          basic('service', 'service-secret'),
        );
        expect([path, status, json['error']]).toEqual([path, 400, 'invalid_request']);
      }
    });

    test('#51 the same client_id in the body is fine (RFC 6749 §2.3)', async () => {
      const headers = basic('service', 'service-secret');
      expect((await client.post('/oauth/token', `${GRANT}&client_id=service`, headers)).status).toBe(200);
      expect((await client.post('/oauth/token', `${GRANT}&client_id=service&client_secret=`, headers)).status).toBe(
        200,
      );
    });

    test('#51 a bearer token and a secret at introspection are two methods (RFC 6749 §2.3)', async () => {
      const { json } = await client.post('/oauth/token', GRANT, basic('api', 'api-secret'));
      const token = String(json['access_token']);
      expect((await client.post('/oauth/introspect', { token }, bearer(token))).json['active']).toBe(true);
      const both = await client.post(
        '/oauth/introspect',
        { token, client_id: 'api', client_secret: 'api-secret' },
        bearer(token),
      );
      expect(refusal(both)).toEqual([400, 'invalid_request']);
    });

    test('#51 several Authorization headers are invalid_request, even if one is valid (RFC 9110 §11.6.2)', async () => {
      const good = `Authorization: Basic ${base64('service:service-secret')}`;
      const path = `${host.base.slice(host.origin.length)}/oauth/token`;
      const send = (...lines: readonly string[]) =>
        sendRaw(
          host.origin,
          [
            `POST ${path} HTTP/1.1`,
            'Host: x',
            'Connection: close',
            'Content-Type: application/x-www-form-urlencoded',
            `Content-Length: ${GRANT.length}`,
            ...lines,
            '',
            GRANT,
          ].join('\r\n'),
        );
      expect(await send(good)).toMatch(/^HTTP\/1\.1 200 /);
      for (const lines of [
        [good, good],
        [good, 'authorization: Basic x'],
        ['AUTHORIZATION: Bearer x', good],
        [good, 'Authorization:'],
      ]) {
        const answer = await send(...lines);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('"error":"invalid_request"');
      }
    });
  });

  describe('the registered method', () => {
    test('#52 any other method is invalid_client (RFC 7591 §2)', async () => {
      expect((await client.post('/oauth/token', GRANT, basic('by-header', 'secret'))).status).toBe(200);
      expectRefused(await withBody('by-header', 'secret'), undefined);
      expect((await withBody('by-body', 'secret')).status).toBe(200);
      expectRefused(await client.post('/oauth/token', GRANT, basic('by-body', 'secret')), CHALLENGE);
    });

    test('#52 without a registered method, both work (RFC 6749 §2.3.1)', async () => {
      expect((await client.post('/oauth/token', GRANT, basic('service', 'service-secret'))).status).toBe(200);
      expect((await withBody('service', 'service-secret')).status).toBe(200);
    });

    test('#52 a public client must not send a secret (RFC 7591 §2)', async () => {
      expect((await client.post('/oauth/device', 'client_id=tv')).status).toBe(200);
      expectRefused(await client.post('/oauth/device', 'client_id=tv&client_secret=guess'), undefined);
      expectRefused(await client.post('/oauth/device', '', basic('tv', 'guess')), CHALLENGE);
      // An empty one is none (RFC 6749 §2.3.1).
      expect((await client.post('/oauth/device', 'client_id=tv&client_secret=')).status).toBe(200);
      expect((await client.post('/oauth/device', '', basic('tv', ''))).status).toBe(200);
    });
  });

  describe('failures reveal nothing', () => {
    const answerOf = ({ status, text, headers }: Answer) => ({
      status,
      text,
      challenge: headers['www-authenticate'],
      cache: headers['cache-control'],
    });

    test('#53 unknown, disabled, wrong secret, no secret, wrong method: the same response (RFC 6819 §5.1.4)', async () => {
      const withBasic = (id: string, secret: string) => client.post('/oauth/token', GRANT, basic(id, secret));
      for (const [ask, wrongMethod] of [
        [withBasic, 'by-body'],
        [withBody, 'by-header'],
      ] as const) {
        const expected = answerOf(await ask('nobody', 'x'));
        for (const [id, secret] of [
          ['service', 'x'],
          ['service', ''],
          ['disabled', 'secret'],
          [wrongMethod, 'secret'],
          ['tv', 'x'],
          ['rolling', 'x'],
        ] as const)
          expect([id, answerOf(await ask(id, secret))]).toEqual([id, expected]);
      }
    });
  });

  describe('grant_type', () => {
    test('#57 missing is invalid_request, also for an unknown client (RFC 6749 §5.2)', async () => {
      for (const headers of [basic('service', 'service-secret'), basic('service', 'wrong'), {}]) {
        const { status, json } = await client.post('/oauth/token', 'scope=content.read', headers);
        expect([status, json['error']]).toEqual([400, 'invalid_request']);
      }
    });

    test('#57 an unknown grant_type is unsupported_grant_type (RFC 6749 §5.2)', () =>
      everyRow(
        [
          'constructor',
          'toString',
          '__proto__',
          'hasOwnProperty',
          'implicit',
          'password',
          'Client_Credentials',
          'client_credentials ',
          'device_code',
          'none',
          'urn:ietf:params:oauth:grant-type:jwt-bearer',
        ],
        async (grant_type) => {
          for (const headers of [basic('service', 'service-secret'), basic('service', 'wrong')]) {
            const { status, json } = await client.post('/oauth/token', { grant_type }, headers);
            expect([status, json['error']]).toEqual([400, 'unsupported_grant_type']);
          }
        },
      ));

    test('#57 a grant type that the client may not use is unauthorized_client (RFC 6749 §5.2)', () =>
      everyRow(
        [
          ['authorization_code', 'service', 'service-secret'],
          ['refresh_token', 'service', 'service-secret'],
          [DEVICE_CODE, 'service', 'service-secret'],
          ['client_credentials', 'code-only', 'secret'],
          ['refresh_token', 'code-only', 'secret'],
        ],
        async ([grant_type, id, secret]) => {
          const { status, json } = await client.post('/oauth/token', { grant_type }, basic(id, secret));
          expect([status, json['error']]).toEqual([400, 'unauthorized_client']);
          // Who cannot authenticate does not learn what the client may do.
          expectRefused(await client.post('/oauth/token', { grant_type }, basic(id, 'wrong')), CHALLENGE);
        },
      ));
  });

  // Last, because it moves the clock.
  test('#55 during a rotation every secret works, until the second it expires (RFC 7591 §3.2.1)', async () => {
    const works = async (secret: string): Promise<number> =>
      (await client.post('/oauth/token', GRANT, basic('rolling', secret))).status;
    expect([await works('old'), await works('new'), await works('ending')]).toEqual([200, 200, 200]);
    expect((await withBody('rolling', 'old')).status).toBe(200);
    advance((START - clock()) / 1000 + 599);
    expect(await works('ending')).toBe(200);
    advance(1);
    expectRefused(await client.post('/oauth/token', GRANT, basic('rolling', 'ending')), CHALLENGE);
    expectRefused(await withBody('rolling', 'ending'), undefined);
    expect([await works('old'), await works('new')]).toEqual([200, 200]);
  });
});
