/** An application with its own login, body parser and routes, which adds OAuth for other programs. */
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import session from 'koa-session';
import { oauthQuery } from 'oauth-query/koa';

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PASSWORDS = new Map([['alice', 'wonderland']]);
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

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

/** A path of this site. Browsers read a backslash as a slash and skip tabs, so others could lead to another site. */
const localPath = (path: unknown): string =>
  typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';

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
  ctx.redirect(localPath(ctx.query['return_to']));
});
router.get('/', (ctx) => {
  ctx.body = `Hello ${userOf(ctx) ?? 'stranger'}`;
});

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
  owner: (ctx) => {
    const user = userOf(ctx);
    return user === undefined ? undefined : { sub: user, username: user };
  },
  loginUrl: '/login',
});
app.use(oauth);
router.get('/api/photos', oauth.guard('photos.read'), (ctx) => {
  ctx.body = { photos: PHOTOS.get(ctx.state.auth.sub) ?? [] };
});

app.use(router.routes());
app.listen(port, '127.0.0.1', () => console.log(`Listening on ${base}`));
