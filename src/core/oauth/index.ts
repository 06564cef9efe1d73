import type { Config } from '../config.js';
import type { HttpRequest, HttpResponse } from '../http.js';
import { DEVICE_CODE_GRANT } from './client.js';
import type { OAuthContext } from './context.js';
import { authorize } from './endpoints/authorize.js';
import { deviceAuthorization } from './endpoints/device-authorization.js';
import { deviceVerification, deviceVerificationForm } from './endpoints/device-verification.js';
import { introspection } from './endpoints/introspection.js';
import { jwks } from './endpoints/jwks.js';
import { metadata } from './endpoints/metadata.js';
import { revocation } from './endpoints/revocation.js';
import { token } from './endpoints/token.js';

export type EndpointHandler = (request: HttpRequest, context: OAuthContext) => HttpResponse | Promise<HttpResponse>;

/** One path, and what answers there for each method. */
export interface Endpoint {
  readonly paths: readonly string[];
  readonly methods: Readonly<Partial<Record<'GET' | 'POST', EndpointHandler>>>;
  /** Who reads the errors of this method: a program, or a person in front of a browser. */
  readonly pages: readonly ('GET' | 'POST')[];
  /** Whether scripts of other origins may call it, where the host allows their origin. */
  readonly cors: boolean;
}

const program = (paths: readonly string[], handler: EndpointHandler, cors: boolean): Endpoint => ({
  paths,
  methods: { POST: handler },
  pages: [],
  cors,
});

/** RFC 8414 §3.1 puts the well-known path before an issuer's path; OpenID discovery appends it. Both are served. */
export const wellKnownPaths = ({ paths, issuer }: Config): readonly string[] => {
  const issuerPath = issuer === undefined ? '' : new URL(issuer).pathname.replace(/\/$/, '');
  const inserted = paths.metadata.map((path) => path + issuerPath);
  return [...new Set([...inserted, `/.well-known/openid-configuration${issuerPath}`])];
};

/** The endpoints that are switched on. */
export const endpointsOf = (config: Config): readonly Endpoint[] => {
  const { grants, paths } = config;
  const endpoints: Endpoint[] = [
    program(paths.token, token, true),
    program(paths.introspect, introspection, false),
    program(paths.revoke, revocation, true),
    {
      paths: [...new Set([...paths.metadata, '/.well-known/openid-configuration', ...wellKnownPaths(config)])],
      methods: { GET: metadata },
      pages: [],
      cors: true,
    },
  ];
  if (config.jwt !== undefined) endpoints.push({ paths: paths.jwks, methods: { GET: jwks }, pages: [], cors: true });
  if (grants.has('authorization_code') || grants.has('implicit')) {
    endpoints.push({
      paths: paths.authorize,
      methods: { GET: authorize, POST: authorize },
      pages: ['GET', 'POST'],
      cors: false,
    });
  }
  if (grants.has(DEVICE_CODE_GRANT)) {
    endpoints.push(
      {
        paths: paths.device,
        methods: { GET: deviceVerification, POST: deviceAuthorization },
        pages: ['GET'],
        cors: false,
      },
      { paths: paths.deviceVerify, methods: { POST: deviceVerificationForm }, pages: ['GET', 'POST'], cors: false },
    );
  }
  return endpoints;
};
