import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { type BuildApp, parametersOf } from './app.js';

export const buildApp: BuildApp = async ({ options, pages }) => {
  const app = express().disable('x-powered-by').disable('etag');
  const oauth = oauthQuery(options);
  app.use(oauth);

  app.get('/me', oauth.guard('profile'), ({ auth }, res) => {
    res.json({ sub: auth?.sub, username: auth?.username, client_id: auth?.client_id, scope: auth?.scope });
  });
  app.get('/content', oauth.guard('content.read'), (_req, res) => {
    res.json({ ok: true });
  });
  app.get('/open', (_req, res) => {
    res.json({ ok: true });
  });
  for (const [path, page] of Object.entries(pages)) {
    app.get(path, (req, res) => {
      const { type, body } = page(parametersOf(req.url));
      res.type(type).send(body);
    });
  }
  app.use((_req, res) => {
    res.status(404).json({ error: 'not_found' });
  });
  return app;
};
