/** An application with its own login, and an MCP server with OAuth. */
import express from 'express';
import session from 'express-session';
import { oauthQuery } from 'oauth-query/express';
import { selfRegistration } from 'oauth-query/self-registration';
import { answer, isWriting, SCOPES } from './notes.js';

declare module 'express-session' {
  interface SessionData {
    user: string;
  }
}

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const elsewhere = process.env['ELSEWHERE'] ?? 'http://127.0.0.1:3001/mcp';
const PASSWORDS = new Map([['alice', 'wonderland']]);

// The existing application.
const app = express();
app.use(
  session({
    secret: 'a secret of the application',
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
);
app.get('/login', (_req, res) => {
  res.send(
    '<form method="post"><input name="username"><input name="password" type="password"><button>Log in</button></form>',
  );
});
app.post('/login', express.urlencoded(), (req, res, next) => {
  const { username, password } = req.body as Record<string, unknown>; // What a form sent.
  if (typeof username !== 'string' || !PASSWORDS.has(username) || PASSWORDS.get(username) !== password) {
    res.status(403).send('Wrong user name or password.');
    return;
  }
  req.session.regenerate((error) => {
    if (error !== undefined && error !== null) return next(error);
    req.session.user = username;
    const { return_to: to } = req.query;
    res.redirect(303, typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : '/'); // Only within this site.
  });
});

// The addition.
const oauth = oauthQuery({
  issuer: base,
  secret: process.env['OAUTH_SECRET'] ?? 'a secret that is only good for trying this out',
  scopes: SCOPES,
  // The second one is resource-server.ts, a process of its own.
  resources: { '/mcp': { scopes: ['notes.read'], name: 'Notes' }, [elsewhere]: {} },
  features: [selfRegistration()],
  clients: [{ client_id: 'api', client_secret: 'api-secret', introspect: true }],
  cors: ['*'],
  owner: ({ session: { user } }) => (user === undefined ? undefined : { sub: user, username: user }),
  loginUrl: '/login',
});
app.use(oauth);

const read = oauth.guard('notes.read', { resource: '/mcp' });
const write = oauth.guard(['notes.read', 'notes.write'], { resource: '/mcp' });
app.all(
  '/mcp',
  express.json(),
  (req, res, next) => (isWriting(req.body) ? write : read)(req, res, next),
  (req, res) => answer(req, res, req.body, req.auth?.sub ?? ''),
);

app.listen(port, '127.0.0.1', (error) => {
  // Express also passes an error if the port is in use.
  if (error) throw error;
  console.log(`Listening on ${base}: connect a client to ${base}/mcp`);
});
