import type { RequestHandler } from 'express';
import type { Route } from '../../core/http.js';
import { type MountedOptions, checkMount, respond, routeTable } from '../node.js';
import { ExpressRequest, send } from './message.js';

/** Serves the routes below the place where it is mounted, and leaves everything else to the host. */
export const expressMiddleware = (routes: readonly Route[], options: MountedOptions): RequestHandler => {
  const table = routeTable(routes);
  return (req, res, next) => {
    const route = table.get(req.path);
    if (route === undefined) {
      next();
      return;
    }
    const answer = () => {
      checkMount(options, req.baseUrl);
      return route.handle(new ExpressRequest(req));
    };
    void respond(answer, (response) => send(res, response), options.onError);
  };
};
