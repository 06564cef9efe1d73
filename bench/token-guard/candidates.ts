import type { IncomingMessage, RequestListener } from 'node:http';
import { bodyParser } from '@koa/bodyparser';
import formbody from '@fastify/formbody';
import express from 'express';
import Fastify, { type FastifyReply } from 'fastify';
import Koa, { type Context } from 'koa';
import { oauthQuery as expressOAuth } from 'oauth-query/express';
import { oauthQuery as fastifyOAuth } from 'oauth-query/fastify';
import { oauthQuery as koaOAuth } from 'oauth-query/koa';
import { CLIENT_ID, CLIENT_SECRET, minimumToken } from './minimum.js';

/** `bare`: a route and the framework's usual parser. `minimum`: {@link minimumToken}. `ours`: this package. */
export type Candidate = 'bare' | 'minimum' | 'ours';
export type Framework = 'express' | 'koa' | 'fastify';

export const candidates: readonly Candidate[] = ['bare', 'minimum', 'ours'];
export const frameworks: readonly Framework[] = ['express', 'koa', 'fastify'];

const TOKEN_PATH = '/oauth/token';
const GUARDED_PATH = '/content';
const CONTENT = { ok: true };
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };
const JSON_TYPE = 'application/json; charset=utf-8';

/** As long as a real answer. */
const bareAnswer = (grantType: unknown) => ({
  access_token: 'x'.repeat(43),
  token_type: grantType === 'client_credentials' ? 'Bearer' : 'unknown',
  expires_in: 3600,
  scope: 'content.read',
});

const options = {
  issuer: 'http://127.0.0.1',
  secret: 'a secret of the benchmark, which is public',
  clients: [
    { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, grant_types: ['client_credentials'], scope: 'content.read' },
  ],
  scopes: { 'content.read': 'Read the content' },
} as const;

/** Reads a body without any parser. */
const read = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString())).on('error', reject);
  });

function expressApp(candidate: Candidate): RequestListener {
  const app = express();
  if (candidate === 'ours') {
    const oauth = expressOAuth(options);
    app.use(oauth);
    return app.get(GUARDED_PATH, oauth.guard('content.read'), (_req, res) => void res.json(CONTENT));
  }
  if (candidate === 'minimum') {
    app.post(TOKEN_PATH, async (req, res) => {
      const answer = minimumToken(req.headers.authorization, await read(req));
      res.writeHead(answer === undefined ? 400 : 200, {
        ...NO_STORE,
        'content-type': JSON_TYPE,
        'content-length': Buffer.byteLength(answer ?? ''),
      });
      res.end(answer);
    });
  } else {
    app.use(express.urlencoded({ extended: false }));
    app.post(TOKEN_PATH, (req, res) => void res.set(NO_STORE).json(bareAnswer(req.body.grant_type)));
  }
  return app.get(GUARDED_PATH, (_req, res) => void res.json(CONTENT));
}

function koaApp(candidate: Candidate): RequestListener {
  const app = new Koa();
  if (candidate === 'ours') {
    const oauth = koaOAuth(options);
    app.use(oauth);
    app.use(oauth.guard('content.read'));
  } else {
    if (candidate === 'bare') app.use(bodyParser());
    app.use((ctx, next) => (ctx.path === TOKEN_PATH ? koaToken(ctx, candidate) : next()));
  }
  app.use((ctx) => {
    if (ctx.path === GUARDED_PATH) ctx.body = CONTENT;
  });
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

async function koaToken(ctx: Context, candidate: Candidate): Promise<void> {
  ctx.set(NO_STORE);
  if (candidate === 'bare') {
    const { body } = ctx.request;
    ctx.body = bareAnswer(
      typeof body === 'object' && body !== null && 'grant_type' in body ? body.grant_type : undefined,
    );
    return;
  }
  const answer = minimumToken(ctx.headers.authorization, await read(ctx.req));
  ctx.status = answer === undefined ? 400 : 200;
  ctx.type = JSON_TYPE;
  ctx.body = answer ?? '';
}

async function fastifyApp(candidate: Candidate): Promise<RequestListener> {
  const app = Fastify();
  if (candidate === 'ours') {
    const oauth = fastifyOAuth(options);
    await app.register(oauth);
    app.get(GUARDED_PATH, { onRequest: oauth.guard('content.read') }, async () => CONTENT);
  } else {
    app.get(GUARDED_PATH, async () => CONTENT);
    if (candidate === 'bare') {
      await app.register(formbody);
      app.post<{ Body: { grant_type?: string } }>(TOKEN_PATH, async (request, reply) => {
        reply.headers(NO_STORE);
        return bareAnswer(request.body.grant_type);
      });
    } else {
      const type = 'application/x-www-form-urlencoded';
      app.addContentTypeParser<string>(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
      app.post<{ Body: string }>(TOKEN_PATH, (request, reply) =>
        fastifyMinimum(reply, minimumToken(request.headers.authorization, request.body)),
      );
    }
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
}

const fastifyMinimum = (reply: FastifyReply, answer: string | undefined): FastifyReply =>
  reply
    .code(answer === undefined ? 400 : 200)
    .headers(NO_STORE)
    .type(JSON_TYPE)
    .send(answer ?? '');

const apps = { express: expressApp, koa: koaApp, fastify: fastifyApp };

/** A candidate's handler of requests. */
export const app = async (framework: Framework, candidate: Candidate): Promise<RequestListener> =>
  apps[framework](candidate);
