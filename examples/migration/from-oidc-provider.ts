/** Accepts tokens of oidc-provider until the last has expired, next to those of oauth-query, which issues all new ones. It listens on PORT. */
import express, { type RequestHandler } from 'express';
import { oauthQuery } from 'oauth-query/express';
import Provider from 'oidc-provider';

const { PORT = '3000' } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;

const old = new Provider(issuer, {
  clients: [
    {
      client_id: 'printer',
      client_secret: 'printer-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  scopes: ['photos.read'],
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
});

const oauth = oauthQuery({
  issuer,
  secret: 'at least 32 characters that only you know',
  clients: [{ client_id: 'printer', client_secret: 'printer-secret' }],
  scopes: { 'photos.read': 'See your photos' },
});

/** Accepts old tokens that are valid and have the scope, and checks all other requests with the new guard. */
const eitherGuard = (scope: 'photos.read'): RequestHandler => {
  const newGuard = oauth.guard(scope);
  return async (req, res, next) => {
    const token = /^Bearer (\S+)$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const found = (await old.AccessToken.find(token)) ?? (await old.ClientCredentials.find(token));
    if (found?.isValid && found.scope?.split(' ').includes(scope)) {
      res.locals['sub'] = 'accountId' in found ? found.accountId : `client:${found.clientId}`;
      next();
      return;
    }
    await newGuard(req, res, next);
  };
};

const app = express();
app.use(oauth);
app.get('/photos', eitherGuard('photos.read'), (req, res) => {
  res.json({ photosOf: req.auth?.sub ?? res.locals['sub'] });
});
// Only to try an old token here: remove it, so that no further old tokens are issued.
app.use('/old', old.callback());
app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(issuer);
});
