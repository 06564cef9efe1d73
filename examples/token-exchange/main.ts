/**
 * The authorization server of two services. `notes` is called for a user, and calls `search` for that user with a token of its own: `services.ts`.
 * It listens on PORT; NOTES and SEARCH are the URLs of the services.
 */
import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { tokenExchange } from 'oauth-query/token-exchange';

const {
  PORT = '3000',
  NOTES = 'http://127.0.0.1:3001',
  SEARCH = 'http://127.0.0.1:3002',
  SECRET = 'only for this example: at least 32 characters',
} = process.env;
const issuer = `http://127.0.0.1:${PORT}`;

const app = express();
const oauth = oauthQuery({
  issuer,
  secret: SECRET,
  scopes: { 'notes.read': 'Read your notes', 'notes.write': 'Change your notes' },
  resources: { [NOTES]: { name: 'Notes' }, [SEARCH]: { name: 'Search' } },
  users: [{ username: 'alice', password: 'in wonderland' }],
  clients: [
    { client_id: 'app', redirect_uris: [`${issuer}/`], scope: 'notes.read notes.write' },
    {
      client_id: 'notes',
      client_secret: 'notes-secret',
      audience: NOTES,
      introspect: true,
      grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'],
      scope: 'notes.read',
    },
    { client_id: 'search', client_secret: 'search-secret', audience: SEARCH, introspect: true, grant_types: [] },
  ],
  features: [tokenExchange({ from: { notes: [SEARCH] } })],
});
app.use(oauth);

// Revokes what the user has granted: the services reject its tokens in the next request.
app.post('/end', (_req, res, next) => {
  oauth.grants.revoke({ sub: 'alice' }).then(() => res.sendStatus(204), next);
});

app.listen(Number(PORT), '127.0.0.1', () => {
  // In place of the sign-in of an application: a token of alice for the notes, and for nothing else.
  oauth.issue({ sub: 'alice', client_id: 'app', scope: ['notes.read', 'notes.write'], resource: NOTES }).then(
    ({ access_token }) =>
      console.log(`Listening on ${issuer}

TOKEN=${access_token}
curl -H "Authorization: Bearer $TOKEN" ${NOTES}/related`),
    console.error,
  );
});
