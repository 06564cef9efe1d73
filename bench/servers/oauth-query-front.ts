import type { RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { oauthQuery } from 'oauth-query/node';
import type { Framework } from '../candidates.js';
import { optionsFor } from './oauth-query.js';
import type { Setup } from './setting.js';

const koaListener = (): RequestListener => {
  const handle = new Koa().callback();
  return (request, response) => void handle(request, response);
};

const fastifyListener = async (): Promise<RequestListener> => {
  const app = Fastify();
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const made = { express, koa: koaListener, fastify: fastifyListener };

/** The adapter for plain `node:http` in front of an application, which answers all other requests. */
export const listener = async (framework: Framework, setup: Setup): Promise<RequestListener> => {
  const oauth = oauthQuery(await optionsFor(setup));
  const app: RequestListener = await made[framework]();
  return (request, response) => oauth(request, response, () => app(request, response));
};
