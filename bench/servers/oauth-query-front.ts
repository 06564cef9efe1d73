import type { RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import * as forExpress from 'oauth-query/express';
import * as forFastify from 'oauth-query/fastify';
import * as forKoa from 'oauth-query/koa';
import type { Framework } from '../candidates.js';
import { optionsFor } from './oauth-query.js';
import type { Setup } from './setting.js';

const expressListener = (setup: Setup): RequestListener => {
  const oauth = forExpress.oauthQuery(optionsFor(setup));
  return oauth.front(express().use(oauth));
};

const koaListener = (setup: Setup): RequestListener => {
  const oauth = forKoa.oauthQuery(optionsFor(setup));
  const handle = new Koa().use(oauth).callback();
  return oauth.front((request, response) => void handle(request, response));
};

const fastifyListener = async (setup: Setup): Promise<RequestListener> => {
  const oauth = forFastify.oauthQuery(optionsFor(setup));
  const app = Fastify();
  await app.register(oauth);
  await app.ready();
  return oauth.front((request, response) => app.routing(request, response));
};

const made = { express: expressListener, koa: koaListener, fastify: fastifyListener };

export const listener = async (framework: Framework, setup: Setup): Promise<RequestListener> => made[framework](setup);
