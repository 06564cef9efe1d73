import { UnavailableError } from '../../base/errors.js';
import type { Client } from '../clients/client.js';
import type { TokenResponse } from '../tokens/token-response.js';
import { type NewGrant, wholeOf } from '../tokens/tokens.js';
import type { OAuthContext } from './context.js';

/** Saves a new grant, and issues its first tokens at the same time: neither works without the other. */
export const issueFirst = async (
  grant: NewGrant,
  client: Client,
  { tokens, refreshTokens, emit }: OAuthContext,
  jkt?: string,
): Promise<TokenResponse> => {
  const issue = wholeOf(grant, client, jkt);
  const [response] = await Promise.all([
    client.refresh === 'none' ? tokens.issue(issue) : refreshTokens.begin(issue),
    tokens.saveGrant(grant, emit),
  ]);
  if (response === undefined) throw new UnavailableError('The store refused the first record of a new grant.');
  return response;
};
