/**
 * Two services: `notes` needs `search` to answer its user. It must not pass the token of its request on, so it exchanges it for another. They listen on
 * the ports of NOTES and SEARCH; ISSUER is the authorization server of `main.ts`.
 */
import express, { type Express } from 'express';
import { remoteGuard } from 'oauth-query/express';
import { introspectionVerifier, onBehalfOf } from 'oauth-query/guard';

const {
  ISSUER = 'http://127.0.0.1:3000',
  NOTES = 'http://127.0.0.1:3001',
  SEARCH = 'http://127.0.0.1:3002',
} = process.env;

const notes = { client_id: 'notes', client_secret: 'notes-secret' };
const search = { client_id: 'search', client_secret: 'search-secret' };

/** Each service accepts only tokens that are for itself. */
const guardOf = (audience: string, credentials: typeof notes) =>
  remoteGuard(introspectionVerifier({ issuer: ISSUER, audience, credentials, cacheSeconds: 0 }));

const listen = (app: Express, url: string): void =>
  void app.listen(Number(new URL(url).port), '127.0.0.1', () => console.log(`Listening on ${url}`));

const tokenFor = onBehalfOf({ issuer: ISSUER, credentials: notes });
const notesApp = express();
notesApp.get('/related', guardOf(NOTES, notes)('notes.read'), async (req, res) => {
  const token = await tokenFor(req, SEARCH, 'notes.read');
  const found = await fetch(`${SEARCH}/find`, { headers: { authorization: `Bearer ${token}` } });
  res.status(found.status).json(await found.json());
});
listen(notesApp, NOTES);

const searchApp = express();
searchApp.get('/find', guardOf(SEARCH, search)('notes.read'), (req, res) => {
  const { sub, act, scope } = req.auth;
  res.json({ found: ['Feed the rabbit'], for: sub, by: act?.client_id, scope });
});
listen(searchApp, SEARCH);
