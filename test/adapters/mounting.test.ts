import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { PassThrough } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import mount from 'koa-mount';
import Koa2 from 'koa2';
import { afterEach, describe, expect, test } from 'vitest';
import { oauthQuery as forExpress } from '../../src/adapters/express/index.js';
import { oauthQuery as forFastify } from '../../src/adapters/fastify/index.js';
import { oauthQuery as forKoa } from '../../src/adapters/koa/index.js';
import { oauthQuery as forNode } from '../../src/adapters/node/index.js';
import type { OAuthEvent } from '../../src/core/oauth/events/events.js';
import { memoryStore } from '../../src/stores/memory.js';
import { basic, bearer, Client, everyHost } from '../hosts.js';
import { listen } from '../hosts/listen.js';

const CLIENTS = [
  { client_id: 'service', client_secret: 'service-secret', grant_types: ['client_credentials'] as const },
];
const SECRET = 'a secret for tests that is long enough';
const CREDENTIALS = basic('service', 'service-secret');

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const clientOf = async (listener: RequestListener): Promise<Client> => new Client((await listen(listener)).origin);

/** A Koa app as a listener; what reaches its error handler is pushed to `errors`. */
const callbackOf = (app: Koa, errors: unknown[] = []): RequestListener => {
  app.on('error', (error) => errors.push(error));
  const callback = app.callback();
  return (req, res) => void callback(req, res);
};

const issue = (client: Client, path = '/oauth/token') =>
  client.post(path, { grant_type: 'client_credentials' }, CREDENTIALS);

describe('two servers in one app', () => {
  const options = (name: string) => ({ issuer: `https://${name}.example/${name}`, secret: SECRET, clients: CLIENTS });

  const apps: Readonly<Record<string, () => Promise<RequestListener>>> = {
    express5: async () => {
      const [one, two] = [forExpress(options('one')), forExpress(options('two'))];
      const app = express().use('/one', one).use('/two', two);
      app.get('/guarded/one', one.guard.any(), (req, res) => void res.json(req.auth));
      app.get('/guarded/two', two.guard.any(), (req, res) => void res.json(req.auth));
      return app;
    },
    koa3: async () => {
      const [one, two] = [forKoa(options('one')), forKoa(options('two'))];
      const app = new Koa().use(mount('/one', one)).use(mount('/two', two));
      for (const [name, { guard }] of Object.entries({ one, two })) {
        const guarded = new Koa().use(guard.any()).use((ctx) => {
          ctx.body = ctx.state.auth;
        });
        app.use(mount(`/guarded/${name}`, guarded));
      }
      return callbackOf(app);
    },
    fastify5: async () => {
      const [one, two] = [forFastify(options('one')), forFastify(options('two'))];
      const app = fastify();
      app.register(one, { prefix: '/one' }).register(two, { prefix: '/two' });
      // A guard works in any hook before the handler, and also outside of where its server is registered.
      app.get('/guarded/one', { onRequest: one.guard.any() }, async (request) => request.auth);
      app.register(async (inner) => {
        inner.get('/guarded/two', { preValidation: two.guard.any() }, async (request) => request.auth);
      });
      await app.ready();
      return app.routing;
    },
  };

  test.each(Object.entries(apps))('are independent: %s', async (_name, build) => {
    const client = await clientOf(await build());
    for (const [own, other] of [
      ['one', 'two'],
      ['two', 'one'],
    ] as const) {
      const token = bearer(String((await issue(client, `/${own}/oauth/token`)).json['access_token']));
      const { status, json } = await client.get(`/guarded/${own}`, token);
      expect([status, json['iss']]).toEqual([200, `https://${own}.example/${own}`]);
      expect((await client.get(`/guarded/${other}`, token)).status).toBe(401);
    }
  });
});

describe('headers that the application has already set on the response', () => {
  const options = {
    issuer: 'https://op.example',
    secret: SECRET,
    clients: CLIENTS,
    users: [{ username: 'alice', password: 'x' }],
    cors: ['https://app.example'],
  };
  const before = { vary: 'Accept-Language', 'set-cookie': 'host=1', 'x-host': 'yes', 'x-frame-options': 'SAMEORIGIN' };

  const expressBefore: express.RequestHandler = (_req, res, next) => {
    res.set(before);
    next();
  };

  const apps: Readonly<Record<string, () => Promise<RequestListener>>> = {
    express5: async () => express().use(expressBefore, forExpress(options)),
    express4: async () => express4().use(expressBefore, forExpress(options)),
    koa3: async () =>
      callbackOf(
        new Koa()
          .use(async (ctx, next) => {
            ctx.set(before);
            await next();
          })
          .use(forKoa(options)),
      ),
    koa2: async () =>
      callbackOf(
        new Koa2()
          .use(async (ctx, next) => {
            ctx.set(before);
            await next();
          })
          .use(forKoa(options)),
      ),
    fastify5: async () => {
      const app = fastify();
      app.addHook('onRequest', async (_request, reply) => void reply.headers(before));
      app.register(forFastify(options));
      await app.ready();
      return app.routing;
    },
  };

  test.each(Object.entries(apps))('remain, are joined, or are replaced: %s', async (_name, build) => {
    const client = await clientOf(await build());
    const metadata = await client.get('/.well-known/oauth-authorization-server');
    expect(metadata.headers).toMatchObject({ vary: 'Accept-Language, Origin', 'x-host': 'yes' });
    const page = await client.get('/oauth/device');
    expect(page.headers['set-cookie']).toEqual(['host=1', expect.stringMatching(/HttpOnly/)]);
    expect(page.headers).toMatchObject({ 'x-host': 'yes', 'x-frame-options': 'DENY' });
  });
});

describe('a body that another middleware has already read', () => {
  const complaints: unknown[] = [];
  const options = {
    issuer: 'https://op.example',
    secret: SECRET,
    clients: CLIENTS,
    onError: (error: unknown) => complaints.push(error),
  };

  const apps: Readonly<Record<string, (keep: boolean) => Promise<RequestListener>>> = {
    express5: async (keep) =>
      express().use(async (req, _res, next) => {
        const text = await readText(req);
        if (keep) req.body = text;
        next();
      }, forExpress(options)),
    koa3: async (keep) =>
      callbackOf(
        new Koa()
          .use(async (ctx, next) => {
            const text = await readText(ctx.req);
            if (keep) Object.assign(ctx.request, { body: text });
            await next();
          })
          .use(forKoa(options)),
      ),
    fastify5: async (keep) => {
      const app = fastify();
      app.addHook('preHandler', async (request) => {
        const text = await readText(request.raw);
        if (keep) request.body = text;
      });
      app.register(forFastify(options));
      await app.ready();
      return app.routing;
    },
  };

  test.each(Object.entries(apps))('is used if its text is available: %s', async (_name, build) => {
    expect((await issue(await clientOf(await build(true)))).status).toBe(200);
  });

  test.each(Object.entries(apps))(
    'is an error of the application, with the remedy, if its text is not available: %s',
    async (_name, build) => {
      const { status, json } = await issue(await clientOf(await build(false)));
      expect([status, json['error']]).toEqual([500, 'server_error']);
      expect(complaints.splice(0).map(String)).toEqual([expect.stringContaining('Mount oauth-query before it')]);
    },
  );
});

describe('a mounting error', () => {
  const sentence =
    /^TypeError: oauthQuery takes an object of options and returns what you mount\. Call it: app\.(use|register)\(oauthQuery\(\{ … \}\)\)\.$/;

  test('Koa receives oauthQuery itself', async () => {
    const errors: unknown[] = [];
    const app = new Koa().use(forKoa as unknown as Koa.Middleware); // What a JavaScript user can do.
    expect((await (await clientOf(callbackOf(app, errors))).get('/')).status).toBe(500);
    expect(errors.map(String)).toEqual([expect.stringMatching(sentence)]);
  });

  // Fastify does not catch what a plugin throws at once: the process ends with this sentence.
  test('Fastify receives oauthQuery itself', () => {
    expect(() => forFastify(fastify() as object)).toThrow(TypeError);
    expect(() => forFastify(Object.create(fastify()) as object)).toThrow(/app\.register\(oauthQuery\({ … }\)\)/);
  });

  test('Fastify receives the same server twice at one path', async () => {
    const app = fastify();
    const oauth = forFastify({ issuer: 'https://op.example', secret: SECRET, clients: CLIENTS });
    app.register(oauth).register(oauth);
    await expect(app.ready()).rejects.toThrow(/already declared/);
  });

  const options = { secret: SECRET, clients: CLIENTS, onWarning: () => undefined };
  const missing = expect.stringMatching(/^TypeError: options\.issuer is missing.*\/auth/);

  test.each(['express5', 'koa3'] as const)('%s below a prefix without an issuer', async (framework) => {
    const complaints: string[] = [];
    const all = { ...options, onError: (error: unknown) => complaints.push(String(error)) };
    const listener =
      framework === 'express5'
        ? express().use('/auth', forExpress(all))
        : callbackOf(new Koa().use(mount('/auth', forKoa(all))));
    expect((await issue(await clientOf(listener), '/auth/oauth/token')).status).toBe(500);
    expect(complaints).toEqual([missing]);
  });

  test('fastify5 below a prefix without an issuer', async () => {
    const direct = fastify();
    direct.register(forFastify(options), { prefix: '/auth' });
    await expect(direct.ready().then(undefined, String)).resolves.toEqual(missing);
    const nested = fastify();
    nested.register(async (inner) => void inner.register(forFastify(options)), { prefix: '/auth' });
    await expect(nested.ready().then(undefined, String)).resolves.toEqual(missing);
  });

  test('nested mounts, and a prefix that ends with a slash, are none', async () => {
    const codes: string[] = [];
    const issuer = 'http://127.0.0.1/a/b';
    const all = { ...options, issuer, onWarning: (_sentence: string, code: string) => codes.push(code) };
    const nested = new Koa().use(mount('/a', new Koa().use(mount('/b', forKoa(all)))));
    const slash = fastify();
    slash.register(forFastify(all), { prefix: '/a/b/' });
    await slash.ready();
    for (const listener of [callbackOf(nested), slash.routing])
      expect((await issue(await clientOf(listener), '/a/b/oauth/token')).status).toBe(200);
    expect(codes).not.toContain('OQ301');
    const root = fastify();
    root.register(forFastify(options), { prefix: '/' });
    await root.ready();
  });

  test.each(everyHost.filter(({ mount: at }) => at === 'bare'))(
    '$framework at the root without an issuer works on loopback',
    async ({ start }) => {
      const host = await start({ options, withoutIssuer: true });
      closing.push(host.close);
      expect((await issue(new Client(host.origin))).status).toBe(200);
    },
  );
});

describe('the adapter for plain node:http in front of a framework', () => {
  const options = {
    issuer: 'https://op.example',
    secret: SECRET,
    clients: [...CLIENTS, { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['https://app.example/cb'] }],
    loginUrl: '/login',
  };
  const page = '/oauth/authorize?response_type=code&client_id=web';

  test('answers its own paths, and passes all others on unchanged', async () => {
    const oauth = forNode({ ...options, owner: () => undefined });
    const app = express().post('/echo', express.text(), (req, res) => void res.send(req.body));
    const client = await clientOf((req, res) => oauth(req, res, () => app(req, res)));
    expect((await issue(client)).status).toBe(200);
    const headers = { 'content-type': 'text/plain' };
    expect((await client.request('/echo', { method: 'POST', headers, body: 'x' })).text).toBe('x');
    expect((await client.get(page)).headers.location).toMatch(/^\/login/);
  });

  test("leaves pages that need the framework's session to the framework, if both use the same store", async () => {
    const shared = { ...options, store: memoryStore() };
    const seen: string[] = [];
    const session: express.RequestHandler = (req, _res, next) => {
      seen.push(req.path);
      Object.assign(req, { user: 'alice' });
      next();
    };
    const owner = (req: express.Request) => ('user' in req ? { sub: String(req.user) } : undefined);
    const oauth = forExpress({ ...shared, owner });
    const app = express().use(session, oauth);
    app.get('/me', oauth.guard.any(), (req, res) => void res.json(req.auth));
    const programs = forNode({ ...shared, owner: () => undefined });
    const isPage = (url = '') => /^\/oauth\/(authorize|device)/.test(url);
    const client = await clientOf((req, res) =>
      isPage(req.url) ? app(req, res) : programs(req, res, () => app(req, res)),
    );
    const token = String((await issue(client)).json['access_token']);
    expect(seen).toEqual([]);
    expect((await client.get(page)).status).toBe(200); // The consent page: the owner is known.
    expect((await client.get('/me', bearer(token))).json).toMatchObject({ client_id: 'service' });
    expect(seen).toEqual(['/oauth/authorize', '/me']);
  });

  test('without an application behind it, other paths are 404', async () => {
    const client = await clientOf(forNode({ ...options, owner: () => undefined }));
    expect((await issue(client)).status).toBe(200);
    expect((await client.get('/')).status).toBe(404);
  });

  test('the address of the caller is the value of the option', async () => {
    const ips = new Set<unknown>();
    const onEvent = ({ ip }: OAuthEvent): unknown => ips.add(ip);
    const address = (request: IncomingMessage): string => String(request.headers['x-real-ip']);
    const client = await clientOf(forNode({ ...options, owner: () => undefined, onEvent, address }));
    const headers = { ...basic('service', 'wrong'), 'x-real-ip': '203.0.113.7' };
    await client.post('/oauth/token', { grant_type: 'client_credentials' }, headers);
    expect([...ips]).toEqual(['203.0.113.7']);
  });
});

describe('the surrounding application', () => {
  const options = { issuer: 'https://op.example', secret: SECRET, clients: CLIENTS };

  test('Koa: earlier middleware sees the response, and may change it', async () => {
    const app = new Koa().use(async (ctx, next) => {
      await next();
      ctx.set('x-seen', `${ctx.status} ${ctx.type} ${JSON.parse(String(ctx.body))['token_type']}`);
    });
    const answer = await issue(await clientOf(callbackOf(app.use(forKoa(options)))));
    expect(answer.headers['x-seen']).toBe('200 application/json Bearer');
  });

  test('Fastify: hooks run', async () => {
    const app = fastify();
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-seen', `${reply.statusCode} ${JSON.parse(String(payload))['token_type']}`);
      return payload;
    });
    app.register(forFastify(options));
    await app.ready();
    expect((await issue(await clientOf(app.routing))).headers['x-seen']).toBe('200 Bearer');
  });

  test('Fastify: a hook that sends its refusal late does not let the request pass', async () => {
    const app = fastify();
    const oauth = forFastify(options);
    let passed = 0;
    app.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise(setImmediate);
      return payload;
    });
    app.get('/guarded', { preHandler: oauth.guard('profile') }, async () => (passed += 1));
    await app.ready();
    expect((await (await clientOf(app.routing)).get('/guarded')).status).toBe(401);
    expect(passed).toBe(0);
  });

  test('Fastify: a hook that replaces the body stream is respected', async () => {
    const app = fastify();
    app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(new PassThrough()));
    app.register(forFastify(options));
    await app.ready();
    expect((await issue(await clientOf(app.routing))).status).toBe(200);
  });

  test("Fastify: an error in a hook is the application's own", async () => {
    const app = fastify();
    app.setErrorHandler(async (error, _request, reply) => reply.code(418).send({ host: String(error) }));
    app.addHook('preHandler', async () => {
      throw new Error('too many requests');
    });
    app.register(forFastify(options));
    await app.ready();
    const { status, json } = await issue(await clientOf(app.routing));
    expect([status, json]).toEqual([418, { host: 'Error: too many requests' }]);
  });

  const complaints: unknown[] = [];
  const withComplaints = { ...options, onError: (error: unknown) => complaints.push(error) };
  const tooLate: Readonly<Record<string, () => Promise<RequestListener>>> = {
    express5: async () =>
      express().use((_req, res, next) => {
        res.status(503).send('too late');
        next();
      }, forExpress(withComplaints)),
    koa3: async () =>
      callbackOf(
        new Koa()
          .use(async (ctx, next) => {
            ctx.res.writeHead(503).end('too late');
            await next();
          })
          .use(forKoa(withComplaints)),
        complaints,
      ),
    fastify5: async () => {
      const app = fastify();
      const answered = new EventEmitter();
      app.addHook('preHandler', async (_request, reply) => {
        setImmediate(() => {
          reply.code(503).send('too late');
          answered.emit('now');
        });
      });
      const add = async (): Promise<boolean> => {
        await once(answered, 'now');
        return true;
      };
      app.register(forFastify({ ...withComplaints, store: { ...memoryStore(), add } }));
      await app.ready();
      return app.routing;
    },
  };

  test.each(Object.entries(tooLate))(
    '%s: a response that the application has already sent is left alone',
    async (_name, build) => {
      const client = await clientOf(await build());
      for (const round of ['first', 'second']) {
        const answer = await issue(client);
        expect([round, answer.status, answer.text, complaints]).toEqual([round, 503, 'too late', []]);
      }
    },
  );

  test.each(['express5', 'koa3', 'fastify5'] as const)(
    '%s determines the caller behind a trusted proxy',
    async (framework) => {
      const ips = new Set<unknown>();
      const all = { ...options, onEvent: ({ ip }: OAuthEvent) => ips.add(ip) };
      let listener: RequestListener;
      if (framework === 'express5') listener = express().set('trust proxy', true).use(forExpress(all));
      else if (framework === 'koa3') listener = callbackOf(new Koa({ proxy: true }).use(forKoa(all)));
      else {
        const app = fastify({ trustProxy: true });
        app.register(forFastify(all));
        await app.ready();
        listener = app.routing;
      }
      const client = await clientOf(listener);
      await client.post(
        '/oauth/token',
        { grant_type: 'client_credentials' },
        { ...basic('service', 'wrong'), 'x-forwarded-for': '203.0.113.7' },
      );
      expect([...ips]).toEqual(['203.0.113.7']);
    },
  );
});
