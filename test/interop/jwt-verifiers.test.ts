import express from 'express';
import { auth, type AuthResult } from 'express-oauth2-jwt-bearer';
import { oauthQuery } from 'oauth-query/express';
import { expect, test } from 'vitest';
import { generateKey } from '../../src/core/oauth/keys/signing-keys.js';
import { basic, bearer, Client } from '../hosts.js';
import { listen } from '../hosts/listen.js';

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'express-oauth2-jwt-bearer, told the issuer alone, accepts access tokens signed with %s and refuses changed ones',
  async (algorithm) => {
    const app = express();
    const { origin: issuer } = await listen(app);
    app.use(
      oauthQuery({
        issuer,
        jwt: [{ key: generateKey(algorithm) }],
        clients: [{ client_id: 'service', client_secret: 'a secret with enough characters' }],
        onWarning: () => undefined,
      }),
    );
    app.get('/mine', auth({ issuerBaseURL: issuer, audience: issuer }), (request, response) => {
      const { payload } = request.auth as unknown as AuthResult;
      response.json({ client_id: payload['client_id'] });
    });
    app.use((error: { status?: number }, _request: unknown, response: express.Response, _next: unknown) => {
      response.sendStatus(error.status ?? 500);
    });
    const client = new Client(issuer);
    const { json } = await client.post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      basic('service', 'a secret with enough characters'),
    );
    const token = String(json['access_token']);
    expect(await client.get('/mine', bearer(token))).toMatchObject({ status: 200, json: { client_id: 'service' } });
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ iss: issuer, aud: issuer, exp: 9_999_999_999 })).toString('base64url');
    expect((await client.get('/mine', bearer(`${head}.${claims}.${signature}`))).status).toBe(401);
  },
);
