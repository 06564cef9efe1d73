/**
 * The identity provider of a company, and the platform that runs its jobs, in as few lines as show what they do: real ones are products. It
 * listens on PORT, signs for SERVER (the issuer of the authorization server), and vouches for one employee and one job.
 */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const { PORT = '3001', SERVER = 'http://127.0.0.1:3000' } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const { privateKey, publicKey } = await generateKeyPair('ES256');

const signed = (claims: Record<string, unknown>, typ: string): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', typ, kid: 'one' })
    .setIssuer(issuer)
    .setAudience(SERVER)
    .setIssuedAt()
    .setExpirationTime('5m')
    .setJti(randomUUID())
    .sign(privateKey);

const app = express();
app.get('/.well-known/oauth-authorization-server', (_req, res) => {
  const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  res.json({ issuer, ...endpoints, jwks_uri: `${issuer}/keys`, response_types_supported: ['code'] });
});
app.get('/keys', (_req, res, next) => {
  exportJWK(publicKey).then((key) => res.json({ keys: [{ ...key, kid: 'one', alg: 'ES256' }] }), next);
});

/** An assistant exchanges the ID token of its user for an assertion (RFC 8693). This company lets it read notes, and nothing else. */
app.post('/token', express.urlencoded(), (req, res, next) => {
  const { resource, subject_token, requested_token_type: type } = req.body as Record<string, string>;
  if (subject_token !== 'the ID token of employee 17') {
    res.status(400).json({ error: 'invalid_grant' });
    return;
  }
  const claims = { sub: 'employee 17', client_id: 'assistant', scope: 'notes.read', resource };
  signed(claims, 'oauth-id-jag+jwt').then((access_token) => {
    res.json({ access_token, issued_token_type: type, token_type: 'N_A', expires_in: 300 });
  }, next);
});

/** A platform writes such a statement into a file of the job; here the job asks for it. */
app.get('/statement', (_req, res, next) => {
  signed({ sub: 'prod:deployer' }, 'JWT').then((statement) => res.type('text/plain').send(statement), next);
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`The identity provider listens on ${issuer}`));
