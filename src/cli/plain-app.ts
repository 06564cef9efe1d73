import type { IncomingMessage, ServerResponse } from 'node:http';
// By its public name, so that the package contains the server once, for its users and for this program.
import { oauthQuery } from 'oauth-query/node';
import { type BuildApp, parametersOf } from '../../examples/demo/app.js';

const sendText = (res: ServerResponse, status: number, type: string, body: string): void => {
  res.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(body) });
  res.end(body);
};

const sendJson = (res: ServerResponse, value: object, status = 200): void =>
  sendText(res, status, 'application/json', JSON.stringify(value));

/** The demo without a framework, so that it only requires this package. */
export const buildPlainApp: BuildApp = async ({ options, pages }) => {
  const oauth = oauthQuery(options);
  const guards = new Map([
    ['/me', oauth.guard('profile')],
    ['/content', oauth.guard('content.read')],
  ]);

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [path = ''] = (req.url ?? '').split('?', 1);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const guard = isRead ? guards.get(path) : undefined;
    const page = isRead && Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (guard !== undefined) {
      await guard(req, res, ({ sub, username, client_id, scope }) =>
        sendJson(res, path === '/me' ? { sub, username, client_id, scope } : { ok: true }),
      );
    } else if (page !== undefined) {
      const { type, body } = page(parametersOf(req.url ?? ''));
      sendText(res, 200, type, body);
    } else if (isRead && path === '/open') sendJson(res, { ok: true });
    else sendJson(res, { error: 'not_found' }, 404);
  };
  return (req, res) => oauth(req, res, () => void answer(req, res).catch(options.onError));
};
