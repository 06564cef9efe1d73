import type { ExpiringRecord, Shape } from '../../base/records.js';
import type { OAuthContext } from '../kernel/context.js';
import { forgetConsent } from '../kernel/forgotten-consent.js';
import {
  CONNECTION,
  GRANT,
  type GrantRecord,
  grantIdInKey,
  groups,
  isEnd,
  keys,
  liveGrant,
  REMEMBERED_CONSENT,
} from '../records/stored-records.js';
import type { RevocationReason } from '../tokens/tokens.js';
import { connectionsIn, pagesOf } from './pages-of.js';

/** Selects the grants of an owner, of a client, or of an owner for a client. */
export interface GrantsToEnd {
  readonly sub?: string;
  readonly client_id?: string;
  /** A client whose grants are kept. */
  readonly except?: string;
}

/** What was revoked. */
export interface EndedGrants {
  /** The number of grants, with everything issued under them. */
  readonly grants: number;
  /** The number of remembered approvals; those of one owner for one client are not counted. */
  readonly consents: number;
}

/**
 * Ends connections, and with each of them every grant and every remembered approval that depends on it, however many there are. An approval
 * in progress either depends on one of them too, or has begun a new connection after this call began.
 *
 * @returns the rest of the work, which nothing depends on: it deletes what is no longer valid.
 */
export const disconnect = async (
  of: GrantsToEnd,
  why: RevocationReason,
  context: OAuthContext,
): Promise<() => Promise<EndedGrants>> => {
  const { sub, client_id, except } = of;
  const tell = sub === undefined ? undefined : await context.hooks.beforeSignOut?.({ ...of, sub }, context.emit);
  const group = sub === undefined ? groups.connectionsOfClient(client_id ?? '') : groups.connectionsOfOwner(sub);
  for await (const page of connectionsIn(group, context)) {
    const selected = page.filter(
      ([, connection]) =>
        (client_id ?? connection.client_id) === connection.client_id && connection.client_id !== except,
    );
    await Promise.all(selected.map(([key, connection]) => context.tokens.disconnect(key, connection)));
  }
  tell?.();
  return async () => ({ grants: await deleteGrants(of, why, context), consents: await forgetConsents(of, context) });
};

/** Revokes grants, forgets the remembered approvals that belong to them, and deletes their records. */
export const endGrants = async (
  of: GrantsToEnd,
  why: RevocationReason,
  context: OAuthContext,
): Promise<EndedGrants> => {
  const tidy = await disconnect(of, why, context);
  return tidy();
};

/** Deletes the grants that have lost their connection. One that was created meanwhile has its own. */
const deleteGrants = async (
  { sub, client_id }: GrantsToEnd,
  why: RevocationReason,
  context: OAuthContext,
): Promise<number> => {
  const group = sub === undefined ? groups.grantsOfClient(client_id ?? '') : groups.grantsOfOwner(sub);
  let ended = 0;
  for await (const page of pagesOf(group, GRANT, context)) {
    const selected = page.filter(
      ([, grant]) => !isEnd(grant) && (client_id === undefined || grant.client_id === client_id),
    );
    const dead = await withoutConnection(selected, context);
    await Promise.all(
      dead.map(([key, grant]) => context.tokens.deleteGrant({ id: grantIdInKey(key), ...grant }, why, context.emit)),
    );
    ended += dead.length;
  }
  return ended;
};

type KeyedGrant = readonly [key: string, grant: GrantRecord];

const withoutConnection = async (
  found: readonly KeyedGrant[],
  { records }: OAuthContext,
): Promise<readonly KeyedGrant[]> => {
  const connectionOf = ([key]: KeyedGrant): string => keys.connectionOf(grantIdInKey(key));
  const names = [...new Set(found.map(connectionOf))];
  const connections = names.length === 0 ? [] : await records.getMany(names, CONNECTION);
  const byName = new Map(names.map((name, at) => [name, connections[at]]));
  return found.filter((one) => liveGrant(one[1], byName.get(connectionOf(one))) === undefined);
};

const forgetConsents = async ({ sub, client_id }: GrantsToEnd, context: OAuthContext): Promise<number> => {
  if (sub !== undefined && client_id !== undefined) {
    await forgetConsent(sub, client_id, context);
    return 0;
  }
  const group = sub === undefined ? groups.consentsOfClient(client_id ?? '') : groups.consentsOfOwner(sub);
  return deleteEach(group, REMEMBERED_CONSENT, () => true, context);
};

/** Deletes records of a group. @returns how many. */
const deleteEach = async <T extends ExpiringRecord>(
  group: string,
  shape: Shape<T>,
  isSelected: (record: T) => boolean,
  context: OAuthContext,
): Promise<number> => {
  let deleted = 0;
  for await (const page of pagesOf(group, shape, context)) {
    const selected = page.filter(([, record]) => isSelected(record));
    await Promise.all(selected.map(([key]) => context.records.delete(key)));
    deleted += selected.length;
  }
  return deleted;
};
