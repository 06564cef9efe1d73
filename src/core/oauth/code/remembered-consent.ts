import { findResource } from '../../base/addresses/resource.js';
import type { MaybePromise } from '../../base/ports.js';
import { formatScope, isSubset, OFFLINE_ACCESS, parseScope } from '../../base/scope.js';
import { type Client, generationOf, isOfGeneration } from '../clients/client.js';
import { isUnprovenRedirect } from '../clients/redirect-uri.js';
import { type OAuthContext, secondsOf } from '../kernel/context.js';
import { consentKeyOf } from '../kernel/forgotten-consent.js';
import { groups, REMEMBERED_CONSENT, type RememberedConsentRecord } from '../records/stored-records.js';
import type { Connection } from '../tokens/connections.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** The access an owner is about to allow. */
interface Asked {
  readonly client: Client;
  readonly request: AuthorizationRequest;
}

/**
 * Whether this approval may be remembered. Never for a public client with a redirect URI that any program could
 * listen on: it may be a different program next time (RFC 8252 §8.6).
 */
const mayRemember = ({ client, request }: Asked, context: OAuthContext): boolean =>
  context.config.lifetimes.rememberedConsent > 0 &&
  // Offline access must be confirmed each time (OpenID Connect Core 1.0 §11).
  !request.scope.includes(OFFLINE_ACCESS) &&
  !(client.public && isUnprovenRedirect(request.redirect_uri));

/** Includes implied scopes on both sides: the scope may have implied less when it was allowed. */
const covers = (consent: RememberedConsentRecord, { request }: Asked, { config }: OAuthContext): boolean =>
  isSubset(config.impliedScopes.expand(request.scope), parseScope(consent.scope) ?? []) &&
  // Without a resource a token is for the issuer itself, which approvals for other resources do not cover.
  (request.resources.length === 0
    ? consent.aud.length === 0
    : request.resources.every((resource) => findResource(consent.aud, resource) !== undefined));

/** The owner's earlier approval for this client, whether or not it covers all of this. */
export const findRemembered = (
  asked: Asked,
  sub: string,
  context: OAuthContext,
): MaybePromise<RememberedConsentRecord | undefined> =>
  mayRemember(asked, context)
    ? context.records.get(consentKeyOf(sub, asked.client.client_id), REMEMBERED_CONSENT)
    : undefined;

/** The connection in which the owner has already allowed all of this, if that is remembered. */
export const findApproved = async (
  asked: Asked,
  sub: string,
  context: OAuthContext,
): Promise<Connection | undefined> => {
  if (!mayRemember(asked, context)) return undefined;
  const [consent, connection] = await Promise.all([
    findRemembered(asked, sub, context),
    context.tokens.connectionTo(sub, asked.client.client_id),
  ]);
  const isOfConnection = consent !== undefined && consent.connection === connection.record?.generation;
  return isOfConnection && isOfGeneration(asked.client, consent) && covers(consent, asked, context)
    ? connection
    : undefined;
};

/**
 * Remembers an owner's approval for a client, after forgetting an older one. It ends with the connection of the resulting grant.
 *
 * @param connection - The generation of that connection.
 */
export const rememberConsent = async (
  asked: Asked,
  sub: string,
  connection: string,
  context: OAuthContext,
): Promise<void> => {
  if (!mayRemember(asked, context)) return;
  const { request } = asked;
  const { client_id } = asked.client;
  const record: RememberedConsentRecord = {
    client_id,
    connection,
    scope: formatScope(context.config.impliedScopes.expand(request.scope)),
    aud: request.resources,
    exp: secondsOf(context.clock) + context.config.lifetimes.rememberedConsent,
    ...generationOf(asked.client),
  };
  await context.records.add(consentKeyOf(sub, client_id), record, [
    groups.consentsOfOwner(sub),
    groups.consentsOfClient(client_id),
  ]);
};
