import { UnavailableError } from '../../base/errors.js';
import { mistake } from '../../base/mistakes.js';
import type { Records } from '../../base/records.js';
import type { EndedPart } from '../../feature/parts.js';
import type { Emit } from '../events/events.js';
import { forgetConsent } from '../kernel/forgotten-consent.js';
import {
  CONNECTION,
  type ConnectionRecord,
  GRANT,
  type GrantRecord,
  grantIdInKey,
  groups,
  isEnd,
  keys,
  liveGrant,
  REMEMBERED_CONSENT,
} from '../records/stored-records.js';
import { CLOCK_DIFFERENCE } from '../records/window.js';
import type { Connection, KnownGrant, RevocationReason } from '../tokens/grant.js';
import { connectionsIn, pagesOf } from './pages-of.js';

/** Selects the grants of an owner, of a client, or of an owner for a client. */
interface GrantsToEnd {
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

/** What ends grants. */
export interface EndServices {
  readonly records: Records;
  readonly tokens: {
    /** Seconds since the epoch. */
    now(): number;
    connectionTo(sub: string, client_id: string): Promise<Connection>;
    disconnect(key: string, connection: ConnectionRecord): Promise<void>;
    deleteGrant(grant: Omit<KnownGrant, 'exp'>, why: RevocationReason, emit: Emit | undefined): Promise<void>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
  readonly hooks: EndedPart;
  readonly emit: Emit | undefined;
}

/** Ends connections; see {@link disconnect}. @returns the rest of the work. */
export type Disconnect = (
  of: GrantsToEnd,
  why: RevocationReason,
  emit: Emit | undefined,
) => Promise<() => Promise<EndedGrants>>;

/** How often a list is read because the previous time something was found in it. Sign-ins of each owner add to it once. */
const MAX_PASSES = 10;

/**
 * Repeats a pass over a list until it finds nothing: what is added during a pass may be missing from it.
 *
 * @param pass - Resolves to the number of records that it ended.
 * @returns the sum.
 * @throws UnavailableError if every pass found something.
 */
const untilNothingIsLeft = async (pass: () => Promise<number>): Promise<number> => {
  let sum = 0;
  for (let n = 0; n < MAX_PASSES; n += 1) {
    const found = await pass();
    sum += found;
    if (found === 0) return sum;
  }
  throw new UnavailableError(
    `Others kept adding to a list while it was read ${MAX_PASSES} times. What was found has ended: call again, or prevent new sign-ins first.`,
  );
};

/**
 * Ends connections, and with each of them every grant and every remembered approval that depends on it, however many there are. An approval
 * in progress either depends on one of them too, or has begun a new connection after this call began.
 *
 * @returns the rest of the work: it deletes what is no longer valid, and ends connections that the list has missed.
 */
export const disconnect = async (
  of: GrantsToEnd,
  why: RevocationReason,
  services: EndServices,
): Promise<() => Promise<EndedGrants>> => {
  const { sub, client_id } = of;
  const began = services.tokens.now();
  await services.hooks.beforeEnd?.(of);
  const tell = sub === undefined ? undefined : await services.hooks.beforeSignOut?.({ ...of, sub }, services.emit);
  // Needs no list. The list may have another one: of a secret that this server no longer has.
  if (sub !== undefined && client_id !== undefined) await endConnection(sub, client_id, services);
  const group = sub === undefined ? groups.connectionsOfClient(client_id ?? '') : groups.connectionsOfOwner(sub);
  await untilNothingIsLeft(async () => {
    let found = 0;
    for await (const page of connectionsIn(group, services)) {
      const selected = page.filter(([, connection]) => isSelected(connection, of));
      await Promise.all(selected.map(([key, connection]) => services.tokens.disconnect(key, connection)));
      // A client may have new owners all the time.
      found += selected.filter(([, { iat }]) => iat <= began).length;
    }
    return found;
  });
  tell?.();
  return async () => ({
    grants: await deleteGrants(of, began - CLOCK_DIFFERENCE, why, services),
    consents: await forgetConsents(of, services),
  });
};

const isSelected = (one: { readonly client_id: string }, { client_id, except }: GrantsToEnd): boolean =>
  (client_id ?? one.client_id) === one.client_id && one.client_id !== except;

const endConnection = async (sub: string, client_id: string, { tokens }: EndServices): Promise<void> => {
  const { id, record } = await tokens.connectionTo(sub, client_id);
  if (record !== undefined && record.ended !== true) await tokens.disconnect(keys.connection(id), record);
};

/** Revokes grants, forgets the remembered approvals that belong to them, and deletes their records. */
export const endGrants = async (
  of: GrantsToEnd,
  why: RevocationReason,
  services: EndServices,
): Promise<EndedGrants> => {
  const tidy = await disconnect(of, why, services);
  return tidy();
};

/** Revokes every grant that an issuer vouched for. @returns their number. */
export const endOfIssuer = async (issuer: string, why: RevocationReason, services: EndServices): Promise<number> => {
  const { tokens, hooks, emit } = services;
  await hooks.beforeEnd?.({ issuer });
  return untilNothingIsLeft(async () => {
    let found = 0;
    for await (const page of pagesOf(groups.grantsOfIssuer(issuer), GRANT, services)) {
      const live = page.filter(([, grant]) => !isEnd(grant));
      await Promise.all(live.map(([key, grant]) => tokens.revokeGrant({ id: grantIdInKey(key), ...grant }, why, emit)));
      found += live.length;
    }
    return found;
  });
};

/**
 * Deletes the grants that have lost their connection. One that was created meanwhile has its own.
 *
 * @param before - Seconds since the epoch: a grant that is older was there when the call began.
 */
const deleteGrants = async (
  of: GrantsToEnd,
  before: number,
  why: RevocationReason,
  services: EndServices,
): Promise<number> => {
  const { sub, client_id } = of;
  const group = sub === undefined ? groups.grantsOfClient(client_id ?? '') : groups.grantsOfOwner(sub);
  return untilNothingIsLeft(async () => {
    let found = 0;
    for await (const page of pagesOf(group, GRANT, services)) {
      const selected = page.filter(([, grant]) => !isEnd(grant) && isSelected(grant, of));
      const ended = await endedOf(selected, before, services);
      await Promise.all(
        ended.map(([key, grant]) =>
          services.tokens.deleteGrant({ id: grantIdInKey(key), ...grant }, why, services.emit),
        ),
      );
      found += ended.length;
    }
    return found;
  });
};

type KeyedGrant = readonly [key: string, grant: GrantRecord];

/**
 * The grants among these that have lost their connection. An older one that still has it shows that the list has missed the connection, as
 * lists of 0.3 may: it ends here.
 */
const endedOf = async (
  found: readonly KeyedGrant[],
  before: number,
  { records, tokens }: EndServices,
): Promise<readonly KeyedGrant[]> => {
  const connectionOf = ([key]: KeyedGrant): string => keys.connectionOf(grantIdInKey(key));
  const names = [...new Set(found.map(connectionOf))];
  const connections = names.length === 0 ? [] : await records.getMany(names, CONNECTION);
  const byName = new Map(names.map((name, at) => [name, connections[at]]));
  const live = found.filter((one) => liveGrant(one[1], byName.get(connectionOf(one))) !== undefined);
  const missed = new Set(live.filter(([, { iat = 0 }]) => iat < before).map(connectionOf));
  await Promise.all(
    [...missed].map(async (name) => {
      const connection = byName.get(name);
      if (connection !== undefined) await tokens.disconnect(name, connection);
    }),
  );
  const kept = new Set(live.filter((one) => !missed.has(connectionOf(one))));
  return found.filter((one) => !kept.has(one));
};

const forgetConsents = async ({ sub, client_id }: GrantsToEnd, services: EndServices): Promise<number> => {
  if (sub !== undefined && client_id !== undefined) {
    await forgetConsent(sub, client_id, services);
    return 0;
  }
  const group = sub === undefined ? groups.consentsOfClient(client_id ?? '') : groups.consentsOfOwner(sub);
  let deleted = 0;
  for await (const page of pagesOf(group, REMEMBERED_CONSENT, services)) {
    await Promise.all(page.map(([key]) => services.records.delete(key)));
    deleted += page.length;
  }
  return deleted;
};

/**
 * Validates names passed by the application. A missing one would revoke nothing and look like success, or revoke everything.
 *
 * @throws TypeError that names it.
 */
export const checkNames = (call: string, names: Readonly<Record<string, unknown>>): void => {
  const wrong = Object.keys(names).find((name) => typeof names[name] !== 'string' || names[name] === '');
  if (wrong !== undefined) throw mistake(`${call}: ${wrong} must be a non-empty string.`, 'OQ100');
};
