import type { Route } from '../base/http/messages.js';
import { resourceMetadataRoute } from '../base/resource-metadata.js';
import { DEVICE_CODE_GRANT, OWNER_GRANTS } from './clients/client.js';
import { authorize } from './code/authorize.js';
import { deviceAuthorization } from './device/device-authorization.js';
import { deviceVerification, deviceVerificationForm } from './device/device-verification.js';
import type { OAuthConfig } from './kernel/config.js';
import type { OAuthContext } from './kernel/context.js';
import type { Endpoint } from './kernel/endpoint.js';
import type { OAuthHooks } from './kernel/hooks.js';
import { jwks } from './metadata/jwks.js';
import { metadata, openIdConfiguration } from './metadata/metadata.js';
import { grantsForm, grantsPage } from './owners/grants-page.js';
import { tokensForm, tokensPage } from './owners/personal-tokens-page.js';
import { registrationWith } from './registration/registration.js';
import { introspection } from './token/introspection.js';
import { revocation } from './token/revocation.js';
import { token } from './token/token.js';

const OPENID = '/.well-known/openid-configuration';

/** Whether every origin may read the metadata and the keys: scripts follow links to them. */
const corsOf = ({ resources }: OAuthConfig, { publicKeys }: OAuthHooks): Endpoint['cors'] =>
  (resources.described.length === 0 && publicKeys === undefined) || 'any';

/** The server metadata. */
const documents = (
  cors: Endpoint['cors'],
  metadataPaths: readonly string[],
  openIdPaths: readonly string[],
): readonly Endpoint[] => [
  { paths: [...new Set(metadataPaths)], methods: { GET: metadata }, pageMethods: [], cors },
  { paths: [...new Set(openIdPaths)], methods: { GET: openIdConfiguration }, pageMethods: [], cors },
];

/** RFC 8414 §3.1 puts the well-known path before an issuer's path; OpenID Connect Discovery appends it. Both are served. */
const insertedPaths = ({ paths, issuer }: OAuthConfig): readonly [metadata: readonly string[], openId: string] => {
  const issuerPath = issuer === undefined ? '' : new URL(issuer).pathname.replace(/\/$/, '');
  return [paths.metadata.map((path) => path + issuerPath), OPENID + issuerPath];
};

/** The metadata at the root of the host. */
export const wellKnownEndpoints = (config: OAuthConfig, hooks: OAuthHooks): readonly Endpoint[] => {
  const [metadataPaths, openIdPath] = insertedPaths(config);
  return documents(corsOf(config, hooks), metadataPaths, [openIdPath]);
};

/** The metadata of resources on this host. Other hosts serve their own. */
export const resourceRoutes = (
  { resources, issuer }: OAuthConfig,
  { proofs }: Pick<OAuthContext, 'proofs'>,
): readonly Route[] =>
  issuer === undefined
    ? []
    : resources.described
        .filter(({ resource }) => new URL(resource).origin === new URL(issuer).origin)
        .map((description) => resourceMetadataRoute(description, issuer, proofs));

/** What programs call. */
const programEndpoints = (config: OAuthConfig, hooks: OAuthHooks): readonly Endpoint[] => {
  const { paths, registrations } = config;
  const [metadataPaths, openIdPath] = insertedPaths(config);
  return [
    { paths: paths.token, methods: { POST: token }, pageMethods: [], cors: true },
    { paths: paths.introspect, methods: { POST: introspection }, pageMethods: [], cors: false },
    { paths: paths.revoke, methods: { POST: revocation }, pageMethods: [], cors: true },
    ...documents(corsOf(config, hooks), [...paths.metadata, ...metadataPaths], [OPENID, openIdPath]),
    { paths: paths.jwks, methods: { GET: jwks }, pageMethods: [], cors: hooks.publicKeys === undefined || 'any' },
    ...(registrations === undefined
      ? []
      : [{ paths: paths.register, methods: { POST: registrationWith(registrations) }, pageMethods: [], cors: true }]),
  ];
};

/** A page of an owner. @param start - Where a form that was not accepted begins again. */
const page = (paths: readonly string[], methods: Endpoint['methods'], start?: string): Endpoint => ({
  paths,
  methods,
  pageMethods: ['GET', 'POST'],
  ...(start !== undefined && { start }),
  cors: false,
});

/** What browsers show. */
const pageEndpoints = (config: OAuthConfig): readonly Endpoint[] => {
  const { grants, paths, personalTokens } = config;
  const endpoints: Endpoint[] = [];
  if (grants.has('authorization_code') || grants.has('implicit'))
    endpoints.push(page(paths.authorize, { GET: authorize, POST: authorize }));
  if (OWNER_GRANTS.some((name) => grants.has(name)))
    endpoints.push(page(paths.grants, { GET: grantsPage, POST: grantsForm }, paths.grants[0]));
  if (personalTokens !== undefined)
    endpoints.push(page(paths.tokens, { GET: tokensPage, POST: tokensForm }, paths.tokens[0]));
  if (grants.has(DEVICE_CODE_GRANT)) {
    const [start] = paths.device;
    endpoints.push(
      // A POST to it comes from devices.
      { ...page(paths.device, { GET: deviceVerification, POST: deviceAuthorization }, start), pageMethods: ['GET'] },
      page(paths.deviceVerify, { POST: deviceVerificationForm }, start),
    );
  }
  return endpoints;
};

/** The enabled endpoints. */
export const endpointsOf = (config: OAuthConfig, hooks: OAuthHooks): readonly Endpoint[] => [
  ...programEndpoints(config, hooks),
  ...pageEndpoints(config),
];
