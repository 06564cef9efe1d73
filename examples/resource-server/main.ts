/**
 * An application that accepts the tokens of an authorization server in another process. Start that one with `npm start`,
 * then this: npx tsx --tsconfig tsconfig.json examples/resource-server/main.ts
 */
import express from 'express';
import { remoteGuard } from 'oauth-query/express';
import { introspectionVerifier } from 'oauth-query/guard';

const { PORT = '3001', ISSUER = 'http://127.0.0.1:3000', CLIENT_SECRET = 'api-secret' } = process.env;

const guard = remoteGuard(
  introspectionVerifier({
    issuer: ISSUER,
    credentials: { client_id: 'api', client_secret: CLIENT_SECRET, method: 'bearer' },
  }),
);

const app = express();
const notes = ['Feed the rabbit', 'Paint the roses'];

app.get('/notes', guard('content.read'), (req, res) => {
  res.json({ reader: req.auth.sub, notes });
});
app.post('/notes', guard('content.write'), express.text(), (req, res) => {
  notes.push(String(req.body));
  res.status(201).json({ writer: req.auth.sub, notes });
});

const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  // Express also passes an error if the port is in use.
  if (error) throw error;
  console.log(`Listening on http://127.0.0.1:${PORT}; tokens are those of ${ISSUER}

TOKEN=$(curl -s -u service:service-secret -d grant_type=client_credentials ${ISSUER}/oauth/token | sed 's/.*"access_token":"//; s/".*//')
curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:${PORT}/notes`);
});

const stop = (): void => {
  guard.close();
  server.close();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
