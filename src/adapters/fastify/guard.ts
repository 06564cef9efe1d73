import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authorization } from '../../core/authorization.js';
import type { HttpResponse } from '../../core/http.js';
import type { Server } from '../../core/server.js';
import { type GuardOptions, type OnError, guardRequirement, sendBroken } from '../node.js';
import { FastifyMessage, send } from './message.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the access token says, once `oauth.guard(…)` has let the request pass. */
    auth?: Authorization;
  }
}

/** A hook for `onRequest`, `preValidation` or `preHandler`. */
export type FastifyGuardHook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Lets a request pass that has a valid token with all these scopes, and puts what the token says on `request.auth`. */
export type FastifyGuard = (scope?: string | readonly string[], options?: GuardOptions) => FastifyGuardHook;

export const fastifyGuard =
  (server: Pick<Server, 'guard'>, onError: OnError): FastifyGuard =>
  (scope = [], options = {}) => {
    const requirement = guardRequirement(scope, options);
    return async (request, reply) => {
      const answer = (response: HttpResponse): void => send(reply, response);
      try {
        const result = await server.guard(new FastifyMessage(request), requirement);
        if ('response' in result) {
          answer(result.response);
          return reply; // A hook that has answered says so by giving the reply.
        }
        request.auth = result.authorization;
      } catch (error) {
        sendBroken(answer, error, onError);
        return reply;
      }
      return undefined;
    };
  };
