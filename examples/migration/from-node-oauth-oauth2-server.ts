/** Accepts tokens of @node-oauth/oauth2-server until the last has expired, next to those of oauth-query, which issues all new ones. It listens on PORT. */
import OAuthServer from '@node-oauth/express-oauth-server';
import type { ClientCredentialsModel, Token } from '@node-oauth/oauth2-server';
import express, { type RequestHandler } from 'express';
import { oauthQuery } from 'oauth-query/express';

const { PORT = '3000' } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;

const tokens = new Map<string, Token>();
const model: ClientCredentialsModel = {
  getClient: async (id, secret) =>
    id === 'printer' && secret === 'printer-secret' && { id, grants: ['client_credentials'] },
  getUserFromClient: async (client) => ({ id: client.id }),
  validateScope: async (_user, _client, scope = ['photos.read']) =>
    scope.every((one) => one === 'photos.read') && scope,
  saveToken: async (token, client, user) => {
    const saved = { ...token, client, user };
    tokens.set(token.accessToken, saved);
    return saved;
  },
  getAccessToken: async (accessToken) => tokens.get(accessToken),
  verifyScope: async (token, scope) => scope.every((one) => token.scope?.includes(one)),
};
const old = new OAuthServer({ model });

const oauth = oauthQuery({
  issuer,
  secret: 'at least 32 characters that only you know',
  clients: [{ client_id: 'printer', client_secret: 'printer-secret' }],
  scopes: { 'photos.read': 'See your photos' },
});

/** Checks old tokens with the old guard, and all other requests with the new one. */
const eitherGuard = (scope: 'photos.read'): RequestHandler => {
  const oldGuard = old.authenticate({ scope: [scope] });
  const newGuard = oauth.guard(scope);
  return async (req, res, next) => {
    const token = /^Bearer (\S+)$/i.exec(req.get('authorization') ?? '')?.[1];
    const isOld = token !== undefined && Boolean(await model.getAccessToken(token));
    await (isOld ? oldGuard(req, res, next) : newGuard(req, res, next));
  };
};

const app = express();
app.use(oauth);
// Only to try an old token here: remove it, so that no further old tokens are issued.
app.post('/old/token', express.urlencoded({ extended: false }), old.token());
app.get('/photos', eitherGuard('photos.read'), (req, res) => {
  res.json({ photosOf: req.auth?.sub ?? res.locals['oauth'].token.user.id });
});
app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(issuer);
});
