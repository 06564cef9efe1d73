import { isActor } from '../../base/actor.js';
import { UnavailableError } from '../../base/errors.js';
import type { Clock } from '../../base/ports.js';
import { formatScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { Granted, GrantPart } from '../../feature/parts.js';
import type { Client } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import type { GrantHandler, Issued, TokenRequest } from '../kernel/grant-handler.js';
import { type AllowedIssueServices, issueIfAllowed } from '../kernel/issue-first.js';
import { checkScope, type RequestedAccess } from '../kernel/requested-access.js';
import { checkOwner, CLIENT_SUBJECT, type Owner } from '../records/owner.js';
import type { CreateGrant, KnownGrant, RevocationReason } from '../tokens/grant.js';
import type { TokenResponse } from '../tokens/token-response.js';
import { type DeriveServices, issueFrom } from './derived-token.js';

interface FeatureGrantServices extends AllowedIssueServices {
  readonly requested: RequestedAccess;
  readonly resources: { find(named: string): string | undefined };
  readonly keepsSignIn: boolean;
  readonly clock: Clock;
  readonly lifetimes: { readonly accessToken: number };
  readonly tokens: AllowedIssueServices['tokens'] &
    DeriveServices['tokens'] & {
      /** Seconds since the epoch. */
      now(): number;
      readonly newGrant: CreateGrant;
      issueOwn(
        client: Client,
        grant_type: string,
        scope: string,
        aud: readonly string[],
        jkt?: string,
        beforeWrite?: () => Promise<void>,
      ): Promise<TokenResponse>;
      revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
    };
}

/** The client as far as this grant goes: without refresh tokens, and with its lifetime. */
const limited = (client: Client, lifetime = Infinity, longest: number): Client => ({
  ...client,
  refresh: 'none',
  lifetimes: { ...client.lifetimes, accessToken: Math.min(lifetime, client.lifetimes.accessToken ?? longest) },
});

/** An owner that a feature has found. A mistake in it is that of the application, and the request may be repeated. */
const ownerIn = (given: Owner, name: string, { keepsSignIn, clock }: FeatureGrantServices): Owner => {
  try {
    return checkOwner(given, `The owner of the grant ${name}`, keepsSignIn ? clock() : undefined);
  } catch (cause) {
    throw new UnavailableError(cause instanceof Error ? cause.message : 'An owner is invalid.', { cause });
  }
};

/** Issues a token for an owner, under a grant that lives as long as the token. */
const issueFor = async (
  owner: Owner,
  { scope, resources, act, issuer, spend, confirm }: Granted,
  grant_type: string,
  { client, emit, jkt }: TokenRequest,
  services: FeatureGrantServices,
): Promise<Issued> => {
  const { tokens } = services;
  const origin = { grant_type, silent: true, ...(issuer !== undefined && { issuer }) };
  const made = await tokens.newGrant(client, owner, formatScope(scope), resources, origin);
  const grant = { ...made, exp: tokens.now() + (client.lifetimes.accessToken ?? services.lifetimes.accessToken) };
  const response = await issueIfAllowed({ grant, client, jkt, act, beforeWrite: spend }, emit, services);
  try {
    await confirm?.();
  } catch (error) {
    await tokens.revokeGrant(grant, { reason: 'host' }, emit);
    throw error;
  }
  return { response, sub: grant.sub, grant_id: grant.id, issuer };
};

/** @throws TypeError for an actor that would be lost, or that makes a token which nothing can read. */
const checkActor = ({ act, owner, from }: Granted, name: string): void => {
  if (act === undefined) return;
  if (owner === undefined && from === undefined)
    throw new TypeError(`The grant ${name} returned act without an owner to act for.`);
  if (!isActor(act)) throw new TypeError(`The grant ${name} returned an act that is no actor (RFC 8693 §4.1).`);
};

/** Handles a grant of a feature, which decides; scopes, clients and owners are held to the rules of every grant. */
export const featureGrant =
  (name: string, { decide }: GrantPart, services: FeatureGrantServices): GrantHandler =>
  async (tokenRequest) => {
    const { request, form, jkt, client } = tokenRequest;
    const { requested, tokens, lifetimes } = services;
    const asked = { scope: requested.named(form, client, name), resources: requested.resources(form) };
    const decided = await decide({ ...tokenRequest, ...asked });
    checkScope(decided.scope, client);
    checkActor(decided, name);
    if (!decided.resources.every((resource) => services.resources.find(resource) === resource))
      throw new TypeError(`The grant ${name} returned a resource that the server does not have.`);
    const spend = async (): Promise<void> => {
      checkAwaited(request);
      await decided.spend?.();
    };
    const granted = { ...decided, spend };
    const { owner, from, scope, resources, lifetime, fields } = granted;
    const allowed = { ...tokenRequest, client: limited(client, lifetime, lifetimes.accessToken) };
    if (owner === undefined && client.public && from === undefined)
      throw new TypeError(`The grant ${name} returned a token for a public client without an owner.`);
    const issued =
      from !== undefined
        ? await issueFrom(from, granted, name, allowed, services)
        : owner !== undefined
          ? await issueFor(ownerIn(owner, name, services), granted, name, allowed, services)
          : {
              response: await tokens.issueOwn(allowed.client, name, formatScope(scope), resources, jkt, spend),
              sub: CLIENT_SUBJECT + client.client_id,
              issuer: granted.issuer,
            };
    return { ...issued, response: { ...fields, ...issued.response } };
  };
