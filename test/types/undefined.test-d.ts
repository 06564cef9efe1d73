/** A program compiled with `exactOptionalPropertyTypes`: values that may be absent are passed on as they are. */
import { contentQuery } from 'oauth-query/content';
import { dpop } from 'oauth-query/dpop';
import { type OAuthQueryOptions, oauthQuery } from 'oauth-query/express';
import { oauthQuery as forFetch } from 'oauth-query/fetch';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { mcp } from 'oauth-query/mcp';
import { openIdConnect } from 'oauth-query/openid';
import { query } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';
import { openStore } from 'oauth-query/stores/open';

declare const environment: Record<'ISSUER' | 'NAME' | 'SECRET' | 'SCOPE', string | undefined>;
declare const may: {
  readonly options: Partial<OAuthQueryOptions>;
  readonly seconds: number | undefined;
  readonly flag: boolean | undefined;
  readonly clock: (() => number) | undefined;
};
const { ISSUER, NAME, SECRET, SCOPE } = environment;
const { options } = may;

const oauth = oauthQuery({
  issuer: ISSUER,
  secret: SECRET,
  users: options.users,
  loginUrl: options.loginUrl,
  owner: options.owner,
  jwt: options.jwt,
  features: options.features,
  claims: options.claims,
  scopes: { 'photos.read': { description: 'See your photos', translations: undefined } },
  clients: [{ client_id: 'web', client_secret: SECRET, client_name: NAME, redirect_uris: undefined }],
  lifetimes: { accessToken: may.seconds },
  branding: { name: NAME, logo: NAME, links: { privacy: NAME } },
  paths: { token: NAME },
  runtime: { clock: may.clock },
  onEvent: options.onEvent,
});
forFetch({ address: undefined });
query({ site: { name: NAME, namespaces: { 4: { canonical: NAME } } }, limits: undefined });
mcp({ path: NAME, anonymous: may.flag });
openIdConnect({ claims: undefined, logoutUrl: undefined });
memoryStore({ max: may.seconds, clock: may.clock });
void openStore('memory:', { timeout: may.seconds });
jwtVerifier({ issuer: 'https://example.org', clock: may.clock });
introspectionVerifier({
  issuer: ISSUER,
  credentials: { client_id: 'api', client_secret: SECRET ?? '' },
  timeout: undefined,
});

// Without these, more would be allowed.
// @ts-expect-error A token could have any scope.
oauth.guard('photos.read', { audience: NAME });
// @ts-expect-error A token for another API would pass.
jwtVerifier({ issuer: 'https://example.org', audience: NAME });
// @ts-expect-error The token would have the default scope.
void oauth.issue({ sub: 'alice', client_id: 'web', scope: SCOPE });
// @ts-expect-error The client could have every scope.
oauthQuery({ clients: [{ client_id: 'web', scope: SCOPE }] });
// @ts-expect-error Disabled users would keep their grants.
oauthQuery({ validateGrant: options.validateGrant });
// @ts-expect-error Everyone could read.
query({ private: may.flag });
// @ts-expect-error Everyone could read.
contentQuery({ site: {} }, { visible: undefined });
// @ts-expect-error Tokens that are not bound would pass.
dpop({ required: may.flag });
