/**
 * A server whose users come from the identity provider of a company, and whose jobs have no secret: `provider.ts` vouches for both. It listens on
 * PORT; PROVIDER is the issuer of the provider.
 */
import express from 'express';
import { assertions } from 'oauth-query/assertions';
import { oauthQuery } from 'oauth-query/express';
import { answer, SCOPES } from '../mcp/notes.js';

const { PORT = '3000', PROVIDER = 'http://127.0.0.1:3001' } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Accounts by the identity that the provider vouches for. */
const accounts = new Map([[JSON.stringify([PROVIDER, 'employee 17']), 'alice']]);

const app = express();
const oauth = oauthQuery({
  issuer,
  secret: process.env['OAUTH_SECRET'] ?? 'only for this example: at least 32 characters',
  scopes: { ...SCOPES, deploy: 'Deploy' },
  resources: { '/mcp': { scopes: ['notes.read'], name: 'Notes' } },
  clients: [
    { client_id: 'assistant', client_secret: 'assistant-secret', grant_types: [JWT_BEARER], scope: 'notes.read' },
    {
      client_id: 'deployer',
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: [JWT_BEARER, 'client_credentials'],
      scope: 'deploy',
    },
  ],
  features: [
    assertions({
      issuers: [
        {
          issuer: PROVIDER,
          kind: 'id-jag',
          owner: ({ iss, sub }) => {
            const account = accounts.get(JSON.stringify([iss, sub]));
            return account === undefined ? undefined : { sub: account };
          },
        },
        { issuer: PROVIDER, kind: 'workload', clients: { 'prod:deployer': 'deployer' } },
      ],
    }),
  ],
});
app.use(oauth);

app.all('/mcp', express.json(), oauth.guard('notes.read', { resource: '/mcp' }), (req, res) =>
  answer(req, res, req.body, req.auth?.sub ?? ''),
);
app.post('/deployments', oauth.guard('deploy'), (req, res) => {
  res.json({ deployed_by: req.auth?.client_id });
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on ${issuer}`));
