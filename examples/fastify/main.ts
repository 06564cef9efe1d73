/** An application with its own login, body parser and routes, which adds OAuth for other programs. */
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import session from '@fastify/session';
import fastify from 'fastify';
import { oauthQuery } from 'oauth-query/fastify';

declare module 'fastify' {
  interface Session {
    user?: string;
  }
}

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PASSWORDS = new Map([['alice', 'wonderland']]);
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

// The existing application.
const app = fastify();
app.register(cookie);
app.register(session, {
  secret: 'a secret of the application that is long enough',
  saveUninitialized: false,
  cookie: { secure: false, sameSite: 'lax' },
});
app.register(formbody);

/** A path of this site. Browsers read a backslash as a slash and skip tabs, so others could lead to another site. */
const localPath = (path: unknown): string =>
  typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';

app.get('/login', async (_request, reply) => {
  reply.type('text/html');
  return '<form method="post"><input name="username"><input name="password" type="password"><button>Log in</button></form>';
});
app.post<{ Body: Record<string, unknown>; Querystring: Record<string, unknown> }>('/login', async (request, reply) => {
  const { username, password } = request.body;
  if (typeof username !== 'string' || !PASSWORDS.has(username) || PASSWORDS.get(username) !== password) {
    return reply.code(403).send('Wrong user name or password.');
  }
  await request.session.regenerate();
  request.session.user = username;
  return reply.redirect(localPath(request.query['return_to']), 303);
});
app.get('/', async (request) => `Hello ${request.session.user ?? 'stranger'}`);

// The addition.
const oauth = oauthQuery({
  issuer: base,
  secret: 'another secret, for the forms of the consent page',
  clients: [
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
app.register(oauth);
app.get('/api/photos', { preHandler: oauth.guard('photos.read') }, async (request) => ({
  photos: PHOTOS.get(request.auth?.sub ?? '') ?? [],
}));

await app.listen({ port, host: '127.0.0.1' });
console.log(`Listening on ${base}`);
