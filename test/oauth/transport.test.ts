import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, basic, Client, everyTransport, type RunningHost, sendRaw } from '../hosts.js';
import { fixture } from './support/fixture.js';

const SERVICE = basic('service', 'service-secret');
const WEB = basic('web', 'web-secret');
const API = basic('api', 'api-secret');
const GRANT = 'grant_type=client_credentials';
const AUTHORIZE = '/oauth/authorize?response_type=code&client_id=web';

/** The endpoints that only programs call, and a request that each of them likes. */
const ENDPOINTS = [
  ['/oauth/token', GRANT, SERVICE],
  ['/oauth/device', 'client_id=tv', {}],
  ['/oauth/introspect', 'token=x', API],
  ['/oauth/revoke', 'token=x', SERVICE],
] as const;

const ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'invalid_target',
  'authorization_pending',
  'slow_down',
  'expired_token',
]);

const refused = (answer: Answer) => [answer.status, answer.json['error']];
const INVALID_REQUEST = [400, 'invalid_request'];

describe.each(everyTransport)('$name', ({ start, mount, framework }) => {
  const { options, store, events, errors } = fixture({ resources: ['https://one.example', 'https://two.example'] });
  /** Whether the host has parsed the form before we see it. Fastify's parsers belong to its own routes. */
  const isParsed = mount === 'parser' && framework !== 'fastify5';
  let host: RunningHost;
  let client: Client;

  beforeAll(async () => {
    host = await start({ options });
    client = new Client(host.base);
  });
  afterEach(() => {
    expect(errors).toEqual([]);
  });
  afterAll(() => host.close());

  const token = (form: string, headers: Record<string, string> = SERVICE): Promise<Answer> =>
    client.post('/oauth/token', form, headers);

  /** The head of a request for raw sockets. */
  const head = (path: string, ...lines: readonly string[]): string =>
    [
      `POST ${host.base.slice(host.origin.length)}${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      ...lines,
      '',
      '',
    ].join('\r\n');

  describe('content type', () => {
    const before = () => [store.size, events.length];

    test.each(ENDPOINTS)(
      '#1 %s: no other type than a form, and nothing changes (RFC 6749 §3.2)',
      async (path, form, headers) => {
        const state = before();
        const json = JSON.stringify(Object.fromEntries(new URLSearchParams(form)));
        for (const [type, body] of [
          ['application/json', json],
          [
            'multipart/form-data; boundary=x',
            `--x\r\ncontent-disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--\r\n`,
          ],
          ['text/plain', form],
          ['application/x-www-form-urlencodedly', form],
          ['application/x-www-form-urlencoded+xml', form],
          ['nonsense', form],
        ] as const) {
          const answer = await client.request(path, {
            method: 'POST',
            headers: { ...headers, 'content-type': type },
            body,
          });
          expect([type, ...refused(answer)]).toEqual([type, ...INVALID_REQUEST]);
        }
        expect(refused(await client.request(path, { method: 'POST', headers, body: form }))).toEqual(INVALID_REQUEST);
        expect(refused(await client.request(path, { method: 'POST', headers }))).toEqual(INVALID_REQUEST);
        expect(before()).toEqual(state);
      },
    );

    test.each([
      'application/x-www-form-urlencoded; charset=iso-8859-1',
      'application/x-www-form-urlencoded;charset="UTF-16"',
      'application/x-www-form-urlencoded; charset=utf-8; CharSet=us-ascii',
    ])('#1 %s is refused: a form is UTF-8 (RFC 6749 appendix B)', async (type) => {
      const answer = await token(GRANT, { ...SERVICE, 'content-type': type });
      // A parser of the host may refuse what it cannot read before we see it.
      if (isParsed && answer.json['host'] === 'error') expect(host.errors.at(-1)).toMatchObject({ status: 415 });
      else expect(refused(answer)).toEqual(INVALID_REQUEST);
    });

    // A parser of the host decodes as it likes.
    if (!isParsed)
      test('#1 a body without a coding is read, one with a coding is not (RFC 9110 §8.4)', async () => {
        const send = (coding: string) => token(GRANT, { ...SERVICE, 'content-encoding': coding });
        for (const coding of ['identity', 'IDENTITY', 'Identity, identity'])
          expect([coding, (await send(coding)).status]).toEqual([coding, 200]);
        for (const coding of ['gzip', 'identity, br', 'x-identity'])
          expect([coding, ...refused(await send(coding))]).toEqual([coding, ...INVALID_REQUEST]);
      });

    test.each([
      'application/x-www-form-urlencoded; charset=UTF-8',
      'application/x-www-form-urlencoded;charset=utf-8',
      'Application/X-WWW-Form-URLencoded',
      'APPLICATION/X-WWW-FORM-URLENCODED ; CHARSET="utf-8"',
    ])('#1 %s is a form (RFC 6749 appendix B)', async (type) => {
      expect((await token(GRANT, { ...SERVICE, 'content-type': type })).status).toBe(200);
    });
  });

  describe('methods', () => {
    test.each(['/oauth/token', '/oauth/introspect', '/oauth/revoke'])(
      '#2 %s answers POST only, and never reads the query (RFC 6749 §3.2)',
      async (path) => {
        for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
          const answer = await client.request(`${path}?${GRANT}&token=x`, { method, headers: SERVICE });
          expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'POST']);
          if (method !== 'HEAD') expect(answer.json['error']).toBe('invalid_request');
        }
      },
    );

    test('#2 the device endpoint shares its address with the page for the owner, so it answers GET too', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await client.request('/oauth/device?client_id=tv', { method });
        expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, POST']);
      }
      const page = await client.get('/oauth/device?client_id=tv');
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    });

    test('#2 the query of a POST is not read', async () => {
      expect(refused(await client.post(`/oauth/token?${GRANT}`, '', SERVICE))).toEqual(INVALID_REQUEST);
      expect(refused(await client.post('/oauth/device?client_id=tv', ''))).toEqual([401, 'invalid_client']);
      // Nothing in the query can contradict the body either.
      expect((await client.post(`/oauth/token?grant_type=password&scope=nonsense`, GRANT, SERVICE)).status).toBe(200);
    });
  });

  describe('repeated parameters', () => {
    test.each([
      'grant_type=client_credentials',
      'client_id=service',
      'client_secret=service-secret',
      'code=x',
      'redirect_uri=x',
      'code_verifier=x',
      'refresh_token=x',
      'scope=content.read',
      'device_code=x',
      'username=x',
      'password=x',
    ])('#3 %s twice at the token endpoint is invalid_request (RFC 6749 §3.2)', async (pair) => {
      const [name = ''] = pair.split('=');
      const rest = name === 'grant_type' ? '' : `&${GRANT}`;
      const headers = name.startsWith('client_') ? {} : SERVICE;
      expect(refused(await token(`${pair}&${pair}${rest}`, headers))).toEqual(INVALID_REQUEST);
      expect(refused(await token(`${pair}${rest}&${name}=other`, headers))).toEqual(INVALID_REQUEST);
      // Written differently it is still the same name.
      expect(
        refused(await token(`${pair}${rest}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=`, headers)),
      ).toEqual(INVALID_REQUEST);
    });

    test.each([
      ['/oauth/device', 'client_id=tv&client_id=tv', {}],
      ['/oauth/device', 'client_id=tv&scope=profile&scope=profile', {}],
      ['/oauth/introspect', 'token=x&token=x', API],
      ['/oauth/introspect', 'token=x&token_type_hint=x&token_type_hint=x', API],
      ['/oauth/revoke', 'token=x&token=y', SERVICE],
      ['/oauth/revoke', 'token=x&client_id=service&client_id=service', SERVICE],
    ])('#3 %s: %s is invalid_request (RFC 6749 §3.2)', async (path, form, headers) => {
      expect(refused(await client.post(path, form, headers))).toEqual(INVALID_REQUEST);
    });

    test.each(['response_type=code', 'scope=profile', 'state=x', 'code_challenge=x', 'code_challenge_method=S256'])(
      '#3 %s twice at the authorization endpoint is invalid_request (RFC 6749 §3.1)',
      async (pair) => {
        const query = `client_id=web&${pair}&${pair}${pair.startsWith('response_type') ? '' : '&response_type=code'}`;
        const answers = [await client.get(`/oauth/authorize?${query}`), await client.post('/oauth/authorize', query)];
        for (const { headers } of answers) {
          const location = new URL(headers.location ?? '');
          expect([location.origin, location.searchParams.get('error')]).toEqual([
            'https://app.example',
            'invalid_request',
          ]);
        }
      },
    );

    test('#3 resource may be repeated, because its own specification says so (RFC 8707 §2)', async () => {
      const two = 'resource=https%3A%2F%2Fone.example&resource=https%3A%2F%2Ftwo.example';
      const { status, json } = await token(`${GRANT}&${two}`);
      expect(status).toBe(200);
      const seen = await client.post('/oauth/introspect', { token: String(json['access_token']) }, API);
      expect(seen.json['aud']).toEqual(['https://one.example', 'https://two.example']);
    });
  });

  describe('empty and unknown parameters', () => {
    test.each(['', '&scope=', '&scope', '&scope=&client_id=&resource=&client_secret', '&&&', '&=', '&=x'])(
      '#4 %j is as good as nothing (RFC 6749 §3.2)',
      async (more) => {
        const { status, json } = await token(GRANT + more);
        expect([status, json['scope']]).toEqual([200, 'content.read highvolume']);
      },
    );

    test('#4 a required parameter that is empty is missing (RFC 6749 §3.2)', async () => {
      for (const form of ['grant_type=', 'grant_type', '']) {
        const answer = await token(form);
        expect(refused(answer)).toEqual(INVALID_REQUEST);
        expect(answer.json['error_description']).toBe('The parameter grant_type is missing.');
      }
      for (const path of ['/oauth/introspect', '/oauth/revoke']) {
        expect(refused(await client.post(path, 'token=', API))).toEqual(INVALID_REQUEST);
        expect(refused(await client.post(path, 'token', API))).toEqual(INVALID_REQUEST);
      }
    });

    test('#4 at the authorization endpoint an empty value is absent too (RFC 6749 §3.1)', async () => {
      const plain = await client.get(AUTHORIZE);
      const empty = await client.get(`${AUTHORIZE}&scope=&state=&code_challenge&redirect_uri=&=&`);
      expect([plain.status, empty.status]).toEqual([200, 200]);
      const missing = await client.get('/oauth/authorize?client_id=web&response_type=');
      const location = new URL(missing.headers.location ?? '');
      expect([location.searchParams.get('error'), location.searchParams.has('state')]).toEqual([
        'invalid_request',
        false,
      ]);
    });

    test('#4 what nobody defined is ignored, even when it is repeated (RFC 6749 §3.2)', async () => {
      expect(
        (await token(`${GRANT}&nonsense=1&nonsense=2&nonsense&SCOPE=x&Scope=y&audience=z&audience=z`)).status,
      ).toBe(200);
      expect((await client.get(`${AUTHORIZE}&nonsense=1&nonsense=2&STATE=1&STATE=2`)).status).toBe(200);
    });
  });

  describe('where values may stand', () => {
    test.each([
      ['/oauth/token?client_id=service&client_secret=service-secret', GRANT, {}, [401, 'invalid_client']],
      ['/oauth/token?client_secret=service-secret', `${GRANT}&client_id=service`, {}, [401, 'invalid_client']],
      ['/oauth/token?code=x', 'grant_type=authorization_code', WEB, INVALID_REQUEST],
      ['/oauth/token?refresh_token=x', 'grant_type=refresh_token', WEB, INVALID_REQUEST],
      [
        '/oauth/token?device_code=x',
        'grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=tv',
        {},
        INVALID_REQUEST,
      ],
      ['/oauth/introspect?token=x', '', API, INVALID_REQUEST],
      ['/oauth/revoke?token=x', '', API, INVALID_REQUEST],
      ['/oauth/introspect?access_token=x', 'token=x', {}, [401, undefined]],
    ])('#5 %s: the address is no place for secrets (RFC 6749 §2.3.1)', async (path, form, headers, expected) => {
      const answer = await client.post(path, form, headers);
      expect(refused(answer)).toEqual(expected);
    });

    test('#5 a password in the address does not sign anybody in (RFC 6749 §2.3.1)', async () => {
      const browser = new Client(host.base);
      const page = await browser.get(`${AUTHORIZE}&username=alice&password=wonderland`);
      expect(page.text).toContain('type="password"');
    });
  });

  describe('names that mean something to JavaScript', () => {
    test('#6 are plain unknown names', async () => {
      const names = [
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        '__proto__[polluted]',
        'constructor[prototype][polluted]',
      ];
      const { status, json } = await token(
        `${GRANT}&${names.map((name) => `${encodeURIComponent(name)}=1`).join('&')}`,
      );
      expect([status, json['scope']]).toEqual([200, 'content.read highvolume']);
      expect('polluted' in {}).toBe(false);
      expect((await client.get(`${AUTHORIZE}&__proto__=1&__proto__=2&constructor[x]=1`)).status).toBe(200);
    });

    test.each([
      'scope[]=content.read',
      'scope[x]=content.read',
      'scope[0]=a&scope[1]=b',
      'grant_type[]=client_credentials',
      'client_id[a][b]=1',
    ])(
      '#6 %s is unknown too, or what a repeated parameter is, where a parser of the host made a list of it',
      async (pair) => {
        const answer = await token(`${GRANT}&${pair}`);
        if (isParsed) expect(refused(answer)).toEqual(INVALID_REQUEST);
        else expect([answer.status, answer.json['scope']]).toEqual([200, 'content.read highvolume']);
      },
    );
  });

  describe('size', () => {
    test('#7 more than 100 fields are refused, 100 are not', async () => {
      const fields = (count: number) => Array.from({ length: count - 1 }, (_, index) => `f${index}=1`).join('&');
      expect((await token(`${GRANT}&${fields(100)}`)).status).toBe(200);
      expect(refused(await token(`${GRANT}&${fields(101)}`))).toEqual(INVALID_REQUEST);
      expect((await client.get(`${AUTHORIZE}&${fields(101)}`)).status).toBe(400);
    });

    test.each(ENDPOINTS)('#7 %s: a body over 64 KiB is 413', async (path, form, headers) => {
      const answer = await client.post(path, `${form}&x=${'x'.repeat(65_536)}`, headers);
      if (isParsed && framework.startsWith('koa')) {
        // Koa's parsers have a limit of 56 KiB of their own; what is answered then is for the host to say.
        expect(answer.json).toEqual({ host: 'error' });
        expect(host.errors.at(-1)).toMatchObject({ status: 413 });
      } else {
        expect(refused(answer)).toEqual([413, 'invalid_request']);
        expect(answer.headers['cache-control']).toBe('no-store');
      }
    });

    const isLimited = isParsed && framework.startsWith('koa'); // As above: their limit is lower.
    if (!isLimited)
      test('#7 a body of exactly 64 KiB is read', async () => {
        const answer = await token(`${GRANT}&x=`.padEnd(65_536, 'x'));
        expect(answer.status).toBe(200);
        expect(refused(await token(`${GRANT}&x=`.padEnd(65_537, 'x')))).toEqual([413, 'invalid_request']);
      });

    // A parser of the host waits for the body; it has limits of its own.
    if (!isParsed)
      test('#7 the answer comes before the body does', async () => {
        const form = 'Content-Type: application/x-www-form-urlencoded';
        expect(await sendRaw(host.origin, head('/oauth/token', form, 'Content-Length: 1000000000'))).toMatch(
          /^HTTP\/1\.1 413 /,
        );
        const chunk = `10001\r\n${'x'.repeat(0x10001)}\r\n`; // One byte too many, and then no end.
        expect(await sendRaw(host.origin, head('/oauth/token', form, 'Transfer-Encoding: chunked') + chunk)).toMatch(
          /^HTTP\/1\.1 413 /,
        );
      });
  });

  describe('grammar', () => {
    test.each([
      'code=%00',
      'code=%0D%0Ax',
      'code=%7F',
      'code=%C3%A9',
      'refresh_token=%1B',
      'device_code=%E2%82%AC',
      'code_verifier=%C2%85',
      'scope=a%09b',
      'client_id=%C3%A9',
      'grant_type=%00',
      'client_secret=%00',
      'password=%00',
      'redirect_uri=%20',
      'resource=%0A',
    ])('#8 %s at the token endpoint is invalid_request (RFC 6749 appendix A)', async (pair) => {
      const rest = pair.startsWith('grant_type') ? '' : `&${GRANT}`;
      const answer = await token(`${pair}${rest}`, pair.startsWith('client_') ? {} : SERVICE);
      expect(refused(answer)).toEqual(INVALID_REQUEST);
    });

    test.each(['%', '%4', '%zz', '%C3', '%C3%28', '%ED%A0%80', '%FF'])(
      '#8 the broken escape %s is invalid_request (RFC 6749 appendix B)',
      async (escape) => {
        const answers = [
          await token(`grant_type=authorization_code&code=${escape}`, WEB),
          await client.post('/oauth/introspect', `token=${escape}`, API),
          await client.post('/oauth/revoke', `token=x&token_type_hint=${escape}`, API),
          await client.post('/oauth/device', `client_id=tv&scope=${escape}`),
        ];
        // A parser of the host has already swallowed the escape; what is left of it is then just a wrong value.
        if (isParsed) for (const { status } of answers) expect([200, 400]).toContain(status);
        else expect(answers.map(refused)).toEqual(Array.from(answers, () => INVALID_REQUEST));
      },
    );

    test('#8 bytes that are no UTF-8 are invalid_request, wherever they stand (RFC 6749 appendix B)', async () => {
      for (const form of [
        'grant_type=authorization_code&code=\xff\xfe',
        `${GRANT}&client_secret=\xff`,
        `${GRANT}&unknown=\xc3\x28`,
      ]) {
        const answer = await client.request('/oauth/token', {
          method: 'POST',
          headers: { ...WEB, 'content-type': 'application/x-www-form-urlencoded' },
          body: Buffer.from(form, 'latin1'),
        });
        // A parser of the host has already made replacement characters of them, which nobody minds in an unknown parameter.
        if (isParsed && form.includes('unknown')) expect(refused(answer)).toEqual([400, 'unauthorized_client']);
        else expect(refused(answer)).toEqual(INVALID_REQUEST);
      }
    });

    test('#8 nothing of it appears in a header (RFC 6749 appendix A)', async () => {
      for (const value of ['%0D%0ASet-Cookie:%20evil=1', '%0ASet-Cookie:%20evil=1', '%C3%A9', '%00']) {
        const { headers, rawHeaders } = await client.get(`${AUTHORIZE}&state=${value}`);
        expect(new URL(headers.location ?? '').searchParams.get('error')).toBe('invalid_request');
        expect(rawHeaders.join('')).toMatch(/^[\x20-\x7e]*$/);
        expect(headers['set-cookie']).toBeUndefined();
        for (const name of ['client_id', 'redirect_uri']) {
          const page = await client.get(
            `/oauth/authorize?response_type=code&${name === 'client_id' ? '' : 'client_id=web&'}${name}=${value}`,
          );
          expect([page.status, page.headers.location, page.headers['set-cookie']]).toEqual([400, undefined, undefined]);
        }
      }
    });
  });

  describe('answers', () => {
    /** One request for every way in which these endpoints say yes or no. */
    const requests: readonly (readonly [
      path: string,
      form: string,
      headers: Record<string, string>,
      status: number,
    ])[] = [
      ...ENDPOINTS.map(([path, form, headers]) => [path, form, headers, 200] as const),
      ...ENDPOINTS.map(
        ([path, form, headers]) => [path, form, { ...headers, 'content-type': 'text/plain' }, 400] as const,
      ),
      ...ENDPOINTS.map(([path]) => [path, `${GRANT}&token=x`, basic('nobody', 'x'), 401] as const),
      ['/oauth/token', 'grant_type="\\é<script>', SERVICE, 400],
      ['/oauth/token', 'grant_type=password', SERVICE, 400],
      ['/oauth/token', 'grant_type=authorization_code', SERVICE, 400],
      ['/oauth/token', 'grant_type=authorization_code&code=%22%5C', WEB, 400],
      ['/oauth/token', 'grant_type=refresh_token&refresh_token=x', WEB, 400],
      ['/oauth/token', `${GRANT}&scope=%22`, SERVICE, 400],
      ['/oauth/token', `${GRANT}&scope=profile`, SERVICE, 400],
      ['/oauth/token', `${GRANT}&resource=https://three.example`, SERVICE, 400],
      ['/oauth/token', `grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x&client_id=tv`, {}, 400],
      ['/oauth/device', 'client_id=spa', {}, 400],
      ['/oauth/introspect', 'token=x', { authorization: 'Bearer x' }, 401],
      ['/oauth/introspect', 'token=x', { authorization: 'Bearer "x\\' }, 401],
      ['/oauth/introspect', 'client_id=spa&token=x', {}, 401],
      ['/oauth/revoke', '', SERVICE, 400],
    ];

    test('#11 no cache keeps any answer, good or bad (RFC 6749 §5.1)', async () => {
      for (const [path, form, headers, status] of requests) {
        const answer = await client.post(path, form, headers);
        const { 'cache-control': cache, pragma } = answer.headers;
        expect([path, form, answer.status, cache, pragma]).toEqual([path, form, status, 'no-store', 'no-cache']);
      }
      for (const [path] of ENDPOINTS) {
        expect((await client.request(path, { method: 'PUT' })).headers['cache-control']).toBe('no-store');
      }
      expect((await client.post('/oauth/introspect', 'token=x')).headers['cache-control']).toBe('no-store');
    });

    test('#12 an error is a JSON object of two members in the characters that are allowed (RFC 6749 §5.2)', async () => {
      for (const [path, form, headers, status] of requests) {
        if (status === 200) continue;
        const answer = await client.post(path, form, headers);
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
        expect(Object.keys(answer.json)).toEqual(['error', 'error_description']);
        const { error, error_description } = answer.json;
        expect(ERRORS.has(String(error)) || (path === '/oauth/introspect' && error === 'invalid_token')).toBe(true);
        expect(error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
        expect(answer.text).not.toMatch(/\n|node_modules|\.[jt]s|Error:|<script/);
      }
    });

    test('#12 without any credentials the challenge says it all (RFC 6750 §3.1)', async () => {
      const { status, text, headers } = await client.post('/oauth/introspect', 'token=x');
      expect([status, text, headers['www-authenticate']]).toEqual([401, '{}', 'Bearer realm="oauth"']);
    });
  });
});
