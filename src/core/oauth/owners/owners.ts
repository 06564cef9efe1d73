import { mistake } from '../../base/mistakes.js';
import type { OAuthContext } from '../kernel/context.js';
import { checkOwner } from '../records/owner.js';
import { groups } from '../records/stored-records.js';
import { endSessions } from '../sign-in/owner-sessions.js';
import { checkNames } from './check-names.js';
import { type EndedGrants, endGrants } from './ended-grants.js';
import { type OwnerRecord, recordsOf } from './owner-records.js';
import { keysOf } from './pages-of.js';

/** Options of methods that affect an owner. */
export interface DoneBy {
  /** Who does it, for the events `owner.signed_out` and `grant.revoked`. */
  readonly by?: string;
}

/** Signs out, exports and erases owners. */
export interface Owners {
  /**
   * Ends all of an owner's sessions of the built-in sign-in, in all browsers and all processes. Grants of applications
   * are not affected. With OpenID Connect, it also tells the clients that have a `backchannel_logout_uri`; if `options.owner` is set, it
   * only does that, because you manage the sessions then.
   *
   * @param sub - The owner.
   * @throws TypeError if that is not a `sub`, or if `options.owner` is set without OpenID Connect;
   * UnavailableError if the store fails. Call it again in that case.
   */
  readonly signOut: (sub: string, options?: DoneBy) => Promise<void>;
  /**
   * Yields what the server stores about an owner, record by record, so that memory use does not grow with the number of grants.
   *
   * @param sub - The owner.
   * @throws TypeError if that is not a `sub`; UnavailableError if the store cannot list, or fails.
   */
  readonly export: (sub: string) => AsyncIterable<OwnerRecord>;
  /**
   * Signs an owner out, revokes everything they granted, and deletes every record with their name. It is safe to repeat.
   *
   * @param sub - The owner.
   * @returns how many grants and remembered approvals this call removed.
   * @throws TypeError if that is not a `sub`; UnavailableError if the store fails, or cannot list. Some records may be deleted then: call it
   * again.
   */
  readonly erase: (sub: string, options?: DoneBy) => Promise<EndedGrants>;
}

const endAll = async (sub: string, { by }: DoneBy, context: OAuthContext): Promise<void> => {
  await endSessions(sub, context);
  context.emit?.({ type: 'owner.signed_out', sub, ...(by === undefined ? {} : { by }) });
};

/** Deletes every record that may contain the name of an owner, whatever version wrote it. */
const deleteListed = async (sub: string, { records }: OAuthContext): Promise<void> => {
  for (const group of [groups.grantsOfOwner(sub), groups.tokensOfOwner(sub), groups.consentsOfOwner(sub)]) {
    for await (const keys of keysOf(group, records)) await Promise.all(keys.map((key) => records.delete(key)));
  }
};

const checkBy = (call: string, { by }: DoneBy): void => {
  if (by !== undefined) checkNames(call, { by });
};

export const ownersOf = (context: OAuthContext): Owners => ({
  signOut: async (sub, options = {}) => {
    checkOwner({ sub });
    checkBy('owners.signOut', options);
    const { hooks, signIn, emit } = context;
    if (!signIn.isBuiltIn && hooks.beforeSignOut === undefined)
      throw mistake(
        'owners.signOut: with options.owner you manage the sessions. End them where you store them.',
        'OQ112',
      );
    const tell = await hooks.beforeSignOut?.({ sub }, emit);
    if (signIn.isBuiltIn) await endAll(sub, options, context);
    tell?.();
  },
  export: async function* (sub) {
    checkOwner({ sub });
    yield* recordsOf(sub, context);
  },
  erase: async (sub, options = {}) => {
    checkOwner({ sub });
    checkBy('owners.erase', options);
    context.records.checkLists();
    // Sessions first: an approval in progress in one of them is found below, or finds its session ended.
    if (context.signIn.isBuiltIn) await endAll(sub, options, context);
    const ended = await endGrants({ sub }, { reason: 'host', ...options }, context);
    await deleteListed(sub, context);
    return ended;
  },
});
