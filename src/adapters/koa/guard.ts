import type { Middleware } from 'koa';
import type { Authorization } from '../../core/authorization.js';
import type { HttpResponse } from '../../core/http.js';
import type { Server } from '../../core/server.js';
import { type GuardOptions, type OnError, guardRequirement, sendBroken } from '../node.js';
import { KoaRequest, send } from './message.js';

/** The state of a request that `oauth.guard(…)` has let pass. */
export interface AuthorizedState {
  /** What the access token says. */
  auth: Authorization;
}

/** Lets a request pass that has a valid token with all these scopes, and puts what the token says on `ctx.state.auth`. */
export type KoaGuard = (scope?: string | readonly string[], options?: GuardOptions) => Middleware<AuthorizedState>;

export const koaGuard =
  (server: Pick<Server, 'guard'>, onError: OnError): KoaGuard =>
  (scope = [], options = {}) => {
    const requirement = guardRequirement(scope, options);
    return async (ctx, next) => {
      const answer = (response: HttpResponse): void => send(ctx, response);
      try {
        const result = await server.guard(new KoaRequest(ctx), requirement);
        if ('response' in result) {
          answer(result.response);
          return;
        }
        ctx.state.auth = result.authorization;
      } catch (error) {
        sendBroken(answer, error, onError);
        return;
      }
      await next();
    };
  };
