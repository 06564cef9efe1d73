import type { RequestListener } from 'node:http';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery as forExpress } from 'oauth-query/express';
import { oauthQuery as forFastify } from 'oauth-query/fastify';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import { oauthQuery as forKoa } from 'oauth-query/koa';
import { oauthQuery as forNode } from 'oauth-query/node';
import { expect, test } from 'vitest';
import { Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { fixture } from '../oauth/support/fixture.js';
import { everyRow } from '../rows.js';

/** The answer to a request for the metadata, and what the framework reports. */
const ask = async (listener: (...args: Parameters<RequestListener>) => unknown): Promise<number> => {
  const { origin } = await listen(listener);
  return (await new Client(origin).get('/.well-known/oauth-authorization-server')).status;
};

const inExpress = (express: () => ReturnType<typeof express5>) => async (made: unknown) => {
  const errors: unknown[] = [];
  const app = express();
  app.use(made as never);
  app.use(((error: unknown, _request: unknown, response: { sendStatus: (status: number) => void }, _next: unknown) => {
    errors.push(error);
    response.sendStatus(500);
  }) as never);
  expect(await ask(app)).toBe(500);
  return errors;
};

const inKoa = async (made: unknown) => {
  const errors: unknown[] = [];
  const app = new Koa();
  app.on('error', (error) => errors.push(error));
  app.use(made as never);
  expect(await ask(app.callback())).toBe(500);
  return errors;
};

const inFastify = async (made: unknown) => {
  const app = fastify();
  const error: unknown = await (async () => {
    await app.register(made as never);
    await app.ready();
  })().catch((reason: unknown) => reason);
  await app.close().catch(() => undefined);
  return [error];
};

test('a server in another framework than that of its adapter is an error that names both', () => {
  const { options } = fixture();
  const [express, koa, plugin] = [forExpress(options), forKoa(options), forFastify(options)];
  return everyRow(
    [
      ['koa', 'express 5', () => inExpress(express5)(koa)],
      ['koa', 'express 4', () => inExpress(express4 as never)(koa)],
      ['fastify', 'express 5', () => inExpress(express5)(plugin)],
      ['fastify', 'express 4', () => inExpress(express4 as never)(plugin)],
      ['express', 'koa', () => inKoa(express)],
      ['fastify', 'koa', () => inKoa(plugin)],
      ['express', 'fastify', () => inFastify(express)],
    ],
    async ([entry, , run]) => {
      expect((await run()).map(String)).toEqual([expect.stringContaining(`oauth-query/${entry}, but`)]);
    },
  );
});

const guardInFastify = async (guard: unknown) => {
  const errors: unknown[] = [];
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    errors.push(error);
    return reply.code(500).send();
  });
  app.get('/', { preHandler: guard as never }, async () => 'let in');
  expect((await app.inject('/')).statusCode).toBe(500);
  return errors;
};

test('a guard in another framework than that of its adapter lets nobody in, and the error names its adapter', () => {
  const { options } = fixture();
  const entries = { express: forExpress, koa: forKoa, fastify: forFastify, node: forNode, fetch: forFetch };
  const hosts = { express: inExpress(express5), express4: inExpress(express4), koa: inKoa, fastify: guardInFastify };
  return everyRow(
    Object.entries(entries).flatMap(([entry, create]) =>
      Object.entries(hosts).flatMap(([host, run]) =>
        host.replace('4', '') === entry ? [] : ([[entry, host, () => run(create(options).guard.any())]] as const),
      ),
    ),
    async ([entry, , run]) => {
      expect((await run()).map(String)).toEqual([expect.stringContaining(`oauth-query/${entry}, but`)]);
    },
  );
});
