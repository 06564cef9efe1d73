import { findResource } from '../../base/addresses/resource.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { formatScope, isSubset, OFFLINE_ACCESS, parseScope } from '../../base/scope.js';
import { type Client, generationOf, isOfGeneration } from '../clients/client.js';
import { isUnprovenRedirect } from '../clients/redirect-uri.js';
import { consentKeyOf, forgetConsent } from '../kernel/forgotten-consent.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import { groups, REMEMBERED_CONSENT, type RememberedConsentRecord } from '../records/stored-records.js';
import { secondsOf } from '../records/window.js';
import type { Connection } from '../tokens/grant.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** The access an owner is about to allow. */
interface Asked {
  readonly client: Client;
  readonly request: AuthorizationRequest;
}

/** What {@link RememberedConsents} depend on. */
interface RememberedConsentDependencies {
  readonly records: Records;
  readonly clock: Clock;
  readonly impliedScopes: { expand(scopes: readonly string[]): readonly string[] };
  readonly lifetimes: { readonly rememberedConsent: number };
  readonly tokens: { connectionTo(sub: string, client_id: string): Promise<Connection> };
  readonly hooks: Pick<OAuthHooks, 'claimsOf'>;
}

/** What owners have allowed before, so that they are not asked again. */
export class RememberedConsents {
  readonly #given: RememberedConsentDependencies;

  constructor(given: RememberedConsentDependencies) {
    this.#given = given;
  }

  /** Whether approvals are remembered at all. */
  get areKept(): boolean {
    return this.#given.lifetimes.rememberedConsent > 0;
  }

  /**
   * Whether this approval may be remembered. Never for a public client with a redirect URI that any program could
   * listen on: it may be a different program next time (RFC 8252 §8.6).
   */
  #mayRemember({ client, request }: Asked): boolean {
    return (
      this.areKept &&
      // Offline access must be confirmed each time (OpenID Connect Core 1.0 §11).
      !request.scope.includes(OFFLINE_ACCESS) &&
      !(client.public && isUnprovenRedirect(request.redirect_uri))
    );
  }

  /** Includes implied scopes on both sides: the scope may have implied less when it was allowed. */
  #covers(consent: RememberedConsentRecord, { request }: Asked): boolean {
    const { hooks, impliedScopes } = this.#given;
    const scopes = parseScope(consent.scope) ?? [];
    return (
      isSubset(impliedScopes.expand(request.scope), scopes) &&
      isSubset(request.claims?.names ?? [], [...(consent.claims ?? []), ...(hooks.claimsOf?.(scopes) ?? [])]) &&
      // Without a resource a token is for the issuer itself, which approvals for other resources do not cover.
      (request.resources.length === 0
        ? consent.aud.length === 0
        : request.resources.every((resource) => findResource(consent.aud, resource) !== undefined))
    );
  }

  /** The owner's earlier approval for this client, whether or not it covers all of this. */
  find(asked: Asked, sub: string): MaybePromise<RememberedConsentRecord | undefined> {
    return this.#mayRemember(asked)
      ? this.#given.records.get(consentKeyOf(sub, asked.client.client_id), REMEMBERED_CONSENT)
      : undefined;
  }

  /** The connection in which the owner has already allowed all of this, if that is remembered. */
  async findApproved(asked: Asked, sub: string): Promise<Connection | undefined> {
    if (!this.#mayRemember(asked)) return undefined;
    const [consent, connection] = await Promise.all([
      this.find(asked, sub),
      this.#given.tokens.connectionTo(sub, asked.client.client_id),
    ]);
    const isOfConnection = consent !== undefined && consent.connection === connection.record?.generation;
    return isOfConnection && isOfGeneration(asked.client, consent) && this.#covers(consent, asked)
      ? connection
      : undefined;
  }

  /**
   * Remembers an owner's approval for a client, after forgetting an older one. It ends with the connection of the resulting grant.
   *
   * @param connection - The generation of that connection.
   */
  async remember(asked: Asked, sub: string, connection: string): Promise<void> {
    if (!this.#mayRemember(asked)) return;
    const { records, clock, impliedScopes, lifetimes } = this.#given;
    const { request } = asked;
    const { client_id } = asked.client;
    const record: RememberedConsentRecord = {
      client_id,
      connection,
      scope: formatScope(impliedScopes.expand(request.scope)),
      aud: request.resources,
      ...(request.claims !== undefined && { claims: request.claims.names }),
      exp: secondsOf(clock) + lifetimes.rememberedConsent,
      ...generationOf(asked.client),
    };
    await records.add(consentKeyOf(sub, client_id), record, [
      groups.consentsOfOwner(sub),
      groups.consentsOfClient(client_id),
    ]);
  }

  /** Makes the server ask the owner again. */
  forget(sub: string, client_id: string): Promise<void> {
    return forgetConsent(sub, client_id, this.#given);
  }
}
