import type { RequestListener } from 'node:http';
import OAuthServer from '@node-oauth/express-oauth-server';
import type OAuth2Server from '@node-oauth/oauth2-server';
import express from 'express';
import type { Framework } from '../candidates.js';
import { CLIENTS, CONTENT, isSecretOf, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE } from './setting.js';

const accessTokens = new Map<string, OAuth2Server.Token>();
const refreshTokens = new Map<string, OAuth2Server.Token>();
const codes = new Map<string, OAuth2Server.AuthorizationCode>();

const clients = new Map(
  CLIENTS.map(({ client_id }): [string, OAuth2Server.Client] => [
    client_id,
    {
      id: client_id,
      grants: ['client_credentials', 'authorization_code', 'refresh_token'],
      redirectUris: [REDIRECT_URI],
    },
  ]),
);

/** The model that the documentation requires, in Maps. The library generates the tokens. */
const model: OAuth2Server.AuthorizationCodeModel &
  OAuth2Server.ClientCredentialsModel &
  OAuth2Server.RefreshTokenModel = {
  // The authorization endpoint passes no secret.
  async getClient(id, secret: string | null) {
    return secret === null || isSecretOf(id, secret) ? clients.get(id) : undefined;
  },
  async getUserFromClient({ id }) {
    return { id: `client:${id}` };
  },
  async validateScope(_user, _client, scope) {
    return scope?.every((one) => one === SCOPE) === true ? scope : false;
  },
  async saveToken(token, client, user) {
    const saved = { ...token, client, user };
    accessTokens.set(token.accessToken, saved);
    if (token.refreshToken !== undefined) refreshTokens.set(token.refreshToken, saved);
    return saved;
  },
  async getAccessToken(accessToken) {
    return accessTokens.get(accessToken);
  },
  async verifyScope(token, scope) {
    return scope.every((one) => token.scope?.includes(one) === true);
  },
  async saveAuthorizationCode(code, client, user) {
    const saved = { ...code, client, user };
    codes.set(code.authorizationCode, saved);
    return saved;
  },
  async getAuthorizationCode(code) {
    return codes.get(code);
  },
  async revokeAuthorizationCode({ authorizationCode }) {
    return codes.delete(authorizationCode);
  },
  async getRefreshToken(refreshToken) {
    const token = refreshTokens.get(refreshToken);
    return token === undefined ? undefined : { ...token, refreshToken };
  },
  async revokeToken({ refreshToken }) {
    return refreshTokens.delete(refreshToken);
  },
};

export const listener = async (_framework: Framework): Promise<RequestListener> => {
  const oauth = new OAuthServer({
    model,
    authorizationCodeLifetime: LIFETIMES.code,
    accessTokenLifetime: LIFETIMES.access,
    refreshTokenLifetime: LIFETIMES.refresh,
    alwaysIssueNewRefreshToken: true,
    allowEmptyState: true,
  });
  const app = express();
  // The wrapper expects the body to be parsed already.
  app.use(express.urlencoded({ extended: false }));
  app.get(PATHS.authorize, oauth.authorize({ authenticateHandler: { handle: () => ({ id: OWNER }) } }));
  app.post(PATHS.token, oauth.token());
  app.get(PATHS.content, oauth.authenticate({ scope: [SCOPE] }), (_req, res) => void res.json(CONTENT));
  return app;
};
