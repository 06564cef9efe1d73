import type { Route } from '../base/http/messages.js';
import { resourceMetadataRoute } from '../base/resource-metadata.js';
import { OWNER_GRANTS } from '../oauth/clients/client.js';
import { authorizationCode } from '../oauth/code/authorization-code.js';
import { authorize } from '../oauth/code/authorize.js';
import type { GrantHandler } from '../oauth/kernel/grant-handler.js';
import type { ServerEndpoint } from '../oauth/kernel/server-endpoint.js';
import { jwks } from '../oauth/metadata/jwks.js';
import { metadata, metadataDocument, openIdConfiguration } from '../oauth/metadata/metadata.js';
import { grantsForm, grantsPage } from '../oauth/owners/grants-page.js';
import { clientCredentials } from '../oauth/token/client-credentials.js';
import { customHandler } from '../oauth/token/custom-handler.js';
import { featureGrant } from '../oauth/token/feature-grant.js';
import { introspection } from '../oauth/token/introspection.js';
import { password } from '../oauth/token/password.js';
import { refreshToken } from '../oauth/token/refresh-token.js';
import { revocation } from '../oauth/token/revocation.js';
import { token } from '../oauth/token/token.js';
import { CAPABILITIES, TOKEN_PARAMETERS } from './capabilities.js';
import type { Services } from './create-services.js';

/** The capabilities whose grant is enabled. */
const enabledIn = ({ grants }: Services) => CAPABILITIES.filter(({ grant_type }) => grants.has(grant_type));

const OPENID = '/.well-known/openid-configuration';

/** Whether every origin may read the metadata and the keys: scripts follow links to them. */
const corsOf = ({ resources, hooks: { publicKeys } }: Services): ServerEndpoint['cors'] =>
  (resources.described.length === 0 && publicKeys === undefined) || 'any';

/** The server metadata. */
const documents = (
  metadataPaths: readonly string[],
  openIdPaths: readonly string[],
  services: Services,
): readonly ServerEndpoint[] => {
  const cors = corsOf(services);
  const ofCapabilities = enabledIn(services).map(({ metadata: member }) => member);
  const describe = (issuer: string): object => metadataDocument(issuer, services, services.hooks, ofCapabilities);
  return [
    { paths: [...new Set(metadataPaths)], programs: { GET: metadata(describe, services) }, cors },
    { paths: [...new Set(openIdPaths)], programs: { GET: openIdConfiguration(describe, services) }, cors },
  ];
};

/** RFC 8414 §3.1 puts the well-known path before an issuer's path; OpenID Connect Discovery appends it. Both are served. */
const insertedPaths = ({ paths, basePath }: Services): readonly [metadata: readonly string[], openId: string] => [
  paths.metadata.map((path) => path + basePath),
  OPENID + basePath,
];

/** The metadata at the root of the host. */
export const wellKnownEndpoints = (services: Services): readonly ServerEndpoint[] => {
  const [metadataPaths, openIdPath] = insertedPaths(services);
  return documents(metadataPaths, [openIdPath], services);
};

/** The metadata of resources on this host. Other hosts serve their own. */
export const resourceRoutes = ({ resources, configuredIssuer: issuer, proofs }: Services): readonly Route[] =>
  issuer === undefined
    ? []
    : resources.described
        .filter(({ resource }) => new URL(resource).origin === new URL(issuer).origin)
        .map((description) => resourceMetadataRoute(description, issuer, proofs));

type MakeHandler = (services: Services) => GrantHandler;

/** The enabled grants, by `grant_type`. */
const handlersOf = (
  services: Services,
  ofCapabilities: readonly (readonly [name: string, make: MakeHandler])[],
): ReadonlyMap<string, GrantHandler> => {
  const builtIn: typeof ofCapabilities = [
    ['authorization_code', authorizationCode],
    ['client_credentials', clientCredentials],
    ['refresh_token', refreshToken],
    ...ofCapabilities,
    ['password', password],
  ];
  return new Map([
    ...builtIn.filter(([name]) => services.grants.has(name)).map(([name, make]) => [name, make(services)] as const),
    ...[...services.customGrants].map(([name, grant]) => [name, customHandler(name, grant, services)] as const),
    ...[...services.featureGrants].map(([name, grant]) => [name, featureGrant(name, grant, services)] as const),
  ]);
};

/** What programs call. */
const programEndpoints = (
  services: Services,
  handlers: ReadonlyMap<string, GrantHandler>,
): readonly ServerEndpoint[] => {
  const { paths, hooks } = services;
  const [metadataPaths, openIdPath] = insertedPaths(services);
  return [
    { paths: paths.token, programs: { POST: token(services, handlers, TOKEN_PARAMETERS) }, cors: true },
    { paths: paths.introspect, programs: { POST: introspection(services) }, cors: false },
    { paths: paths.revoke, programs: { POST: revocation(services) }, cors: true },
    ...documents([...paths.metadata, ...metadataPaths], [OPENID, openIdPath], services),
    { paths: paths.jwks, programs: { GET: jwks(services) }, cors: hooks.publicKeys === undefined || 'any' },
  ];
};

/** A page of an owner. @param start - Where a form that was not accepted begins again. */
const page = (paths: readonly string[], pages: ServerEndpoint['pages'], start?: string): ServerEndpoint => ({
  paths,
  ...(pages !== undefined && { pages }),
  ...(start !== undefined && { start }),
  cors: false,
});

/** What browsers show. */
const pageEndpoints = (services: Services): readonly ServerEndpoint[] => {
  const { grants, paths } = services;
  const endpoints: ServerEndpoint[] = [];
  if (grants.has('authorization_code') || grants.has('implicit')) {
    const answer = authorize(services, services);
    endpoints.push(page(paths.authorize, { GET: answer, POST: answer }));
  }
  if (OWNER_GRANTS.some((name) => grants.has(name)))
    endpoints.push(page(paths.grants, { GET: grantsPage(services), POST: grantsForm(services) }, paths.grants[0]));
  return endpoints;
};

/** The enabled endpoints. */
export const endpointsOf = (services: Services): readonly ServerEndpoint[] => {
  const started = enabledIn(services).map(({ grant_type, start }) => ({ grant_type, ...start(services) }));
  const ofCapabilities = started.map(({ grant_type, handler }) => [grant_type, () => handler] as const);
  return [
    ...programEndpoints(services, handlersOf(services, ofCapabilities)),
    ...pageEndpoints(services),
    ...started.flatMap(({ endpoints }) => endpoints),
  ];
};
