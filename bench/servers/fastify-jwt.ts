import type { RequestListener } from 'node:http';
import fastifyJwt from '@fastify/jwt';
import Fastify from 'fastify';
import type { Framework } from '../candidates.js';
import { CONTENT, PATHS, SCOPE, type Setup } from './setting.js';
import { hasScope, publicKeyOf } from './signing-key.js';

export const listener = async (_framework: Framework, { issuer }: Setup): Promise<RequestListener> => {
  const app = Fastify();
  await app.register(fastifyJwt, {
    secret: { public: await publicKeyOf(issuer) },
    verify: { algorithms: ['ES256'], allowedIss: issuer, allowedAud: issuer, cache: true },
  });
  const onRequest = async (request: { jwtVerify(): Promise<unknown> }): Promise<void> => {
    await request.jwtVerify();
  };
  app.get(PATHS.content, { onRequest }, async (request, reply) =>
    hasScope(request.user, SCOPE) ? CONTENT : reply.code(403).send({ error: 'insufficient_scope' }),
  );
  await app.ready();
  return (request, response) => app.routing(request, response);
};
