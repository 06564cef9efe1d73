import { openStore } from 'oauth-query/stores/open';
import { createApp } from './app.js';

const { ISSUER = 'http://127.0.0.1:3000', OAUTH_SECRET, STORE = 'memory:', PORT = '3000' } = process.env;

// sqlite:oauth.db, redis://… or postgres://… keep tokens when the process ends.
const store = await openStore(STORE);
await store.migrate();
const { app } = createApp({ issuer: ISSUER, store, ...(OAUTH_SECRET !== undefined && { secret: OAUTH_SECRET }) });
app.listen(Number(PORT), () => console.log(`${ISSUER}/oauth/authorize, and ${ISSUER}/photos`));
