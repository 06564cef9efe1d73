import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, basic, Client, everyTransport, type Host, sendRaw } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { DEVICE_CODE, fixture } from '../support/fixture.js';
import { refusal } from '../support/tokens.js';

const SERVICE = basic('service', 'service-secret');
const WEB = basic('web', 'web-secret');
const API = basic('api', 'api-secret');
const GRANT = 'grant_type=client_credentials';
const FORM = 'application/x-www-form-urlencoded';
const AUTHORIZE = '/oauth/authorize?response_type=code&client_id=web';

/**
 * Every way in which a request reaches us: parsed by the parser of each framework, or unread. Where we are mounted does not matter here,
 * `adapters/framework.test.ts` covers it.
 */
const HOSTS = everyTransport.filter(
  ({ mount, framework }) => mount === 'parser' || (mount === 'bare' && /^(express5|koa3|fetch)$/.test(framework)),
);

/** The endpoints for programs, each with a request that it accepts. */
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

const INVALID_REQUEST = [400, 'invalid_request'];

const startPlace = async ({ name, start, mount, framework }: Host) => {
  const { options, store, events, errors } = fixture({ resources: ['https://one.example', 'https://two.example'] });
  const host = await start({ options });
  const client = new Client(host.base);
  return {
    [inspect.custom]: () => name,
    framework,
    /** Whether the host has parsed the form before we see it. Fastify's parsers belong to its own routes. */
    isParsed: mount === 'parser' && framework !== 'fastify5',
    host,
    client,
    errors,
    token: (form: string, headers: Record<string, string> = SERVICE): Promise<Answer> =>
      client.post('/oauth/token', form, headers),
    /** What a request may change. */
    before: () => [store.size, events.length],
    /** The head of a request for raw sockets. */
    head: (path: string, ...lines: readonly string[]): string =>
      [
        `POST ${host.base.slice(host.origin.length)}${path} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        ...lines,
        '',
        '',
      ].join('\r\n'),
  };
};

type Place = Awaited<ReturnType<typeof startPlace>>;
let places: readonly Place[];
beforeAll(async () => {
  places = await Promise.all(HOSTS.map(startPlace));
});
afterAll(async () => {
  await Promise.all(places.map(({ host }) => host.close()));
  for (const { errors } of places) expect(errors).toEqual([]);
});

/** One test of a rule on every host. */
const everywhere = (check: (place: Place) => unknown) => () => everyRow(places, check);

describe('on every host', () => {
  describe('content type', () => {
    test(
      '#1 endpoints only read forms, and another type changes nothing (RFC 6749 §3.2)',
      everywhere(({ client, before }) =>
        everyRow(ENDPOINTS, async ([path, form, headers]) => {
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
            expect([type, ...refusal(answer)]).toEqual([type, ...INVALID_REQUEST]);
          }
          expect(refusal(await client.request(path, { method: 'POST', headers, body: form }))).toEqual(INVALID_REQUEST);
          expect(refusal(await client.request(path, { method: 'POST', headers }))).toEqual(INVALID_REQUEST);
          expect(before()).toEqual(state);
        }),
      ),
    );

    test(
      '#1 a form in another charset than UTF-8 is invalid_request (RFC 6749 appendix B)',
      everywhere(({ host, token, isParsed }) =>
        everyRow(
          ['; charset=iso-8859-1', ';charset="UTF-16"', '; charset=utf-8; CharSet=us-ascii'],
          async (charset) => {
            const answer = await token(GRANT, { ...SERVICE, 'content-type': FORM + charset });
            // A parser of the host may refuse what it cannot read before we see it.
            if (isParsed && answer.json['host'] === 'error') expect(host.errors.at(-1)).toMatchObject({ status: 415 });
            else expect(refusal(answer)).toEqual(INVALID_REQUEST);
          },
        ),
      ),
    );

    // A parser of the host decodes as it likes.
    test(
      '#1 a body without a content coding is read, one with a coding is invalid_request (RFC 9110 §8.4)',
      everywhere(async ({ token, isParsed }) => {
        if (isParsed) return;
        const send = (coding: string) => token(GRANT, { ...SERVICE, 'content-encoding': coding });
        for (const coding of ['identity', 'IDENTITY', 'Identity, identity'])
          expect([coding, (await send(coding)).status]).toEqual([coding, 200]);
        for (const coding of ['gzip', 'identity, br', 'x-identity'])
          expect([coding, ...refusal(await send(coding))]).toEqual([coding, ...INVALID_REQUEST]);
      }),
    );

    test(
      '#1 the type of a form is case-insensitive, and may name UTF-8 (RFC 6749 appendix B)',
      everywhere(({ token }) => {
        const types = [`${FORM}; charset=UTF-8`, `${FORM};charset=utf-8`, `${FORM.toUpperCase()} ; CHARSET="utf-8"`];
        return everyRow(types, async (type) => {
          expect((await token(GRANT, { ...SERVICE, 'content-type': type })).status).toBe(200);
        });
      }),
    );
  });

  describe('methods', () => {
    test(
      '#2 endpoints for programs only accept POST, and never read the query (RFC 6749 §3.2)',
      everywhere(({ client }) =>
        everyRow(['/oauth/token', '/oauth/introspect', '/oauth/revoke'], async (path) => {
          for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
            const answer = await client.request(`${path}?${GRANT}&token=x`, { method, headers: SERVICE });
            expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'POST']);
            if (method !== 'HEAD') expect(answer.json['error']).toBe('invalid_request');
          }
        }),
      ),
    );

    test(
      '#2 the device endpoint also accepts GET, because its URL is that of the page for the owner',
      everywhere(async ({ client }) => {
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          const answer = await client.request('/oauth/device?client_id=tv', { method });
          expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, POST']);
        }
        const page = await client.get('/oauth/device?client_id=tv');
        expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      }),
    );

    test(
      '#2 the query of a POST is ignored',
      everywhere(async ({ client }) => {
        expect(refusal(await client.post(`/oauth/token?${GRANT}`, '', SERVICE))).toEqual(INVALID_REQUEST);
        expect(refusal(await client.post('/oauth/device?client_id=tv', ''))).toEqual([401, 'invalid_client']);
        // Nothing in the query can contradict the body either.
        expect((await client.post(`/oauth/token?grant_type=password&scope=nonsense`, GRANT, SERVICE)).status).toBe(200);
      }),
    );
  });

  describe('repeated parameters', () => {
    test(
      '#3 a repeated parameter of the token endpoint is invalid_request, however its name is written (RFC 6749 §3.2)',
      everywhere(({ token }) => {
        const pairs = [
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
        ];
        return everyRow(pairs, async (pair) => {
          const [name = ''] = pair.split('=');
          const rest = name === 'grant_type' ? '' : `&${GRANT}`;
          const headers = name.startsWith('client_') ? {} : SERVICE;
          const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
          for (const form of [`${pair}&${pair}${rest}`, `${pair}${rest}&${name}=other`, `${pair}${rest}&${escaped}=`])
            expect(refusal(await token(form, headers))).toEqual(INVALID_REQUEST);
        });
      }),
    );

    test(
      '#3 a repeated parameter of the other endpoints is invalid_request (RFC 6749 §3.2)',
      everywhere(({ client }) => {
        const requests = [
          ['/oauth/device', 'client_id=tv&client_id=tv', {}],
          ['/oauth/device', 'client_id=tv&scope=profile&scope=profile', {}],
          ['/oauth/introspect', 'token=x&token=x', API],
          ['/oauth/introspect', 'token=x&token_type_hint=x&token_type_hint=x', API],
          ['/oauth/revoke', 'token=x&token=y', SERVICE],
          ['/oauth/revoke', 'token=x&client_id=service&client_id=service', SERVICE],
        ] as const;
        return everyRow(requests, async ([path, form, headers]) => {
          expect(refusal(await client.post(path, form, headers))).toEqual(INVALID_REQUEST);
        });
      }),
    );

    test(
      '#3 a repeated parameter of the authorization endpoint is invalid_request (RFC 6749 §3.1)',
      everywhere(({ client }) => {
        const pairs = [
          'response_type=code',
          'scope=profile',
          'state=x',
          'code_challenge=x',
          'code_challenge_method=S256',
        ];
        return everyRow(pairs, async (pair) => {
          const query = `client_id=web&${pair}&${pair}${pair.startsWith('response_type') ? '' : '&response_type=code'}`;
          const answers = [await client.get(`/oauth/authorize?${query}`), await client.post('/oauth/authorize', query)];
          for (const { headers } of answers) {
            const location = new URL(headers.location ?? '');
            expect([location.origin, location.searchParams.get('error')]).toEqual([
              'https://app.example',
              'invalid_request',
            ]);
          }
        });
      }),
    );

    test(
      '#3 resource may be repeated (RFC 8707 §2)',
      everywhere(async ({ client, token }) => {
        const two = 'resource=https%3A%2F%2Fone.example&resource=https%3A%2F%2Ftwo.example';
        const { status, json } = await token(`${GRANT}&${two}`);
        expect(status).toBe(200);
        const seen = await client.post('/oauth/introspect', { token: String(json['access_token']) }, API);
        expect(seen.json['aud']).toEqual(['https://one.example', 'https://two.example']);
      }),
    );
  });

  describe('empty and unknown parameters', () => {
    test(
      '#4 a parameter without a value counts as omitted (RFC 6749 §3.2)',
      everywhere(({ token }) => {
        const more = ['', '&scope=', '&scope', '&scope=&client_id=&resource=&client_secret', '&&&', '&=', '&=x'];
        return everyRow(more, async (empty) => {
          const { status, json } = await token(GRANT + empty);
          expect([status, json['scope']]).toEqual([200, 'content.read highvolume']);
        });
      }),
    );

    test(
      '#4 a required parameter without a value is missing (RFC 6749 §3.2)',
      everywhere(async ({ client, token }) => {
        for (const form of ['grant_type=', 'grant_type', '']) {
          const answer = await token(form);
          expect(refusal(answer)).toEqual(INVALID_REQUEST);
          expect(answer.json['error_description']).toBe('The parameter grant_type is missing.');
        }
        for (const path of ['/oauth/introspect', '/oauth/revoke']) {
          expect(refusal(await client.post(path, 'token=', API))).toEqual(INVALID_REQUEST);
          expect(refusal(await client.post(path, 'token', API))).toEqual(INVALID_REQUEST);
        }
      }),
    );

    test(
      '#4 a parameter of the authorization endpoint without a value counts as omitted (RFC 6749 §3.1)',
      everywhere(async ({ client }) => {
        const plain = await client.get(AUTHORIZE);
        const empty = await client.get(`${AUTHORIZE}&scope=&state=&code_challenge&redirect_uri=&=&`);
        expect([plain.status, empty.status]).toEqual([200, 200]);
        const missing = await client.get('/oauth/authorize?client_id=web&response_type=');
        const location = new URL(missing.headers.location ?? '');
        expect([location.searchParams.get('error'), location.searchParams.has('state')]).toEqual([
          'invalid_request',
          false,
        ]);
      }),
    );

    test(
      '#4 unknown parameters are ignored, even if repeated (RFC 6749 §3.2)',
      everywhere(async ({ client, token }) => {
        expect(
          (await token(`${GRANT}&nonsense=1&nonsense=2&nonsense&SCOPE=x&Scope=y&audience=z&audience=z`)).status,
        ).toBe(200);
        expect((await client.get(`${AUTHORIZE}&nonsense=1&nonsense=2&STATE=1&STATE=2`)).status).toBe(200);
      }),
    );
  });

  describe('credentials in the URL', () => {
    const requests = [
      ['/oauth/token?client_id=service&client_secret=service-secret', GRANT, {}, [401, 'invalid_client']],
      ['/oauth/token?client_secret=service-secret', `${GRANT}&client_id=service`, {}, [401, 'invalid_client']],
      ['/oauth/token?code=x', 'grant_type=authorization_code', WEB, INVALID_REQUEST],
      ['/oauth/token?refresh_token=x', 'grant_type=refresh_token', WEB, INVALID_REQUEST],
      ['/oauth/token?device_code=x', `grant_type=${DEVICE_CODE}&client_id=tv`, {}, INVALID_REQUEST],
      ['/oauth/introspect?token=x', '', API, INVALID_REQUEST],
      ['/oauth/revoke?token=x', '', API, INVALID_REQUEST],
      ['/oauth/introspect?access_token=x', 'token=x', {}, [401, undefined]],
    ] as const;
    test(
      '#5 are ignored (RFC 6749 §2.3.1)',
      everywhere(({ client }) =>
        everyRow(requests, async ([path, form, headers, expected]) => {
          expect(refusal(await client.post(path, form, headers))).toEqual(expected);
        }),
      ),
    );

    test(
      '#5 do not sign an owner in (RFC 6749 §2.3.1)',
      everywhere(async ({ host }) => {
        const browser = new Client(host.base);
        const page = await browser.get(`${AUTHORIZE}&username=alice&password=wonderland`);
        expect(page.text).toContain('type="password"');
      }),
    );
  });

  describe('parameters with names of JavaScript object properties', () => {
    test(
      '#6 are unknown parameters',
      everywhere(async ({ client, token }) => {
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
      }),
    );

    test(
      '#6 a name with brackets is unknown; after a parser of the application it is a repeated parameter',
      everywhere(({ token, isParsed }) => {
        const pairs = [
          'scope[]=content.read',
          'scope[x]=content.read',
          'scope[0]=a&scope[1]=b',
          'grant_type[]=client_credentials',
          'client_id[a][b]=1',
        ];
        return everyRow(pairs, async (pair) => {
          const answer = await token(`${GRANT}&${pair}`);
          if (isParsed) expect(refusal(answer)).toEqual(INVALID_REQUEST);
          else expect([answer.status, answer.json['scope']]).toEqual([200, 'content.read highvolume']);
        });
      }),
    );
  });

  describe('size', () => {
    test(
      '#7 100 parameters are accepted, 101 are invalid_request',
      everywhere(async ({ client, token }) => {
        const fields = (count: number) => Array.from({ length: count - 1 }, (_, index) => `f${index}=1`).join('&');
        expect((await token(`${GRANT}&${fields(100)}`)).status).toBe(200);
        expect(refusal(await token(`${GRANT}&${fields(101)}`))).toEqual(INVALID_REQUEST);
        expect((await client.get(`${AUTHORIZE}&${fields(101)}`)).status).toBe(400);
      }),
    );

    test(
      '#7 a body over 64 KiB is 413',
      everywhere(({ framework, host, client, isParsed }) =>
        everyRow(ENDPOINTS, async ([path, form, headers]) => {
          const answer = await client.post(path, `${form}&x=${'x'.repeat(65_536)}`, headers);
          if (isParsed && framework.startsWith('koa')) {
            // Koa's parsers have a limit of 56 KiB of their own; what is answered then is for the host to say.
            expect(answer.json).toEqual({ host: 'error' });
            expect(host.errors.at(-1)).toMatchObject({ status: 413 });
          } else {
            expect(refusal(answer)).toEqual([413, 'invalid_request']);
            expect(answer.headers['cache-control']).toBe('no-store');
          }
        }),
      ),
    );

    test(
      '#7 a body of 64 KiB is read, one byte more is 413',
      everywhere(async ({ framework, token, isParsed }) => {
        if (isParsed && framework.startsWith('koa')) return; // As above: their limit is lower.
        const answer = await token(`${GRANT}&x=`.padEnd(65_536, 'x'));
        expect(answer.status).toBe(200);
        expect(refusal(await token(`${GRANT}&x=`.padEnd(65_537, 'x')))).toEqual([413, 'invalid_request']);
      }),
    );

    // A parser of the host waits for the body; it has limits of its own.
    test(
      '#7 a body whose declared or actual length is over the limit is 413 before its end',
      everywhere(async ({ host, head, isParsed }) => {
        if (isParsed) return;
        const form = 'Content-Type: application/x-www-form-urlencoded';
        expect(await sendRaw(host.origin, head('/oauth/token', form, 'Content-Length: 1000000000'))).toMatch(
          /^HTTP\/1\.1 413 /,
        );
        const chunk = `10001\r\n${'x'.repeat(0x10001)}\r\n`; // One byte too many, and then no end.
        expect(await sendRaw(host.origin, head('/oauth/token', form, 'Transfer-Encoding: chunked') + chunk)).toMatch(
          /^HTTP\/1\.1 413 /,
        );
      }),
    );
  });

  describe('grammar', () => {
    const MALFORMED = [
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
    ];
    test(
      '#8 a character that the grammar of a parameter excludes is invalid_request (RFC 6749 appendix A)',
      everywhere(({ token }) =>
        everyRow(MALFORMED, async (pair) => {
          const rest = pair.startsWith('grant_type') ? '' : `&${GRANT}`;
          const answer = await token(`${pair}${rest}`, pair.startsWith('client_') ? {} : SERVICE);
          expect(refusal(answer)).toEqual(INVALID_REQUEST);
        }),
      ),
    );

    test(
      '#8 a broken percent escape is invalid_request (RFC 6749 appendix B)',
      everywhere(({ client, token, isParsed }) =>
        everyRow(['%', '%4', '%zz', '%C3', '%C3%28', '%ED%A0%80', '%FF'], async (escape) => {
          const answers = [
            await token(`grant_type=authorization_code&code=${escape}`, WEB),
            await client.post('/oauth/introspect', `token=${escape}`, API),
            await client.post('/oauth/revoke', `token=x&token_type_hint=${escape}`, API),
            await client.post('/oauth/device', `client_id=tv&scope=${escape}`),
          ];
          // A parser of the host has removed the escape; what remains is an unknown value.
          if (isParsed) for (const { status } of answers) expect([200, 400]).toContain(status);
          else expect(answers.map(refusal)).toEqual(Array.from(answers, () => INVALID_REQUEST));
        }),
      ),
    );

    test(
      '#8 a body that is not UTF-8 is invalid_request (RFC 6749 appendix B)',
      everywhere(async ({ client, isParsed }) => {
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
          // A parser of the host has replaced them, which does not matter in an unknown parameter.
          if (isParsed && form.includes('unknown')) expect(refusal(answer)).toEqual([400, 'unauthorized_client']);
          else expect(refusal(answer)).toEqual(INVALID_REQUEST);
        }
      }),
    );

    test(
      '#8 a malformed value appears in no header (RFC 6749 appendix A)',
      everywhere(async ({ client }) => {
        for (const value of ['%0D%0ASet-Cookie:%20evil=1', '%0ASet-Cookie:%20evil=1', '%C3%A9', '%00']) {
          const { headers, rawHeaders } = await client.get(`${AUTHORIZE}&state=${value}`);
          expect(new URL(headers.location ?? '').searchParams.get('error')).toBe('invalid_request');
          expect(rawHeaders.join('')).toMatch(/^[\x20-\x7e]*$/);
          expect(headers['set-cookie']).toBeUndefined();
          for (const name of ['client_id', 'redirect_uri']) {
            const page = await client.get(
              `/oauth/authorize?response_type=code&${name === 'client_id' ? '' : 'client_id=web&'}${name}=${value}`,
            );
            expect([page.status, page.headers.location, page.headers['set-cookie']]).toEqual([
              400,
              undefined,
              undefined,
            ]);
          }
        }
      }),
    );
  });

  describe('responses', () => {
    /** A request for each kind of answer of these endpoints. */
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
      ['/oauth/token', `grant_type=${DEVICE_CODE}&device_code=x&client_id=tv`, {}, 400],
      ['/oauth/device', 'client_id=spa', {}, 400],
      ['/oauth/introspect', 'token=x', { authorization: 'Bearer x' }, 401],
      ['/oauth/introspect', 'token=x', { authorization: 'Bearer "x\\' }, 401],
      ['/oauth/introspect', 'client_id=spa&token=x', {}, 401],
      ['/oauth/revoke', '', SERVICE, 400],
    ];

    test(
      '#11 #12 none may be cached, and an error is a JSON object in the allowed characters (RFC 6749 §5.1, §5.2)',
      everywhere(async ({ client }) => {
        for (const [path, form, headers, status] of requests) {
          const answer = await client.post(path, form, headers);
          const { 'cache-control': cache, pragma } = answer.headers;
          expect([path, form, answer.status, cache, pragma]).toEqual([path, form, status, 'no-store', 'no-cache']);
          if (status === 200) continue;
          expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
          expect(Object.keys(answer.json)).toEqual(['error', 'error_description']);
          const { error, error_description } = answer.json;
          expect(ERRORS.has(String(error)) || (path === '/oauth/introspect' && error === 'invalid_token')).toBe(true);
          expect(error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
          expect(answer.text).not.toMatch(/\n|node_modules|\.[jt]s|Error:|<script/);
        }
        for (const [path] of ENDPOINTS) {
          expect((await client.request(path, { method: 'PUT' })).headers['cache-control']).toBe('no-store');
        }
        expect((await client.post('/oauth/introspect', 'token=x')).headers['cache-control']).toBe('no-store');
      }),
    );
  });
});
