import type { OAuthConfig } from '../settings.js';
import { type OpenApiPart, type PathItem, ref } from '../../base/openapi.js';
import { DEVICE_CODE_GRANT } from '../clients/client.js';
import { AUTHORIZATION_PARAMETERS } from '../authorization/authorization-request.js';
import { AUTHORIZE_PARAMETERS } from '../endpoints/authorize.js';
import { DEVICE_AUTHORIZATION_PARAMETERS } from '../endpoints/device-authorization.js';
import { DEVICE_PAGE_PARAMETERS } from '../endpoints/device-verification.js';
import { GRANTS_PAGE_PARAMETERS } from '../endpoints/grants.js';
import { hasGrantsPage } from '../grants-page.js';
import { INTROSPECTION_PARAMETERS } from '../endpoints/introspection.js';
import { metadataDocument } from '../endpoints/metadata.js';
import { REVOCATION_PARAMETERS } from '../endpoints/revocation.js';
import {
  CLIENT_METADATA,
  INTROSPECTION_REFUSALS,
  jsonAnswer,
  KEY_SET_SCHEMA,
  OAUTH_HEADERS,
  OAUTH_RESPONSES,
  OAUTH_SCHEMAS,
  PAGE_RESPONSES,
  PROGRAM_REFUSALS,
  REGISTRATION_REFUSALS,
  REGISTRATION_SCHEMA,
  schemaOfDocument,
} from './answers.js';
import { formBody, Forms, oneOf } from './forms.js';

const TAG = 'oauth';

/** The security requirements of an endpoint with client authentication: in the header, or in the form. */
const CLIENT_SECURITY = [{ basic: [] }, {}];

const operation = (id: string, summary: string, rest: object): Readonly<Record<string, unknown>> => ({
  operationId: `oauth-${id}`,
  tags: [TAG],
  summary,
  ...rest,
});

const registration = ({ registrations, paths }: OAuthConfig): Record<string, PathItem> => {
  if (registrations === undefined) return {};
  const post = operation('register', 'Registers a client, which says about itself what it is (RFC 7591 §3).', {
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: CLIENT_METADATA } } },
    responses: { 201: jsonAnswer('The client.', ref('schemas', 'RegisteredClient')), ...REGISTRATION_REFUSALS },
  });
  return { [paths.register[0]]: { post } };
};

const programs = (config: OAuthConfig, forms: Forms, tokenForms: readonly string[]): Record<string, PathItem> => {
  const { paths, introspectionScope } = config;
  return {
    [paths.token[0]]: {
      post: operation('token', 'Issues tokens (RFC 6749 §3.2).', {
        description: `The client authenticates with ${config.clients.authenticationMethods.map((method) => `\`${method}\``).join(', ')}.`,
        security: CLIENT_SECURITY,
        requestBody: formBody(oneOf(tokenForms)),
        responses: { 200: jsonAnswer('The tokens.', ref('schemas', 'TokenResponse')), ...PROGRAM_REFUSALS },
      }),
    },
    [paths.introspect[0]]: {
      post: operation('introspect', 'Returns the state and the contents of a token (RFC 7662).', {
        description: `A bearer token with the scope \`${introspectionScope}\` sees every token, all other callers only their own.`,
        security: [{ bearer: [] }, ...CLIENT_SECURITY],
        requestBody: formBody(forms.form(INTROSPECTION_PARAMETERS, ['token'])),
        responses: {
          200: jsonAnswer('The state and the contents of the token.', ref('schemas', 'Introspection')),
          ...INTROSPECTION_REFUSALS,
        },
      }),
    },
    [paths.revoke[0]]: {
      post: operation('revoke', 'Revokes a token; a refresh token with its whole grant (RFC 7009).', {
        security: CLIENT_SECURITY,
        requestBody: formBody(forms.form(REVOCATION_PARAMETERS, ['token'])),
        responses: {
          200: jsonAnswer('The token is revoked, or was not valid.', { type: 'object', additionalProperties: false }),
          ...PROGRAM_REFUSALS,
        },
      }),
    },
    ...registration(config),
    [paths.metadata[0]]: {
      get: operation('metadata', 'Returns the server metadata (RFC 8414).', {
        security: [],
        responses: { 200: jsonAnswer('The metadata.', ref('schemas', 'Metadata')) },
      }),
    },
    ...(config.jwt === undefined
      ? {}
      : {
          [paths.jwks[0]]: {
            get: operation('keys', 'Returns the public keys of access tokens.', {
              security: [],
              responses: {
                200: jsonAnswer('The keys.', ref('schemas', 'KeySet')),
                500: ref('responses', 'ServerError'),
                503: ref('responses', 'Unavailable'),
              },
            }),
          },
        }),
  };
};

const pages = (config: OAuthConfig, forms: Forms): Record<string, PathItem> => {
  const { grants, paths } = config;
  const required = ['response_type', 'client_id'];
  const items: Record<string, PathItem> = {};
  if (grants.has('authorization_code') || grants.has('implicit')) {
    items[paths.authorize[0]] = {
      get: operation('authorize', 'Starts an authorization request in the browser (RFC 6749 §3.1).', {
        security: [],
        parameters: forms.parameters(AUTHORIZATION_PARAMETERS, required),
        responses: PAGE_RESPONSES,
      }),
      post: operation('authorize-form', 'The same as a form; also receives the forms of our own pages.', {
        security: [],
        requestBody: formBody({
          ...forms.form(AUTHORIZE_PARAMETERS, []),
          anyOf: [{ required }, { required: ['resume'] }],
        }),
        responses: PAGE_RESPONSES,
      }),
    };
  }
  if (hasGrantsPage(config)) {
    items[paths.grants[0]] = {
      get: operation('grants-page', 'The page where an owner sees which applications have access.', {
        security: [],
        responses: PAGE_RESPONSES,
      }),
      post: operation('grants-form', 'Receives the form of that page.', {
        security: [],
        requestBody: formBody(forms.form(GRANTS_PAGE_PARAMETERS, [])),
        responses: PAGE_RESPONSES,
      }),
    };
  }
  if (grants.has(DEVICE_CODE_GRANT)) {
    items[paths.device[0]] = {
      get: operation('device-page', 'The page where an owner enters the code shown on their device.', {
        security: [],
        parameters: forms.parameters({ user_code: DEVICE_PAGE_PARAMETERS.user_code }, []),
        responses: PAGE_RESPONSES,
      }),
      post: operation('device-authorization', 'Starts a device authorization (RFC 8628 §3.1).', {
        security: CLIENT_SECURITY,
        requestBody: formBody(forms.form(DEVICE_AUTHORIZATION_PARAMETERS, [])),
        responses: {
          200: jsonAnswer('The codes.', ref('schemas', 'DeviceAuthorization')),
          ...PROGRAM_REFUSALS,
        },
      }),
    };
    items[paths.deviceVerify[0]] = {
      post: operation('device-form', 'Receives the forms of that page.', {
        security: [],
        requestBody: formBody(forms.form(DEVICE_PAGE_PARAMETERS, [])),
        responses: PAGE_RESPONSES,
      }),
    };
  }
  return items;
};

/** The flows of the enabled grants that OpenAPI can describe. It cannot describe the device flow. */
const flowsOf = ({ grants, paths, scopes: known }: OAuthConfig, base: string): Readonly<Record<string, object>> => {
  const scopes = Object.fromEntries([...known].map(([name, { description }]) => [name, description]));
  const authorizationUrl = base + paths.authorize[0];
  const tokenUrl = base + paths.token[0];
  const common = { scopes, ...(grants.has('refresh_token') ? { refreshUrl: tokenUrl } : {}) };
  return {
    ...(grants.has('authorization_code') ? { authorizationCode: { authorizationUrl, tokenUrl, ...common } } : {}),
    ...(grants.has('implicit') ? { implicit: { authorizationUrl, scopes } } : {}),
    ...(grants.has('client_credentials') ? { clientCredentials: { tokenUrl, scopes } } : {}),
    ...(grants.has('password') ? { password: { tokenUrl, ...common } } : {}),
  };
};

/** For a protected operation: any access token of this server. */
export const tokenSecurity = (config: OAuthConfig): readonly object[] => [
  { bearer: [] },
  ...(Object.keys(flowsOf(config, '')).length > 0 ? [{ oauth2: [] }] : []),
];

/**
 * Describes the enabled endpoints.
 *
 * @param base - The URL in front of their paths: the issuer, or empty if it depends on the request.
 */
export const describeOAuth = (config: OAuthConfig, base: string): OpenApiPart => {
  const forms = new Forms(config);
  const tokenForms = forms.tokenForms();
  const flows = flowsOf(config, base);
  const metadata = metadataDocument(config.issuer ?? 'http://localhost', { config });
  return {
    tags: [{ name: TAG, description: 'The authorization server' }],
    paths: { ...pages(config, forms), ...programs(config, forms, Object.keys(tokenForms)) },
    components: {
      schemas: {
        ...OAUTH_SCHEMAS,
        ...(config.jwt === undefined ? {} : KEY_SET_SCHEMA),
        ...(config.registrations === undefined ? {} : REGISTRATION_SCHEMA),
        ...tokenForms,
        Metadata: schemaOfDocument(metadata),
      },
      headers: OAUTH_HEADERS,
      responses: OAUTH_RESPONSES,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          ...(config.jwt === undefined ? {} : { bearerFormat: 'JWT' }),
          description: 'An access token of this server (RFC 6750).',
        },
        basic: {
          type: 'http',
          scheme: 'basic',
          description:
            'The client_id and secret of a client, each form-encoded before they are joined (RFC 6749 §2.3.1).',
        },
        ...(Object.keys(flows).length === 0
          ? {}
          : {
              oauth2: {
                type: 'oauth2',
                description: grantsNote(config),
                flows,
              },
            }),
      },
    },
  };
};

const grantsNote = ({ grants, paths }: OAuthConfig): string =>
  grants.has(DEVICE_CODE_GRANT)
    ? `Devices without a browser start with a POST to ${paths.device[0]} (RFC 8628).`
    : 'RFC 6749.';
