import type { Actor } from '../../base/actor.js';
import { OAuthError, UnavailableError } from '../../base/errors.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Client } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import { type Grant, type Issuance, type NewGrant, wholeOf } from '../tokens/grant.js';
import type { FirstTokens, MintedToken, TokenResponse } from '../tokens/token-response.js';
import { isStillAllowed, type StillAllowedServices } from './still-allowed.js';

/** What issues the first tokens of a grant. */
export interface FirstIssueServices {
  readonly tokens: {
    save(minted: MintedToken): MaybePromise<void>;
    saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant>;
  };
  readonly refreshTokens: {
    firstTokens(issue: Issuance): Promise<FirstTokens>;
    saveFirst(grant: Grant, first: FirstTokens): Promise<boolean>;
  };
}

/** A grant that is not written yet, and what its first tokens are for. */
interface FirstIssue {
  readonly grant: NewGrant;
  readonly client: Client;
  /** The thumbprint of the key that the access token is bound to. */
  readonly jkt?: string | undefined;
  /** Who acts for the owner. */
  readonly act?: Actor | undefined;
  /** Called when nothing but the store can fail, and before anything is written. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
}

/** Saves a new grant, and issues its first tokens at the same time: neither works without the other. */
export const issueFirst = async (
  { grant, client, jkt, act, beforeWrite }: FirstIssue,
  emit: Emit | undefined,
  { tokens, refreshTokens }: FirstIssueServices,
): Promise<TokenResponse> => {
  // What is added to a token may fail, so it is made before anything is written.
  const first = await refreshTokens.firstTokens({ ...wholeOf(grant, client, jkt), act });
  await beforeWrite?.();
  const [isSaved] = await Promise.all([
    client.refresh === 'none' ? tokens.save(first.minted) : refreshTokens.saveFirst(grant, first),
    tokens.saveGrant(grant, emit),
  ]);
  if (isSaved === false) throw new UnavailableError('The store refused the first record of a new grant.');
  return first.response;
};

/** What also asks whether a grant is allowed. */
export type AllowedIssueServices = FirstIssueServices & StillAllowedServices;

/** @throws OAuthError `invalid_grant` if the grant is not allowed. */
export const issueIfAllowed = async (
  issue: FirstIssue,
  emit: Emit | undefined,
  services: AllowedIssueServices,
): Promise<TokenResponse> => {
  if (!(await isStillAllowed(issue.grant, issue.client, services)))
    throw new OAuthError('invalid_grant', 'The grant is not allowed for this resource owner.');
  return issueFirst(issue, emit, services);
};
