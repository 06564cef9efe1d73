import type express from 'express';
import type { ErrorRequestHandler } from 'express';
import { oauthQuery } from '../../src/adapters/express/index.js';
import { guardWith } from './guard-with.js';
import type { BuildApp } from './setup.js';

export const expressApp =
  (framework: typeof express): BuildApp =>
  async ({ options, guarded, prefix, parserInFront, errors }) => {
    const oauth = oauthQuery(options);
    const app = framework();
    const parsers = [framework.urlencoded({ extended: true }), framework.json()];
    const ownParsers = parserInFront ? [] : parsers;
    if (parserInFront) app.use(parsers);
    if (prefix === '') app.use(oauth);
    else app.use(prefix, oauth).use(oauth.wellKnown);

    for (const [name, { scope, ...more }] of Object.entries(guarded)) {
      app.get(`/guarded/${name}`, guardWith(oauth.guard, scope, more), (req, res) => {
        res.json({ auth: req.auth });
      });
    }
    app.get('/signed-in', (req, res, next) => {
      oauth.owner(req).then((owner) => res.json({ owner: owner ?? null }), next);
    });
    app.post(['/echo', '/json'], ...ownParsers, (req, res) => {
      res.json({ body: req.body as unknown });
    });
    app.get('/broken', () => {
      throw new Error('a bug of the host');
    });
    const onError: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.status(500).json({ host: 'error' });
    };
    app.use(onError);
    return {
      listener: app,
      grants: oauth.grants,
      issue: oauth.issue,
      owners: oauth.owners,
      close: async () => undefined,
    };
  };
