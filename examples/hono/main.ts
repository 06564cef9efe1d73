/** A Hono application whose photos other programs may read with OAuth. */
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { oauthQuery } from 'oauth-query/fetch';

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

const addresses = new WeakMap<Request, string>();
const oauth = oauthQuery({
  issuer: base,
  secret: 'a secret, for the forms of the consent page',
  clients: [
    {
      client_id: 'printer',
      client_secret: 'printer-secret',
      client_name: 'Photo Printer',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  scopes: { 'photos.read': 'See your photos' },
  users: [{ username: 'alice', password: 'wonderland' }],
  address: (request) => addresses.get(request) ?? '',
});
const guard = oauth.guard('photos.read');

const app = new Hono();
app.use(async (c, next) => {
  addresses.set(c.req.raw, getConnInfo(c).remote.address ?? '');
  return oauth.fetch(c.req.raw) ?? next();
});
app.get('/api/photos', (c) => guard(c.req.raw, ({ sub }) => c.json({ photos: PHOTOS.get(sub) ?? [] })));
app.get('/', (c) => c.text('Hello'));

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(`Listening on ${base}`));
