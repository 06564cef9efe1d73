import type { RequestListener } from 'node:http';
import formbody from '@fastify/formbody';
import { bodyParser } from '@koa/bodyparser';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import type { Framework } from '../candidates.js';
import { CONTENT, NO_STORE, PAGES, PATHS, REDIRECT_URI, SCOPE } from './setting.js';

/** As long as the tokens of the other candidates. */
const TOKEN = 'x'.repeat(43);

const ADDRESS = `${REDIRECT_URI}?code=${'x'.repeat(65)}&state=state-of-the-benchmark&iss=http%3A%2F%2F127.0.0.1`;

const tokenAnswer = (form: unknown): object => {
  const grant = typeof form === 'object' && form !== null && 'grant_type' in form ? form.grant_type : undefined;
  return {
    access_token: TOKEN,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: SCOPE,
    ...(grant === 'client_credentials' ? {} : { refresh_token: TOKEN }),
  };
};

const introspectionAnswer = (form: unknown): object => ({
  active: typeof form === 'object' && form !== null && 'token' in form,
  scope: SCOPE,
  client_id: 'service',
  token_type: 'Bearer',
  exp: 1_900_003_600,
  iat: 1_900_000_000,
  sub: 'client:service',
  aud: 'http://127.0.0.1',
  iss: 'http://127.0.0.1',
});

const apiAnswer = (): object => ({ batchcomplete: true, query: { allpages: PAGES } });

const expressListener = (): RequestListener => {
  const app = express();
  app.use(express.urlencoded({ extended: false }));
  app.post(PATHS.token, (req, res) => void res.set(NO_STORE).json(tokenAnswer(req.body)));
  app.post(PATHS.introspect, (req, res) => void res.set(NO_STORE).json(introspectionAnswer(req.body)));
  app.get(PATHS.authorize, (_req, res) => res.redirect(ADDRESS));
  app.get(PATHS.content, (_req, res) => void res.json(CONTENT));
  app.get(PATHS.api, (_req, res) => void res.json(apiAnswer()));
  return app;
};

const koaListener = (): RequestListener => {
  const app = new Koa();
  app.use(bodyParser());
  app.use((ctx) => {
    switch (ctx.path) {
      case PATHS.token:
        ctx.set(NO_STORE);
        ctx.body = tokenAnswer(ctx.request.body);
        break;
      case PATHS.introspect:
        ctx.set(NO_STORE);
        ctx.body = introspectionAnswer(ctx.request.body);
        break;
      case PATHS.authorize:
        ctx.redirect(ADDRESS);
        break;
      case PATHS.content:
        ctx.body = CONTENT;
        break;
      case PATHS.api:
        ctx.body = apiAnswer();
        break;
      default:
    }
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
};

const fastifyListener = async (): Promise<RequestListener> => {
  const app = Fastify();
  await app.register(formbody);
  app.post(PATHS.token, async (request, reply) => {
    reply.headers(NO_STORE);
    return tokenAnswer(request.body);
  });
  app.post(PATHS.introspect, async (request, reply) => {
    reply.headers(NO_STORE);
    return introspectionAnswer(request.body);
  });
  app.get(PATHS.authorize, (_request, reply) => reply.redirect(ADDRESS));
  app.get(PATHS.content, async () => CONTENT);
  app.get(PATHS.api, async () => apiAnswer());
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const made = { express: expressListener, koa: koaListener, fastify: fastifyListener };

export const listener = async (framework: Framework): Promise<RequestListener> => made[framework]();
