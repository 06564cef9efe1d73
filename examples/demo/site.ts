import type { ClientRegistration } from 'oauth-query';
import type { OAuthQueryOptions } from 'oauth-query/express';

/** What is the same in every framework: there is no `owner` in it, because the built-in page signs people in. */
export type SiteOptions = Omit<OAuthQueryOptions, 'owner'>;

const CALLBACK = 'http://127.0.0.1/callback';
const CONTENT = { scope: 'profile content.read content.write', default_scope: 'profile content.read' };

/** The client with which people sign in on the page to try the API with, wherever the demo is reached. */
export const sandboxClient = (bases: readonly string[]): ClientRegistration => ({
  client_id: 'sandbox',
  client_name: 'The API sandbox',
  grant_types: ['authorization_code'],
  redirect_uris: bases.map((base) => `${base}/api/sandbox`),
  scope: `${CONTENT.scope} highvolume`,
  default_scope: CONTENT.default_scope,
});

/** A client that takes browsers back on this machine does so wherever the demo is reached, `localhost` included. */
export const reachedAt = (client: ClientRegistration, base: string): ClientRegistration => {
  const { redirect_uris = [] } = client;
  if (!redirect_uris.includes(CALLBACK) || base.startsWith('http://127.0.0.1')) return client;
  return { ...client, redirect_uris: [...redirect_uris, `${base}/callback`] };
};

/** MediaWiki's addresses beside our own, for its clients: they know no others. */
export const MEDIAWIKI_PATHS: NonNullable<SiteOptions['paths']> = {
  api: ['/api', '/w/api.php'],
  authorize: ['/oauth/authorize', '/w/rest.php/oauth2/authorize'],
  token: ['/oauth/token', '/w/rest.php/oauth2/access_token'],
};

/** The clients, owners and scopes of the demo. All of it is public. */
export const SITE: SiteOptions & { readonly clients: readonly ClientRegistration[] } = {
  // Fixed, so that several instances on one store understand each other.
  secret: 'the secret of the demo is known to everybody',
  grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
  scopes: {
    profile: 'See your name',
    'content.read': 'Read the content of this site',
    'content.write': 'Change the content of this site',
    highvolume: { description: 'Read in bulk', rights: ['apihighlimits'] },
    introspect: 'Look at the tokens of everybody',
  },
  users: [
    { username: 'alice', password: 'wonderland' },
    { username: 'bob', password: 'builder' },
  ],
  clients: [
    {
      client_id: 'web',
      client_secret: 'web-secret',
      client_name: 'A web application',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [CALLBACK, 'https://app.example/cb?keep=1'],
      ...CONTENT,
    },
    {
      client_id: 'spa',
      client_name: 'A page with a script',
      grant_types: ['authorization_code'],
      redirect_uris: [CALLBACK],
      ...CONTENT,
    },
    {
      client_id: 'native',
      client_name: 'An app',
      grant_types: ['authorization_code', 'device_code'],
      refresh: 'rotating',
      redirect_uris: [CALLBACK],
      ...CONTENT,
    },
    { client_id: 'tv', client_name: 'A television', grant_types: ['device_code'], refresh: 'rotating', ...CONTENT },
    {
      client_id: 'service',
      client_secret: 'service-secret',
      grant_types: ['client_credentials'],
      scope: 'content.read highvolume',
    },
    {
      client_id: 'api',
      client_secret: 'api-secret',
      grant_types: ['client_credentials'],
      scope: 'introspect',
      introspect: true,
    },
    {
      client_id: 'legacy',
      client_secret: 'legacy-secret',
      client_name: 'An old application',
      grant_types: ['password', 'implicit'],
      redirect_uris: [CALLBACK, 'https://legacy.example/cb'],
      ...CONTENT,
    },
    { client_id: 'odd', client_secret: 'a:b%c+d e', grant_types: ['client_credentials'], ...CONTENT },
    {
      client_id: 'rolling',
      client_secret: ['old-secret', 'new-secret'],
      grant_types: ['client_credentials'],
      ...CONTENT,
    },
    {
      client_id: 'plain',
      client_name: 'A device without SHA-256',
      grant_types: ['authorization_code'],
      code_challenge_methods: ['plain', 'S256'],
      redirect_uris: ['http://[::1]/cb'],
      ...CONTENT,
    },
  ],
  // Pages of any origin may ask for tokens, so that a script can be tried out wherever it is served.
  cors: { origins: ['*'] },
};
