import { createServer } from 'node:http';
import { adminPages } from 'oauth-query/admin';
import { clientDocuments, storedClients } from 'oauth-query/clients';
import { contentQuery, memoryContent } from 'oauth-query/content';
import { dpop } from 'oauth-query/dpop';
import * as languages from 'oauth-query/languages';
import { mcp } from 'oauth-query/mcp';
import { drainable } from 'oauth-query/node';
import { openApi } from 'oauth-query/openapi';
import { openIdConnect } from 'oauth-query/openid';
import { pushedRequests } from 'oauth-query/par';
/** A process of the soak: a server with every feature, on the framework, port and store that the environment names. */
import { personalTokens } from 'oauth-query/personal-tokens';
import { query } from 'oauth-query/query';
import { sandbox } from 'oauth-query/sandbox';
import { selfRegistration } from 'oauth-query/self-registration';
import { openStore } from 'oauth-query/stores/open';
import { buildApp as express } from '../../examples/demo/express.js';
import { buildApp as fastify } from '../../examples/demo/fastify.js';
import { buildApp as koa } from '../../examples/demo/koa.js';
import { ADMIN, DOCUMENT, OWNERS, REDIRECT_URI, secretOf } from './site.js';

const { FRAMEWORK = '', PORT, STORE = '', ISSUER = '', ID_TOKEN_KEY = '' } = process.env;

const PERSON = { redirect_uris: [REDIRECT_URI], scope: 'openid profile content.read' };
const pages = Array.from({ length: 200 }, (_, n) => ({
  title: `Page ${n}`,
  text: `Page ${n} is about rope and boats. ${'It goes on for a while. '.repeat(40)}`,
}));

const { english, ...others } = languages;
const store = await openStore(STORE, { onError: (error) => console.error(error) });
const inTheStore = storedClients(store);
const buildApp = { express, koa, fastify }[FRAMEWORK];
if (buildApp === undefined) throw new Error(`There is no framework ${FRAMEWORK}.`);
const listener = await buildApp({
  options: {
    issuer: ISSUER,
    store,
    secret: 'a secret of the soak that has 32 characters',
    users: [...OWNERS, ADMIN],
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code'],
    scopes: { 'content.read': 'Read the content', introspect: 'Inspect all tokens' },
    clients: [
      { client_id: 'web', client_secret: secretOf('web'), ...PERSON },
      { client_id: 'native', refresh: 'rotating', ...PERSON },
      { client_id: 'bound', refresh: 'rotating', dpop_bound_access_tokens: true, ...PERSON },
      {
        client_id: 'tv',
        client_name: 'A television',
        grant_types: ['device_code'],
        refresh: 'rotating',
        scope: PERSON.scope,
      },
      {
        client_id: 'service',
        client_secret: secretOf('service'),
        grant_types: ['client_credentials'],
        scope: 'content.read',
      },
      { client_id: 'api', client_secret: secretOf('api'), grant_types: ['client_credentials'], introspect: true },
      inTheStore,
      clientDocuments({ trust: 'any', fetch: async () => DOCUMENT }),
    ],
    features: [
      openIdConnect({ keys: [{ key: ID_TOKEN_KEY }], claims: (sub) => ({ name: `Name of ${sub}` }) }),
      dpop(),
      pushedRequests(),
      adminPages({ clients: inTheStore, isAdmin: ({ sub }) => sub === ADMIN.username }),
      query(contentQuery(memoryContent(pages))),
      sandbox(),
      openApi(),
      mcp({ scopes: ['content.read'], anonymous: false }),
      personalTokens(),
      selfRegistration({ scopes: ['content.read'] }),
    ],
    languages: [english, ...Object.values(others)],
  },
  pages: {},
});

const server = createServer(listener).listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
const drain = drainable(server);
process.once('SIGTERM', () => void drain().then(() => store.close()));
