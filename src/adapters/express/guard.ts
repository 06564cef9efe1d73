import type { NextFunction, Request, Response } from 'express';
import type { Authorization } from '../../core/authorization.js';
import type { HttpResponse } from '../../core/http.js';
import type { Server } from '../../core/server.js';
import { type GuardOptions, type OnError, guardRequirement, sendBroken } from '../node.js';
import { ExpressRequest, send } from './message.js';

declare global {
  namespace Express {
    interface Request {
      /** What the access token says, once `oauth.guard(…)` has let the request pass. */
      auth?: Authorization;
    }
  }
}

/** Fits any route: what Express knows of a route's parameters is left as it is. */
export type ExpressGuardHandler = <Params>(req: Request<Params>, res: Response, next: NextFunction) => Promise<void>;

/** Lets a request pass that has a valid token with all these scopes, and puts what the token says on `req.auth`. */
export type ExpressGuard = (scope?: string | readonly string[], options?: GuardOptions) => ExpressGuardHandler;

export const expressGuard =
  (server: Pick<Server, 'guard'>, onError: OnError): ExpressGuard =>
  (scope = [], options = {}) => {
    const requirement = guardRequirement(scope, options);
    return async (req, res, next) => {
      const answer = (response: HttpResponse): void => send(res, response);
      try {
        const result = await server.guard(new ExpressRequest(req), requirement);
        if ('response' in result) {
          answer(result.response);
          return;
        }
        req.auth = result.authorization;
      } catch (error) {
        sendBroken(answer, error, onError);
        return;
      }
      next();
    };
  };
