/**
 * An MCP server in a different process from its authorization server. Start the authorization server first, with `npx
 * tsx --tsconfig tsconfig.json examples/mcp/express.ts`.
 */
import express from 'express';
import { remoteGuard } from 'oauth-query/express';
import { introspectionVerifier } from 'oauth-query/guard';
import { answer, isWriting } from './notes.js';

const { PORT = '3001', ISSUER = 'http://127.0.0.1:3000', CLIENT_SECRET = 'api-secret' } = process.env;
const base = `http://127.0.0.1:${PORT}`;

const guard = remoteGuard(
  introspectionVerifier({
    issuer: ISSUER,
    credentials: { client_id: 'api', client_secret: CLIENT_SECRET },
    resource: `${base}/mcp`,
    scopes: ['notes.read'],
    name: 'Notes elsewhere',
  }),
);

const app = express();
app.use(guard.metadata);
const read = guard('notes.read');
const write = guard('notes.read notes.write');
app.all(
  '/mcp',
  express.json(),
  (req, res, next) => (isWriting(req.body) ? write : read)(req, res, next),
  (req, res) => answer(req, res, req.body, req.auth?.sub ?? ''),
);

app.listen(Number(PORT), '127.0.0.1', (error) => {
  // Express also passes an error if the port is in use.
  if (error) throw error;
  console.log(`Listening on ${base}: connect a client to ${base}/mcp; tokens are those of ${ISSUER}`);
});
