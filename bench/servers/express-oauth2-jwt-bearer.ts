import type { RequestListener } from 'node:http';
import express from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import type { Framework } from '../candidates.js';
import { CONTENT, PATHS, SCOPE, type Setup } from './setting.js';

export const listener = async (_framework: Framework, { issuer }: Setup): Promise<RequestListener> => {
  const app = express();
  const guard = auth({ issuer, jwksUri: `${issuer}/oauth/jwks`, audience: issuer, tokenSigningAlg: 'ES256' });
  return app.get(PATHS.content, guard, requiredScopes(SCOPE), (_req, res) => void res.json(CONTENT));
};
