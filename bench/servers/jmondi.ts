import type { RequestListener } from 'node:http';
import formbody from '@fastify/formbody';
import {
  AuthorizationServer,
  DateInterval,
  generateRandomToken,
  type OAuthAuthCode,
  type OAuthAuthCodeRepository,
  type OAuthClient,
  type OAuthClientRepository,
  OAuthException,
  type OAuthRequest,
  type OAuthScopeRepository,
  type OAuthToken,
  type OAuthTokenRepository,
  type OAuthUserRepository,
  type ResponseInterface,
} from '@jmondi/oauth2-server';
import * as forExpress from '@jmondi/oauth2-server/express';
import * as forFastify from '@jmondi/oauth2-server/fastify';
import express from 'express';
import Fastify from 'fastify';
import type { Framework } from '../candidates.js';
import { CLIENTS, isSecretOf, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE } from './setting.js';

const clients = new Map(
  CLIENTS.map(({ client_id, client_secret }): [string, OAuthClient] => [
    client_id,
    {
      id: client_id,
      name: client_id,
      secret: client_secret,
      redirectUris: [REDIRECT_URI],
      allowedGrants: ['client_credentials', 'authorization_code', 'refresh_token'],
      scopes: [{ name: SCOPE }],
    },
  ]),
);
const byAccessToken = new Map<string, OAuthToken>();
const byRefreshToken = new Map<string, OAuthToken>();
const codes = new Map<string, OAuthAuthCode>();
const usedCodes = new Set<string>();

function known<Value>(map: ReadonlyMap<string, Value>, key: string): Value {
  const value = map.get(key);
  if (value === undefined) throw OAuthException.badRequest('unknown');
  return value;
}

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/** The repositories that the documentation requires, in Maps. */
const clientRepository: OAuthClientRepository = {
  getByIdentifier: async (id) => known(clients, id),
  isClientValid: async (grant, client, secret) => client.allowedGrants.includes(grant) && isSecretOf(client.id, secret),
};
const scopeRepository: OAuthScopeRepository = {
  getAllByIdentifiers: async (names) => names.filter((name) => name === SCOPE).map((name) => ({ name })),
  finalize: async (scopes) => scopes,
};
const userRepository: OAuthUserRepository = {
  getUserByCredentials: async (id) => ({ id }),
};
const codeRepository: OAuthAuthCodeRepository = {
  getByIdentifier: async (code) => known(codes, code),
  issueAuthCode: (client, user, scopes) => ({
    code: generateRandomToken(),
    expiresAt: inSeconds(LIFETIMES.code),
    client,
    user: user ?? null,
    scopes,
  }),
  persist: async (code) => void codes.set(code.code, code),
  isRevoked: async (code) => usedCodes.has(code),
  revoke: async (code) => void usedCodes.add(code),
};
const tokenRepository: OAuthTokenRepository = {
  issueToken: async (client, scopes, user) => ({
    accessToken: generateRandomToken(),
    accessTokenExpiresAt: inSeconds(LIFETIMES.access),
    client,
    user: user ?? null,
    scopes,
  }),
  async issueRefreshToken(token) {
    token.refreshToken = generateRandomToken();
    token.refreshTokenExpiresAt = inSeconds(LIFETIMES.refresh);
    byRefreshToken.set(token.refreshToken, token);
    return token;
  },
  persist: async (token) => void byAccessToken.set(token.accessToken, token),
  async revoke(token) {
    byAccessToken.delete(token.accessToken);
    if (typeof token.refreshToken === 'string') byRefreshToken.delete(token.refreshToken);
  },
  isRefreshTokenRevoked: async (token) => !byRefreshToken.has(token.refreshToken ?? ''),
  getByRefreshToken: async (token) => known(byRefreshToken, token),
  getByAccessToken: async (token) => known(byAccessToken, token),
};

const server = new AuthorizationServer(
  clientRepository,
  tokenRepository,
  scopeRepository,
  'a key of the benchmark of at least 32 characters',
  { useOpaqueAuthorizationCodes: true, useOpaqueRefreshTokens: true },
);
const access = new DateInterval('1h');
server.enableGrantTypes(
  ['client_credentials', access],
  ['refresh_token', access],
  [{ grant: 'authorization_code', authCodeRepository: codeRepository, userRepository }, access],
);

async function authorize(request: OAuthRequest): Promise<ResponseInterface> {
  const wanted = await server.validateAuthorizationRequest(request);
  wanted.user = { id: OWNER };
  wanted.isAuthorizationApproved = true;
  return server.completeAuthorizationRequest(wanted);
}

const answers = {
  [PATHS.token]: (request: OAuthRequest) => server.respondToAccessTokenRequest(request),
  [PATHS.introspect]: (request: OAuthRequest) => server.introspect(request),
};

const expressListener = (): RequestListener => {
  const app = express();
  app.use(express.urlencoded({ extended: false }));
  app.get(PATHS.authorize, async (req, res) => {
    forExpress.handleExpressResponse(res, await authorize(forExpress.requestFromExpress(req)));
  });
  for (const [path, answer] of Object.entries(answers)) {
    app.post(path, async (req, res) => {
      try {
        forExpress.handleExpressResponse(res, await answer(forExpress.requestFromExpress(req)));
      } catch (error) {
        forExpress.handleExpressError(error, res);
      }
    });
  }
  return app;
};

const fastifyListener = async (): Promise<RequestListener> => {
  const app = Fastify();
  await app.register(formbody);
  app.get(PATHS.authorize, async (request, reply) => {
    forFastify.handleFastifyReply(reply, await authorize(forFastify.requestFromFastify(request)));
    return reply;
  });
  for (const [path, answer] of Object.entries(answers)) {
    app.post(path, async (request, reply) => {
      try {
        forFastify.handleFastifyReply(reply, await answer(forFastify.requestFromFastify(request)));
      } catch (error) {
        forFastify.handleFastifyError(error, reply);
      }
      return reply;
    });
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
};

export const listener = async (framework: Framework): Promise<RequestListener> =>
  framework === 'fastify' ? fastifyListener() : expressListener();
