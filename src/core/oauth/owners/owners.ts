import { defined } from '../../base/defined.js';
import { mistake } from '../../base/mistakes.js';
import type { Records } from '../../base/records.js';
import type { OwnerData } from '../kernel/hooks.js';
import { checkOwner } from '../records/owner.js';
import { groups } from '../records/stored-records.js';
import { endSessions, type OwnerSessionContext } from '../sign-in/owner-sessions.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { checkNames, type EndedGrants, endGrants, type EndServices } from './ended-grants.js';
import { type OwnerRecord, recordsOf } from './owner-records.js';
import { keysOf } from './pages-of.js';

/** Options of methods that affect an owner. */
interface DoneBy {
  /** Who does it, for the events `owner.signed_out` and `grant.revoked`. */
  readonly by?: string | undefined;
}

/** Options of `signOut`. */
interface SignOutOptions extends DoneBy {
  /** With your own sign-in, the session that has ended, as `options.owner` named it: then clients learn that no other has ended. */
  readonly sid?: string | undefined;
}

/** Signs out, exports and erases owners. */
export interface Owners {
  /**
   * Ends all of an owner's sessions of the built-in sign-in, in all browsers and all processes. Grants of applications
   * are not affected. With OpenID Connect, it also tells the clients that have a `backchannel_logout_uri`; if `options.owner` is set, it
   * only does that, because you manage the sessions then.
   *
   * @param sub - The owner.
   * @throws TypeError if that is not a `sub`, if `options.owner` is set without OpenID Connect, or if `sid` is set without `options.owner`;
   * UnavailableError if the store fails. Call it again in that case.
   */
  readonly signOut: (sub: string, options?: SignOutOptions) => Promise<void>;
  /**
   * Yields what the server stores about an owner, record by record, so that memory use does not grow with the number of grants.
   *
   * @param sub - The owner.
   * @throws TypeError if that is not a `sub`; UnavailableError if the store cannot list, or fails.
   */
  readonly export: (sub: string) => AsyncIterable<OwnerRecord>;
  /**
   * Signs an owner out, revokes everything they granted, and deletes every record with their name, those of features included. It is safe to repeat.
   *
   * @param sub - The owner.
   * @returns how many grants and remembered approvals this call removed.
   * @throws TypeError if that is not a `sub`; UnavailableError if the store fails, or cannot list. Some records may be deleted then: call it
   * again.
   */
  readonly erase: (sub: string, options?: DoneBy) => Promise<EndedGrants>;
}

interface OwnerServices extends EndServices, OwnerSessionContext {
  readonly records: Records;
  readonly signIn: Pick<SignIn, 'isBuiltIn' | 'sessionOf'>;
  readonly hooks: EndServices['hooks'] & { readonly ownerData?: readonly OwnerData[] };
}

const endAll = async (sub: string, { by }: DoneBy, services: OwnerServices): Promise<void> => {
  await endSessions(sub, services);
  services.emit?.({ type: 'owner.signed_out', sub, ...defined({ by }) });
};

/** Deletes every record that may contain the name of an owner, whatever version wrote it. */
const deleteListed = async (sub: string, { records }: OwnerServices): Promise<void> => {
  for (const group of [groups.grantsOfOwner(sub), groups.tokensOfOwner(sub), groups.consentsOfOwner(sub)]) {
    for await (const keys of keysOf(group, records)) await Promise.all(keys.map((key) => records.delete(key)));
  }
};

const checkSub = (call: string, sub: string, further: SignOutOptions = {}): void => {
  checkNames(call, { sub, ...defined(further) });
  checkOwner({ sub });
};

export const ownersOf = (services: OwnerServices): Owners => ({
  signOut: async (sub, options = {}) => {
    const { by, sid } = options;
    checkSub('owners.signOut', sub, { by, sid });
    const { hooks, signIn, emit } = services;
    if (!signIn.isBuiltIn && hooks.beforeSignOut === undefined)
      throw mistake(
        'owners.signOut: with options.owner you manage the sessions. End them where you store them, and call grants.revoke({ sub }) for the access of applications.',
        'OQ112',
      );
    if (signIn.isBuiltIn && sid !== undefined)
      throw mistake('owners.signOut: sid names a session of options.owner. The built-in sign-in has its own.', 'OQ112');
    const session = signIn.sessionOf({ sub, sid }, undefined);
    const tell = await hooks.beforeSignOut?.({ sub, ...defined({ session }) }, emit);
    if (signIn.isBuiltIn) await endAll(sub, options, services);
    tell?.();
  },
  export: async function* (sub) {
    checkSub('owners.export', sub);
    yield* recordsOf(sub, services);
  },
  erase: async (sub, options = {}) => {
    checkSub('owners.erase', sub, { by: options.by });
    services.records.checkLists();
    // Sessions first: an approval in progress in one of them is found below, or finds its session ended.
    if (services.signIn.isBuiltIn) await endAll(sub, options, services);
    const ended = await endGrants({ sub }, { reason: 'host', ...defined(options) }, services);
    await deleteListed(sub, services);
    await Promise.all((services.hooks.ownerData ?? []).map(async ({ eraseOwner }) => eraseOwner?.(sub)));
    return ended;
  },
});
