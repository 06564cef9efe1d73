import { openStore } from 'oauth-query/stores/open';
import { createApp } from './app.js';

const { PORT = '3000', HOST = '127.0.0.1', OAUTH_SECRET, STORE_URL = 'memory:' } = process.env;
const { ISSUER = `http://127.0.0.1:${PORT}` } = process.env; // the address that clients use

// sqlite:oauth.db, redis://…, postgres://… or mariadb://… keep tokens when the process ends.
const store = await openStore(STORE_URL);
await store.migrate();
const { app } = createApp({ issuer: ISSUER, store, ...(OAUTH_SECRET !== undefined && { secret: OAUTH_SECRET }) });
app.listen(Number(PORT), HOST, () => console.log(`${ISSUER}/oauth/grants: sign in as alice, password wonderland`));
