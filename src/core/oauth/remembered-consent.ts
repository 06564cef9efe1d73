import { sha256 } from '../secrets.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Client } from './client.js';
import { type OAuthContext, secondsOf } from './context.js';
import { keys, REMEMBERED_CONSENT, type RememberedConsentRecord } from './records.js';
import { isUnprovenRedirect } from './redirect-uri.js';
import { formatScope, isSubset, parseScope } from './scope.js';

/** What an owner is about to allow. */
interface Asked {
  readonly client: Client;
  readonly request: AuthorizationRequest;
}

const keyOf = (sub: string, client_id: string): string =>
  keys.rememberedConsent(sha256(JSON.stringify([sub, client_id])));

/**
 * Whether an approval of this may be remembered at all. Never for a public client on an address that any program could
 * listen on: it may be somebody else the next time (RFC 8252 §8.6).
 */
const mayRemember = ({ client, request }: Asked, context: OAuthContext): boolean =>
  context.config.lifetimes.rememberedConsent > 0 && !(client.public && isUnprovenRedirect(request.redirect_uri));

const covers = (consent: RememberedConsentRecord, { request }: Asked): boolean =>
  isSubset(request.scope, parseScope(consent.scope) ?? []) &&
  // Without a resource a token is for the issuer itself, and an approval for elsewhere says nothing about that.
  (request.resources.length === 0 ? consent.aud.length === 0 : isSubset(request.resources, consent.aud));

/** Whether this owner has allowed all of this before, and it is still remembered. */
export const isRemembered = async (asked: Asked, sub: string, context: OAuthContext): Promise<boolean> => {
  if (!mayRemember(asked, context)) return false;
  const consent = await context.records.get(keyOf(sub, asked.client.client_id), REMEMBERED_CONSENT);
  return consent !== undefined && covers(consent, asked);
};

/** Remembers the newest approval of an owner for a client, in place of an older one that did not cover it. */
export const rememberConsent = async (asked: Asked, sub: string, context: OAuthContext): Promise<void> => {
  if (!mayRemember(asked, context)) return;
  const { client, request } = asked;
  const exp = secondsOf(context.clock) + context.config.lifetimes.rememberedConsent;
  const key = keyOf(sub, client.client_id);
  await context.records.delete(key);
  await context.records.add(key, { scope: formatScope(request.scope), aud: request.resources, exp });
};

/** The owner will be asked again. */
export const forgetConsent = (sub: string, client_id: string, context: OAuthContext): Promise<void> =>
  context.records.delete(keyOf(sub, client_id));
