import formbody from '@fastify/formbody';
import fastify from 'fastify';
import { oauthQuery } from '../../src/adapters/fastify/index.js';
import { guardWith } from './guard-with.js';
import type { BuildApp } from './setup.js';

export const fastifyApp: BuildApp = async ({ options, guarded, prefix, parserInFront, errors }) => {
  const oauth = oauthQuery(options);
  const app = fastify();
  app.setErrorHandler(async (error, _request, reply) => {
    errors.push(error);
    return reply.code(500).send({ host: 'error' });
  });
  if (parserInFront) app.register(formbody);
  if (prefix === '') app.register(oauth);
  else app.register(oauth, { prefix }).register(oauth.wellKnown);

  for (const [name, { scope, ...more }] of Object.entries(guarded)) {
    app.get(`/guarded/${name}`, { preHandler: guardWith(oauth.guard, scope, more) }, async (request) => ({
      auth: request.auth,
    }));
  }
  app.get('/signed-in', async (request) => ({ owner: (await oauth.owner(request)) ?? null }));
  app.register(async (routes) => {
    if (!parserInFront) routes.register(formbody);
    for (const path of ['/echo', '/json']) routes.post(path, async (request) => ({ body: request.body }));
  });
  app.get('/broken', async () => {
    throw new Error('a bug of the host');
  });
  await app.ready();
  return {
    listener: app.routing,
    grants: oauth.grants,
    issue: oauth.issue,
    owners: oauth.owners,
    close: () => app.close(),
  };
};
