/** An application with its own login, and an MCP server with OAuth. */
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import session from '@fastify/session';
import fastify from 'fastify';
import { oauthQuery } from 'oauth-query/fastify';
import { selfRegistration } from 'oauth-query/self-registration';
import { answer, isWriting, SCOPES } from './notes.js';

declare module 'fastify' {
  interface Session {
    user?: string;
  }
}

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PASSWORDS = new Map([['alice', 'wonderland']]);

// The existing application.
const app = fastify();
app.register(cookie);
app.register(session, {
  secret: 'a secret of the application that is long enough',
  saveUninitialized: false,
  cookie: { secure: false, sameSite: 'lax' },
});
app.register(formbody);
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
  const { return_to: to } = request.query;
  return reply.redirect(typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : '/', 303); // Only within this site.
});

// The addition.
const oauth = oauthQuery({
  issuer: base,
  secret: process.env['OAUTH_SECRET'] ?? 'a secret that is only good for trying this out',
  scopes: SCOPES,
  resources: { '/mcp': { scopes: ['notes.read'], name: 'Notes' } },
  features: [selfRegistration()],
  cors: ['*'],
  owner: ({ session: { user } }) => (user === undefined ? undefined : { sub: user, username: user }),
  loginUrl: '/login',
});
app.register(oauth);

const read = oauth.guard('notes.read', { resource: '/mcp' });
const write = oauth.guard(['notes.read', 'notes.write'], { resource: '/mcp' });
app.route({
  method: ['GET', 'POST'],
  url: '/mcp',
  preHandler: (request, reply) => (isWriting(request.body) ? write : read)(request, reply),
  handler: (request, reply) => {
    reply.hijack(); // The SDK writes the answer itself.
    return answer(request.raw, reply.raw, request.body, request.auth?.sub ?? '');
  },
});

await app.listen({ port, host: '127.0.0.1' });
console.log(`Listening on ${base}: connect a client to ${base}/mcp`);
