import { generateKeyPairSync } from 'node:crypto';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import mount from 'koa-mount';
import { oauthQuery, remoteGuard } from 'oauth-query/express';
import { oauthQuery as forFastify } from 'oauth-query/fastify';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { oauthQuery as forKoa } from 'oauth-query/koa';
import { memoryStore } from 'oauth-query/stores/memory';
import { expect, test } from 'vitest';
import { customGrant, hashSecret, OAuthError, type ServerOptions } from '../../src/core/index.js';
import { listen } from '../hosts/listen.js';
import { everyRow } from '../rows.js';

const SECRET = 'a secret of the test that has 32 characters';
const LONG = 'x'.repeat(40);
const HASH = hashSecret('wonderland');
type Options = Partial<ServerOptions> & { readonly owner?: (request: never) => never };

/** Collects the codes that a server reports, with what it takes to get there. */
const reporting = (base: string, options: object = {}) => {
  const codes: string[] = [];
  const sentences: string[] = [];
  const note = (sentence: string, code: unknown): void => {
    codes.push(String(code));
    sentences.push(sentence);
  };
  const complete = {
    issuer: base,
    secret: SECRET,
    store: memoryStore(),
    clients: [
      { client_id: 'service', client_secret: LONG, scope: '' },
      { client_id: 'api', client_secret: LONG },
      { client_id: 'web', client_secret: LONG, redirect_uris: ['https://app.example/cb'] },
    ],
    users: [{ username: 'alice', password: { scrypt: HASH } }],
    ...options,
    onWarning: note,
    onError: (error: unknown) => {
      const { message, code } = error as Error & { code?: string };
      note(message, code);
    },
  } satisfies Options;
  return { codes, sentences, options: complete };
};

const form = (fields: Readonly<Record<string, string>>, client = 'service', headers = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Basic ${Buffer.from(`${client}:${LONG}`).toString('base64')}`, ...headers },
  body: new URLSearchParams(fields),
  redirect: 'manual',
});
const TOKEN = form({ grant_type: 'client_credentials' });
const tokenAt = async (base: string): Promise<string> => {
  const { access_token } = (await (await fetch(`${base}/oauth/token`, TOKEN)).json()) as { access_token: string };
  return access_token;
};
const AUTHORIZE =
  '/oauth/authorize?response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=s&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';

interface Site {
  readonly base: string;
  readonly app: express.Express;
  readonly oauth: ReturnType<typeof oauthQuery>;
  readonly report: ReturnType<typeof reporting>;
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
}

/** An Express app, mounted as a row of the table says. */
const site = async (
  options: object | ((base: string) => object) = {},
  build: (site: Pick<Site, 'app' | 'oauth'>) => unknown = ({ app, oauth }) => app.use(oauth),
): Promise<Site> => {
  const app = express();
  const { origin: base } = await listen(app);
  const report = reporting(base, typeof options === 'function' ? options(base) : options);
  const oauth = oauthQuery(report.options as never);
  build({ app, oauth });
  return { base, app, oauth, report, send: (path, init) => fetch(base + path, { redirect: 'manual', ...init }) };
};

/** The report of a site after two equal requests. */
const twice = async (at: Promise<Site>, path: string, init?: RequestInit): Promise<Site['report']> => {
  const { send, report } = await at;
  await send(path, init);
  await send(path, init);
  return report;
};

const ownerRow = (title: string, code: string, names: RegExp, owner: () => unknown): Row => [
  title,
  code,
  names,
  () => twice(site({ users: undefined, owner, loginUrl: '/login' }), AUTHORIZE),
];

type Row = readonly [title: string, code: string, names: RegExp, work: () => Promise<ReturnType<typeof reporting>>];

const ROWS: readonly Row[] = [
  [
    'the issuer of the documentation',
    'OQ304',
    /127\.0\.0\.1.*options\.issuer/,
    () => twice(site({ issuer: 'https://example.org' }), '/oauth/token', TOKEN),
  ],
  [
    'localhost in the issuer, and 127.0.0.1 in the client',
    'OQ304',
    /127\.0\.0\.1.*options\.issuer is http:\/\/localhost/,
    () =>
      twice(
        site((base) => ({ issuer: base.replace('127.0.0.1', 'localhost') })),
        '/oauth/token',
        TOKEN,
      ),
  ],
  [
    'mounted at /oauth on Express',
    'OQ302',
    /one level higher/,
    () =>
      twice(
        site({}, ({ app, oauth }) => app.use('/oauth', oauth)),
        '/oauth/token',
        TOKEN,
      ),
  ],
  [
    'mounted at /oauth on Koa',
    'OQ302',
    /one level higher/,
    async () => {
      const { server, origin: base } = await listen();
      const report = reporting(base);
      const listener = new Koa().use(mount('/oauth', forKoa(report.options as never))).callback();
      server.on('request', (req, res) => void listener(req, res));
      await fetch(`${base}/oauth/token`, TOKEN);
      await fetch(`${base}/oauth/token`, TOKEN);
      return report;
    },
  ],
  [
    'registered with the prefix /oauth on Fastify',
    'OQ302',
    /one level higher/,
    async () => {
      const report = reporting('http://127.0.0.1:3000');
      const app = fastify();
      await app.register(forFastify(report.options as never), { prefix: '/oauth' });
      await app.ready();
      await app.close();
      return report;
    },
  ],
  [
    'a row with a column too many',
    'OQ309',
    /redirect_url.*redirect_uris/,
    () => {
      const grant = { client_secret: LONG, grant_types: ['client_credentials'] };
      const row = { client_id: 'shop', redirect_url: 'https://app.example/cb', ...grant };
      const shop = form({ grant_type: 'client_credentials' }, 'shop');
      return twice(site({ clients: { find: () => ({ ...row }) } }), '/oauth/token', shop);
    },
  ],
  [
    "a guard's client without introspect, at the authorization server",
    'OQ310',
    /"api".*introspect: true/,
    async () => {
      const at = site();
      return twice(at, '/oauth/introspect', form({ token: await tokenAt((await at).base) }, 'api'));
    },
  ],
  [
    "a guard's client without introspect, at the guard",
    'OQ403',
    /introspect: true/,
    async () => {
      const { base } = await site();
      const report = reporting(base);
      const app = express();
      const verifier = introspectionVerifier({
        issuer: base,
        credentials: { client_id: 'api', client_secret: LONG },
        audience: base,
        onError: report.options.onError,
      });
      app.get('/photos', remoteGuard(verifier).any(), (_req, res) => void res.json({}));
      const api = await listen(app);
      for (let request = 0; request < 8; request += 1) {
        const headers = { authorization: `Bearer ${await tokenAt(base)}` };
        await fetch(`${api.origin}/photos`, { headers });
      }
      return report;
    },
  ],
  ...(
    [
      ['opaque tokens', /was not a JWT.*introspectionVerifier/, false, 0],
      ['a clock two hours ahead', /expired.*clocks/, true, 2 * 3_600_000],
    ] as const
  ).map(([what, names, isSigned, ahead]): Row => [
    `jwtVerifier with ${what}`,
    'OQ403',
    names,
    async () => {
      const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { base } = await site(isSigned ? { jwt: [{ key }] } : {});
      const report = reporting(base);
      const { onError } = report.options;
      const verifier = jwtVerifier({ issuer: base, audience: base, clock: () => Date.now() + ahead, onError });
      for (let request = 0; request < 8; request += 1) await verifier.check.any(await tokenAt(base));
      verifier.close();
      return report;
    },
  ]),
  [
    'a redirect URI that any app may have',
    'OQ212',
    /"phone".*com\.example\.app/,
    async () => {
      const uris = ['com.example.app:/cb', 'http://127.0.0.1/cb', 'https://app.example/cb'];
      const clients = [
        { client_id: 'good', redirect_uris: uris },
        { client_id: 'phone', redirect_uris: [...uris, 'phone://cb.example'] },
      ];
      return (await site({ clients })).report;
    },
  ],
  [
    'a preflight that comes to a guard',
    'OQ315',
    /"https:\/\/app\.example".*before the guard/,
    () => {
      const guarded = site({}, ({ app, oauth }) => app.use(oauth).use('/photos', oauth.guard.any()));
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
      return twice(guarded, '/photos', { method: 'OPTIONS', headers });
    },
  ],
  [
    'a server that is guarded with, and not mounted, on Express',
    'OQ311',
    /app\.use\(oauth\)/,
    () => {
      const unmounted = site({}, ({ app, oauth }) => app.get('/photos', oauth.guard.any(), () => undefined));
      return twice(unmounted, '/photos', { headers: { authorization: 'Bearer x' } });
    },
  ],
  [
    'the same on Fastify',
    'OQ311',
    /app\.register\(oauth\)/,
    async () => {
      const report = reporting('http://127.0.0.1:3000');
      const app = fastify();
      app.decorateRequest('auth');
      app.get('/photos', { preHandler: forFastify(report.options as never).guard.any() }, async () => ({}));
      const get = () => app.inject({ url: '/photos', headers: { authorization: 'Bearer x', host: '127.0.0.1:3000' } });
      await get();
      await get();
      await app.close();
      return report;
    },
  ],
];

test(`${ROWS.length} mistakes that only requests show: each is reported once, with its code`, () =>
  everyRow(ROWS, async ([, code, names, work]) =>
    expect(await work()).toMatchObject({ codes: [code], sentences: [expect.stringMatching(names)] }),
  ));

const OWNERS: readonly Row[] = [
  ownerRow('owner throws', 'OQ401', /options\.owner failed: db down/, () => {
    throw new Error('db down');
  }),
  ownerRow('owner rejects', 'OQ401', /options\.owner failed: db down/, () => Promise.reject(new Error('db down'))),
  ownerRow('owner returns a row', 'OQ402', /options\.owner.*sub: String.*id, name/, () => ({ id: 42, name: 'alice' })),
  ownerRow('owner returns a number', 'OQ402', /options\.owner.*a number/, () => 42),
  ownerRow('owner returns a numeric sub', 'OQ402', /options\.owner.*a number.*String\(user\.id\)/, () => ({ sub: 42 })),
  ownerRow('owner forgets to await', 'OQ402', /options\.owner.*undefined/, () => ({
    sub: (Promise.resolve({ id: 'alice' }) as unknown as { id: string }).id,
  })),
];

test(`${OWNERS.length} mistakes in options.owner: each error names it, and what it returned`, () =>
  everyRow(OWNERS, async ([, code, names, work]) => {
    const { codes, sentences } = await work();
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(sentences[0]).toMatch(names);
  }));

const CALLS: readonly Row[] = [
  [
    'onEvent throws',
    'undefined',
    /options\.onEvent failed: logger down/,
    () => {
      const onEvent = () => {
        throw new Error('logger down');
      };
      return twice(site({ onEvent }), '/oauth/token', TOKEN);
    },
  ],
  [
    'clients.find returns all rows',
    'OQ108',
    /an array: return its first row/,
    () => twice(site({ clients: { find: () => [{ client_id: 'service' }] } }), '/oauth/token', TOKEN),
  ],
  [
    'check takes a scope without its name',
    'OQ107',
    /check\(token, \{ scope: 'a' \}\)/,
    async () => {
      const { oauth, report } = await site();
      for (const given of ['photos.read', ['photos.read']])
        await oauth.check('token', given as never).catch(report.options.onError);
      return report;
    },
  ],
  ...(['signOut', 'erase', 'export'] as const).map((name): Row => [
    `owners.${name} of nobody`,
    'OQ100',
    new RegExp(`owners\\.${name}: sub must be a non-empty string`),
    async () => {
      const { oauth, report } = await site();
      const owners = oauth.owners as unknown as Record<string, (sub?: string) => unknown>;
      const failed = async (): Promise<unknown> => {
        const result = owners[name]?.(undefined);
        return name === 'export' ? (result as AsyncIterator<unknown>).next() : result;
      };
      await failed().catch(report.options.onError);
      return report;
    },
  ]),
];

test(`${CALLS.length} mistakes in functions of the application, and in calls: each error names the function`, () =>
  everyRow(CALLS, async ([, code, names, work]) => {
    const { codes, sentences } = await work();
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(sentences[0]).toMatch(names);
  }));

test('a client that asks for an unknown grant_type reads which ones there are', async () => {
  const { send } = await site();
  for (const grant_type of ['code', 'device_code']) {
    const refused = await (await send('/oauth/token', form({ grant_type }))).json();
    expect(refused).toMatchObject({
      error: 'unsupported_grant_type',
      error_description: expect.stringMatching(
        /Supported are authorization_code, .*urn:ietf:params:oauth:grant-type:device_code\./,
      ),
    });
  }
});

test('a client without credentials, or with credentials in the URL, reads where they belong', async () => {
  const { send } = await site();
  for (const query of ['', `?client_id=service&client_secret=${LONG}`]) {
    const init = { ...TOKEN, headers: {} };
    expect(await (await send(`/oauth/token${query}`, init)).json()).toEqual({
      error: 'invalid_client',
      error_description: expect.stringMatching(/Authorization header.*client_id in the body/),
    });
  }
});

test('an OAuthError of another copy of the package is the same error, and any other error with its name is not', async () => {
  const copy = '../../src/core/base/errors.js?copy';
  const { OAuthError: other } = (await import(copy)) as typeof import('../../src/core/base/errors.js');
  expect(other).not.toBe(OAuthError);
  class OAuthErrorOfAnother extends Error {
    override readonly name = 'OAuthError';
    readonly code = 'invalid_grant';
    readonly status = 400;
    readonly headers = {};
  }
  const answers = await Promise.all(
    [new other('invalid_grant', 'That is not mine.'), new OAuthErrorOfAnother('secret')].map(async (error) => {
      const handle = () => Promise.reject(error);
      const clients = [{ client_id: 'service', client_secret: LONG, grant_types: ['urn:x:y'] }];
      const { send } = await site({ clients, features: [customGrant('urn:x:y', { handle })] });
      return (await send('/oauth/token', form({ grant_type: 'urn:x:y' }))).json();
    }),
  );
  expect(answers).toMatchObject([
    { error: 'invalid_grant', error_description: 'That is not mine.' },
    { error: 'server_error' },
  ]);
});

test('a server that is mounted and used as documented reports nothing', async () => {
  // On a free port, as tests do.
  const { base, send, report } = await site({ issuer: 'http://127.0.0.1:3000' }, ({ app, oauth }) =>
    app.use(oauth).get('/photos', oauth.guard.any(), (_q, res) => void res.json({})),
  );
  await send('/photos', { headers: { authorization: 'Bearer x' } });
  const token = await tokenAt(base);
  expect((await send('/photos', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  await send('/oauth/introspect', form({ token }, 'service'));
  await send(AUTHORIZE);
  expect(report.sentences).toEqual([]);
});
