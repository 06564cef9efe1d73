import type { Middleware } from 'koa';
import type { Route } from '../../core/http.js';
import { type MountedOptions, checkMount, respond, routeTable } from '../node.js';
import { KoaRequest, send } from './message.js';

/** Serves the routes below the place where it is mounted, and leaves everything else to the host. */
export const koaMiddleware = (routes: readonly Route[], options: MountedOptions): Middleware => {
  const table = routeTable(routes);
  return async (ctx, next) => {
    const route = table.get(ctx.path);
    if (route === undefined) return next();
    const answer = () => {
      const prefix: unknown = ctx['mountPath']; // Of koa-mount.
      checkMount(options, typeof prefix === 'string' ? prefix : '');
      return route.handle(new KoaRequest(ctx));
    };
    await respond(answer, (response) => send(ctx, response), options.onError);
  };
};
