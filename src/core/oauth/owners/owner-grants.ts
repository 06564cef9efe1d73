import { defined } from '../../base/defined.js';
import { mistake } from '../../base/mistakes.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { forgetConsent } from '../kernel/forgotten-consent.js';
import type { Grant, RevocationReason } from '../tokens/grant.js';
import { checkNames, endGrants, endOfIssuer, type EndServices } from './ended-grants.js';
import {
  appsOf,
  type ConnectedApp,
  type GrantPage,
  type GrantPageRequest,
  type GrantsOf,
  listGrants,
  type ListServices,
} from './listed-grants.js';

/** Selects what `grants.revoke` revokes: one grant, or all of an owner, of a client, of an owner for a client, or of an issuer. */
type GrantTarget =
  | string
  | {
      /** As in events, lists and `validateGrant`. */
      readonly grant_id: string;
    }
  | {
      /** The owner whose grants are revoked. */
      readonly sub: string;
      /** Limits the revocation to one client; default: all clients. */
      readonly client_id?: string;
    }
  | {
      /** The client for which all owners' grants are revoked. */
      readonly client_id: string;
    }
  | {
      /** The issuer of `assertions()` whose grants are revoked: everything that it vouched for. */
      readonly issuer: string;
    };

/** Lists and revokes what owners have allowed. */
export interface OwnerGrants {
  /**
   * The live grants of an owner, a client or an issuer, page by page. Unredeemed grants are omitted.
   *
   * @throws TypeError if the owner, client or issuer is missing, or `after` or `limit` is invalid; UnavailableError if the store cannot list, or fails.
   */
  readonly list: (of: GrantsOf, page?: GrantPageRequest) => Promise<GrantPage>;
  /**
   * The connected applications of an owner, one row each, sorted by name. If the owner has more than 2,000 grants, a row shows
   * everything that was granted to the application since it was connected, also under grants that have ended.
   *
   * @throws TypeError if the owner is missing; UnavailableError if the store cannot list, or fails.
   */
  readonly apps: (of: {
    /** The owner. */
    readonly sub: string;
  }) => Promise<readonly ConnectedApp[]>;
  /**
   * Revokes grants with everything issued under them, and forgets the remembered approvals that could create new ones. Grants of an owner for a client
   * end together, at once, however many there are; then their records are deleted, which is what a call waits for. Revoking something that
   * has ended, or never existed, succeeds. Afterwards no process accepts their tokens; a `jwtVerifier` only checks their
   * `exp`, and an `introspectionVerifier` uses its cache until it expires. Revoking all grants of a client also invalidates the client's own tokens
   * if `clients` has `endTokens`, as stored clients do; otherwise use `tokens_valid_after`.
   *
   * @param target - A `grant_id`, or an object that selects grants.
   * @param options - `by`: who revokes them, for the events `grant.revoked` and `client.tokens_ended`.
   * @returns the number of revoked grants.
   * @throws TypeError if the target selects nothing; UnavailableError if the store fails, or cannot list. Some grants may be revoked then: call it again.
   */
  readonly revoke: (target: GrantTarget, options?: { readonly by?: string }) => Promise<number>;
  /**
   * Forgets a remembered approval, so that the owner is asked again. Existing tokens stay valid until their grant is revoked.
   *
   * @throws TypeError if either is not a string; UnavailableError if the store fails.
   */
  readonly forgetConsent: (approval: {
    /** The owner who has approved. */
    readonly sub: string;
    /** The client that was approved. */
    readonly client_id: string;
  }) => Promise<void>;
}

interface OwnerGrantServices extends ListServices, EndServices {
  readonly clients: ClientFinder & {
    /** Invalidates everything issued to a client before. @returns whether its registry did it. */
    endTokens(client_id: string, validAfter: number): Promise<boolean>;
  };
  readonly tokens: EndServices['tokens'] & {
    findGrant(id: string): Promise<Grant | undefined>;
  };
}

/** Validates an object with some of these keys and no others, because callers may use JavaScript. */
const checkTarget = (call: string, target: unknown, allowed: readonly (readonly string[])[]): void => {
  const names: Readonly<Record<string, unknown>> = typeof target === 'object' && target !== null ? { ...target } : {};
  const given = Object.keys(names).toSorted().join();
  if (!allowed.some((some) => some.toSorted().join() === given)) {
    const all = allowed.map((some) => `{ ${some.join(', ')} }`);
    throw mistake(`${call} takes ${all.join(' or ')}.`, 'OQ100');
  }
  checkNames(call, names);
};

/** @returns the number of revoked grants, as far as it is known: 1 or 0. */
const revokeOne = async (id: string, why: RevocationReason, services: OwnerGrantServices): Promise<number> => {
  const grant = await services.tokens.findGrant(id);
  if (grant !== undefined) await forgetConsent(grant.sub, grant.client_id, services);
  if (grant === undefined) await services.tokens.deleteGrant({ id }, why, services.emit);
  else await services.tokens.revokeGrant(grant, why, services.emit);
  return grant === undefined ? 0 : 1;
};

export const ownerGrants = (services: OwnerGrantServices): OwnerGrants => ({
  list: async (of, page = {}) => {
    checkTarget('grants.list', of, [['sub'], ['client_id'], ['issuer']]);
    return listGrants(of, page, services);
  },
  apps: async (of) => {
    checkTarget('grants.apps', of, [['sub']]);
    return (await appsOf(of.sub, services)).map(({ app }) => app);
  },
  revoke: async (target, options = {}) => {
    const named = typeof target === 'string' ? { grant_id: target } : target;
    checkTarget('grants.revoke', named, [['grant_id'], ['sub'], ['client_id'], ['sub', 'client_id'], ['issuer']]);
    if (options.by !== undefined) checkNames('grants.revoke', { by: options.by });
    const by = defined({ by: options.by });
    const why: RevocationReason = { reason: 'host', ...by };
    if ('grant_id' in named) return revokeOne(named.grant_id, why, services);
    if ('issuer' in named) return endOfIssuer(named.issuer, why, services);
    // From the next second on: tokens issued in this second may be older than this call.
    if (!('sub' in named) && (await services.clients.endTokens(named.client_id, services.tokens.now() + 1)))
      services.emit?.({ type: 'client.tokens_ended', client_id: named.client_id, ...by });
    return (await endGrants(named, why, services)).grants;
  },
  forgetConsent: async ({ sub, client_id }) => {
    checkNames('grants.forgetConsent', { sub, client_id });
    await forgetConsent(sub, client_id, services);
  },
});
