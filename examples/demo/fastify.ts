import fastify from 'fastify';
import { oauthQuery } from 'oauth-query/fastify';
import { type BuildApp, parametersOf } from './app.js';

export const buildApp: BuildApp = async ({ options, pages }) => {
  const app = fastify();
  const oauth = oauthQuery(options);
  app.register(oauth);

  app.get('/me', { preHandler: oauth.guard('profile') }, async ({ auth }) => ({
    sub: auth?.sub,
    username: auth?.username,
    client_id: auth?.client_id,
    scope: auth?.scope,
  }));
  app.get('/content', { preHandler: oauth.guard('content.read') }, async () => ({ ok: true }));
  app.get('/open', async () => ({ ok: true }));
  for (const [path, page] of Object.entries(pages)) {
    app.get(path, async (request, reply) => {
      const { type, body } = page(parametersOf(request.url));
      return reply.type(`${type}; charset=utf-8`).send(body);
    });
  }
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not_found' }));
  await app.ready();
  return app.routing;
};
