import compression from 'compression';
import { csrfSync } from 'csrf-sync';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import session from 'express-session';
import helmet from 'helmet';
import { oauthQuery } from 'oauth-query/express';
import pino from 'pino';
import { Counter, register } from 'prom-client';
import { expect, test } from 'vitest';
import { listen } from '../hosts/listen.js';
import { Browser, PKCE } from '../oauth/support/browser.js';

const REDIRECT = 'http://127.0.0.1:8080/cb';

/** The order of docs/hosts.md, section "Order of middleware", and its listeners. */
const start = async () => {
  const app = express();
  const { origin: base } = await listen(app);
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const events = new Counter({ name: 'oauth_events_total', help: 'Events', labelNames: ['type', 'outcome'] });
  const warnings: string[] = [];
  const oauth = oauthQuery({
    issuer: base,
    secret: 'a secret of the test that has 32 characters',
    clients: [{ client_id: 'album', client_secret: 'album-secret', redirect_uris: [REDIRECT] }],
    scopes: { 'photos.read': 'See your photos' },
    users: [{ username: 'alice', password: 'wonderland' }],
    onEvent: (event) => {
      log.info(event, event.type);
      events.inc({ type: event.type, outcome: event.outcome });
    },
    onWarning: (sentence) => warnings.push(sentence),
  });
  app.use(helmet());
  app.use(compression());
  app.use('/oauth/token', rateLimit({ windowMs: 60_000, limit: 2 }));
  app.use(session({ secret: 'of the sessions', resave: false, saveUninitialized: false }));
  app.use(oauth);
  app.use(csrfSync().csrfSynchronisedProtection);
  app.post('/own-form', (_req, res) => void res.send('done'));
  app.get('/photos', oauth.guard('photos.read'), (req, res) => void res.json({ of: req.auth.sub }));
  return { base, lines, warnings };
};

test('the recipe for other middleware: sign-in, token and route work, the limit and the CSRF middleware too, events are logged and counted', async () => {
  const { base, lines, warnings } = await start();
  const browser = new Browser({ origin: base, base });
  const parameters = { response_type: 'code', client_id: 'album', redirect_uri: REDIRECT, scope: 'photos.read' };
  const allowed = await browser.authorizeFor({ ...parameters, ...PKCE.request });
  const code = new URL(allowed.headers.location ?? '').searchParams.get('code') ?? '';
  const body = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: PKCE.verifier };
  const token = () =>
    fetch(`${base}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('album:album-secret')}` },
      body: new URLSearchParams(body),
    });
  const { access_token } = (await (await token()).json()) as { access_token: string };
  const photos = await fetch(`${base}/photos`, { headers: { authorization: `Bearer ${access_token}` } });
  expect(await photos.json()).toEqual({ of: 'alice' });
  expect([(await token()).status, (await token()).status]).toEqual([400, 429]);
  expect((await fetch(`${base}/own-form`, { method: 'POST' })).status).toBe(403);
  expect(lines.map((line) => JSON.parse(line).msg)).toContain('token.issued');
  expect(await register.metrics()).toMatch(/oauth_events_total\{type="token\.issued",outcome="success"\} 1/);
  expect(warnings).toEqual([]);
});
