import type { IncomingMessage, RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import type { Framework } from '../candidates.js';
import { minimumProtocol, type Protocol } from './minimum-protocol.js';
import { CONTENT, FORM_TYPE, JSON_TYPE, NO_STORE, PATHS } from './setting.js';

/** Reads a body without a parser. */
const read = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString())).on('error', reject);
  });

const expressListener = ({ post, authorize, isAllowed }: Protocol): RequestListener => {
  const app = express();
  for (const path of [PATHS.token, PATHS.introspect]) {
    app.post(path, async (req, res) => {
      const { status, body } = await post(path, req.headers.authorization, await read(req));
      const length = { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
      res.writeHead(status, { ...NO_STORE, ...length }).end(body);
    });
  }
  app.get(PATHS.authorize, async (req, res) => res.redirect(await authorize(req.url)));
  app.get(PATHS.content, async (req, res) => {
    if (await isAllowed(req.headers.authorization)) res.json(CONTENT);
    else res.status(401).json({ error: 'invalid_token' });
  });
  return app;
};

const koaListener = ({ post, authorize, isAllowed }: Protocol): RequestListener => {
  const app = new Koa();
  app.use(async (ctx) => {
    switch (ctx.path) {
      case PATHS.token:
      case PATHS.introspect: {
        const { status, body } = await post(ctx.path, ctx.headers.authorization, await read(ctx.req));
        ctx.set(NO_STORE);
        ctx.status = status;
        ctx.type = JSON_TYPE;
        ctx.body = body;
        break;
      }
      case PATHS.authorize:
        ctx.redirect(await authorize(ctx.url));
        break;
      case PATHS.content:
        if (await isAllowed(ctx.headers.authorization)) ctx.body = CONTENT;
        else ctx.throw(401);
        break;
      default:
    }
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
};

const fastifyListener = async ({ post, authorize, isAllowed }: Protocol): Promise<RequestListener> => {
  const app = Fastify();
  app.addContentTypeParser<string>(FORM_TYPE, { parseAs: 'string' }, (_request, body, done) => done(null, body));
  for (const path of [PATHS.token, PATHS.introspect]) {
    app.post<{ Body: string }>(path, async (request, reply) => {
      const { status, body } = await post(path, request.headers.authorization, request.body);
      return reply.code(status).headers(NO_STORE).type(JSON_TYPE).send(body);
    });
  }
  app.get(PATHS.authorize, async (request, reply) => reply.redirect(await authorize(request.url)));
  app.get(PATHS.content, async (request, reply) => {
    if (await isAllowed(request.headers.authorization)) return CONTENT;
    return reply.code(401).send({ error: 'invalid_token' });
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const made = { express: expressListener, koa: koaListener, fastify: fastifyListener };

/** A server with the routes of the benchmark and nothing else. */
export const listenerOf = async (framework: Framework, protocol: Protocol): Promise<RequestListener> =>
  made[framework](protocol);

export const listener = (framework: Framework): Promise<RequestListener> => listenerOf(framework, minimumProtocol);
