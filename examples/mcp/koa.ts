/** An application with its own login, and an MCP server with OAuth. */
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import session from 'koa-session';
import { oauthQuery } from 'oauth-query/koa';
import { selfRegistration } from 'oauth-query/self-registration';
import { answer, isWriting, SCOPES } from './notes.js';

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PASSWORDS = new Map([['alice', 'wonderland']]);

// The existing application.
const app = new Koa();
const router = new Router();
app.keys = ['a secret of the application'];
app.use(session({ sameSite: 'lax' }, app));
app.use(bodyParser());

const userOf = (ctx: Koa.Context): string | undefined => {
  const user: unknown = ctx.session?.['user'];
  return typeof user === 'string' ? user : undefined;
};

router.get('/login', (ctx) => {
  ctx.body =
    '<form method="post"><input name="username"><input name="password" type="password"><button>Log in</button></form>';
});
router.post('/login', (ctx) => {
  const { username, password } = ctx.request.body as Record<string, unknown>; // What a form sent.
  if (typeof username !== 'string' || !PASSWORDS.has(username) || PASSWORDS.get(username) !== password) {
    ctx.throw(403, 'Wrong user name or password.');
  }
  ctx.session = { user: username };
  ctx.status = 303;
  const { return_to: to } = ctx.query;
  ctx.redirect(typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : '/'); // Only within this site.
});

// The addition.
const oauth = oauthQuery({
  issuer: base,
  secret: process.env['OAUTH_SECRET'] ?? 'a secret that is only good for trying this out',
  scopes: SCOPES,
  resources: { '/mcp': { scopes: ['notes.read'], name: 'Notes' } },
  features: [selfRegistration()],
  cors: ['*'],
  owner: (ctx) => {
    const user = userOf(ctx);
    return user === undefined ? undefined : { sub: user, username: user };
  },
  loginUrl: '/login',
});
app.use(oauth);

const read = oauth.guard('notes.read', { resource: '/mcp' });
const write = oauth.guard(['notes.read', 'notes.write'], { resource: '/mcp' });
const guard: typeof read = (ctx, next) => (isWriting(ctx.request.body) ? write : read)(ctx, next);
router.all('/mcp', guard, async (ctx) => {
  ctx.respond = false; // The SDK writes the answer itself.
  await answer(ctx.req, ctx.res, ctx.request.body, ctx.state.auth.sub);
});

app.use(router.routes());
app.listen(port, '127.0.0.1', () => console.log(`Listening on ${base}: connect a client to ${base}/mcp`));
