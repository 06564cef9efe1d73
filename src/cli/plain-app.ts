import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuildApp } from '../../examples/demo/app.js';
// By its public name, as the demo does it: the package holds the server once, for its users and for this program.
import { createServer } from 'oauth-query';
import { serverOptions } from '../adapters/node.js';
import { plainGuard, plainListener, pathOf, wholePaths } from '../adapters/plain.js';

const sendText = (res: ServerResponse, status: number, type: string, body: string): void => {
  res.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(body) });
  res.end(body);
};

const sendJson = (res: ServerResponse, value: object, status = 200): void =>
  sendText(res, status, 'application/json', JSON.stringify(value));

/** The demo without any framework, so that it runs where nothing but this package is installed. */
export const buildPlainApp: BuildApp = async ({ options, pages }) => {
  const complete = serverOptions(options, 'oauthQuery({ … })');
  const server = createServer(complete);
  const { onError } = complete;
  const guarded: Readonly<Record<string, string>> = { '/me': 'profile', '/content': 'content.read' };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = pathOf(req);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const scope = isRead ? guarded[path] : undefined;
    const page = isRead && Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (scope !== undefined) {
      const auth = await plainGuard(server, { scopes: [scope] }, req, res, onError);
      if (auth === undefined) return;
      const { sub, username, client_id } = auth;
      sendJson(res, path === '/me' ? { sub, username, client_id, scope: auth.scope } : { ok: true });
    } else if (page !== undefined) {
      sendText(res, 200, 'text/plain', page(new URL(req.url ?? '', 'http://localhost').searchParams));
    } else if (isRead && path === '/open') sendJson(res, { ok: true });
    else sendJson(res, { error: 'not_found' }, 404);
  };
  return plainListener(wholePaths(server), (req, res) => void answer(req, res).catch(onError), onError);
};
