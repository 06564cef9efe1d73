import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import { oauthQuery } from '../../src/adapters/node/index.js';
import { guardWith } from './guard-with.js';
import type { BuildApp } from './setup.js';

/** Both parsers, which leave their result on `req.body`: they need nothing of a framework. */
const parse = async (req: IncomingMessage & { body?: unknown }, res: ServerResponse): Promise<unknown> => {
  for (const parser of [express.urlencoded({ extended: true }), express.json()]) {
    await new Promise<void>((resolve, reject) => {
      // Parsers read what node gives, and no more.
      parser(req as express.Request, res as express.Response, (error: unknown) => (error ? reject(error) : resolve()));
    });
  }
  return req.body;
};

const sendJson = (res: ServerResponse, status: number, value: object): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

export const nodeApp: BuildApp = async ({ options, guarded, parserInFront, errors }) => {
  const oauth = oauthQuery(options);
  const guards = new Map(
    Object.entries(guarded).map(([name, { scope, ...more }]) => [
      `/guarded/${name}`,
      guardWith(oauth.guard, scope, more),
    ]),
  );
  const answer: (...message: Parameters<RequestListener>) => Promise<void> = async (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1);
    const guard = guards.get(path);
    if (guard !== undefined) await guard(req, res, (auth) => sendJson(res, 200, { auth }));
    else if (path === '/signed-in') sendJson(res, 200, { owner: (await oauth.owner(req)) ?? null });
    else if (path === '/broken') throw new Error('a bug of the host');
    else if (path === '/echo' || path === '/json') sendJson(res, 200, { body: await parse(req, res) });
    else sendJson(res, 404, {});
  };
  const listener: RequestListener = (req, res) => {
    const fail = (error: unknown): void => {
      errors.push(error);
      sendJson(res, 500, { host: 'error' });
    };
    const go = (): void => oauth(req, res, () => void answer(req, res).catch(fail));
    if (parserInFront) parse(req, res).then(go, fail);
    else go();
  };
  return {
    listener,
    grants: oauth.grants,
    issue: oauth.issue,
    owners: oauth.owners,
    close: async () => undefined,
  };
};
