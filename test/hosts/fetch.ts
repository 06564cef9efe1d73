import { getRequestListener } from '@hono/node-server';
import { oauthQuery } from '../../src/adapters/fetch/index.js';
import { guardWith } from './guard-with.js';
import type { BuildApp } from './setup.js';

/** Functions from `Request` to `Response`, behind the bridge that Hono uses on Node. */
export const fetchApp: BuildApp = async ({ options, guarded, errors }) => {
  const addresses = new WeakMap<Request, string>();
  const oauth = oauthQuery({ ...options, address: (request) => addresses.get(request) ?? '' });
  const guards = new Map(
    Object.entries(guarded).map(([name, { scope, ...more }]) => [
      `/guarded/${name}`,
      guardWith(oauth.guard, scope, more),
    ]),
  );
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const guard = guards.get(pathname);
    if (guard !== undefined) return guard(request, (auth) => Response.json({ auth }));
    if (pathname === '/signed-in') return Response.json({ owner: (await oauth.owner(request)) ?? null });
    if (pathname === '/broken') throw new Error('a bug of the host');
    if (pathname === '/echo') return Response.json({ body: Object.fromEntries(await request.formData()) });
    if (pathname === '/json') return Response.json({ body: await request.json() });
    return Response.json({}, { status: 404 });
  };
  const listener = getRequestListener(
    (request, { incoming }) => {
      addresses.set(request, incoming.socket.remoteAddress ?? '');
      return oauth.fetch(request) ?? answer(request);
    },
    {
      errorHandler: (error) => {
        errors.push(error);
        return Response.json({ host: 'error' }, { status: 500 });
      },
    },
  );
  return {
    listener: (req, res) => void listener(req, res),
    grants: oauth.grants,
    issue: oauth.issue,
    owners: oauth.owners,
    close: async () => undefined,
  };
};
