import type { Authorization } from '../core/authorization.js';
import type { HttpRequest } from '../core/http.js';
import { admit, type GuardRequirement, requiredBearerToken } from '../core/oauth/bearer.js';
import { errorResponse } from '../core/responses.js';
import type { GuardResult } from '../core/server.js';
import type { ResolvedCommonOptions } from './option-checks.js';

/** Judges bearer tokens of an authorization server in another process. */
export interface TokenGuard {
  /** Never rejects: what cannot be known is a 503. */
  guard(request: HttpRequest, requirement: GuardRequirement): Promise<GuardResult>;
  /** Closes the connections that are kept open. */
  close(): void;
}

/** RFC 6750 §2.1. Everything else is no token, and not worth a question. */
const B64TOKEN = /^[\w.~+/-]+=*$/;

/** Says what a live access token stands for; `undefined` for every other text. */
export type TokenLookup = (token: string) => Promise<Authorization | undefined>;

/** Makes a guard of something that knows what tokens stand for. */
export const tokenGuard = (
  lookUp: TokenLookup,
  { audience: ownAudience, onError }: Pick<ResolvedCommonOptions, 'audience' | 'onError'>,
  close: () => void,
): TokenGuard => ({
  guard: async (request, { scopes, audience = ownAudience }) => {
    try {
      const token = requiredBearerToken(request);
      const authorization = B64TOKEN.test(token) ? await lookUp(token) : undefined;
      // Without a resource of its own a guard stands for the issuer, as it does beside the authorization server.
      const wanted = audience ?? (authorization === undefined ? [] : [authorization.iss]);
      return { authorization: admit(authorization, { scopes, audience: wanted }) };
    } catch (error) {
      return { response: errorResponse(error, onError) };
    }
  },
  close,
});
