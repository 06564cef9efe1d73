/** An application with its own login, body parser and routes, which adds OAuth for other programs. */
import express from 'express';
import session from 'express-session';
import { storedClients } from 'oauth-query/clients';
import { oauthQuery } from 'oauth-query/express';
import { openStore } from 'oauth-query/stores/open';

declare module 'express-session' {
  interface SessionData {
    user: string;
  }
}

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PASSWORDS = new Map([['alice', 'wonderland']]);
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

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
app.use(express.urlencoded({ extended: true }));
app.use(express.json());

/** A path of this site. Browsers read a backslash as a slash and skip tabs, so others could lead to another site. */
const localPath = (path: unknown): string =>
  typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';

app.get('/login', (_req, res) => {
  res.send(
    '<form method="post"><input name="username"><input name="password" type="password"><button>Log in</button></form>',
  );
});
app.post('/login', (req, res, next) => {
  const { username, password } = req.body as Record<string, unknown>; // What a form sent.
  if (typeof username !== 'string' || !PASSWORDS.has(username) || PASSWORDS.get(username) !== password) {
    res.status(403).send('Wrong user name or password.');
    return;
  }
  req.session.regenerate((error) => {
    if (error !== undefined && error !== null) return next(error);
    req.session.user = username;
    res.redirect(303, localPath(req.query['return_to']));
  });
});
app.get('/', (req, res) => {
  res.send(`Hello ${req.session.user ?? 'stranger'}`);
});

// The addition: other programs, their permissions, and the page /oauth/grants where users revoke them.
const store = await openStore(process.env['STORE_URL'] ?? 'memory:');
await store.migrate();
const oauth = oauthQuery({
  issuer: base,
  secret: 'another secret, for the forms of the consent page',
  store,
  clients: [
    storedClients(store), // added by: npx oauth-query client add
    {
      client_id: 'printer',
      client_secret: 'printer-secret',
      client_name: 'Photo Printer',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  scopes: { 'photos.read': 'See your photos' },
  owner: ({ session: { user } }) => (user === undefined ? undefined : { sub: user, username: user }),
  loginUrl: '/login',
});
app.use(oauth);
app.get('/api/photos', oauth.guard('photos.read'), (req, res) => {
  res.json({ photos: PHOTOS.get(req.auth.sub) ?? [] });
});

app.listen(port, '127.0.0.1', (error) => {
  // Express also passes an error if the port is in use.
  if (error) throw error;
  console.log(`Listening on ${base}`);
});
