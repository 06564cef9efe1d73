import type { MaybePromise } from '../../base/ports.js';
import type { ExpiringRecord, KeyAndShape, Records } from '../../base/records.js';
import { sha256 } from '../../base/secrets.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, isValidStill } from '../clients/client.js';
import { CLIENT_SUBJECT } from '../records/owner.js';
import {
  CONNECTION,
  type ConnectionRecord,
  GRANT,
  type GrantRecord,
  keys,
  liveGrant,
  MARK,
  TOKEN,
  type TokenClaims,
  type TokenRecord,
} from '../records/stored-records.js';
import { ANCESTOR_MARK, grantIdOf, isMarkedAsBound } from '../records/token-id.js';

/** The tokens that a token was derived from, the oldest first: each as what {@link ancestorOf} returned. */
export const ancestorsIn = (token: string): readonly string[] =>
  (isMarkedAsBound(token) ? token.slice(0, -1) : token).split(ANCESTOR_MARK).slice(1);

/** A token as an ancestor: how its end is known, and its hash. @param id - The token, or the `jti` of a signed one. */
export const ancestorOf = (id: string, isSigned: boolean): string => (isSigned ? 's' : 'o') + sha256(id);

/** Whether an ancestor is a signed token, which has a record once it has ended; an opaque one has a record until then. */
const isSignedAncestor = (ancestor: string): boolean => ancestor.startsWith('s');

/** A secret followed by the ancestors of its token, so that all their records can be read at the same time. */
export const withAncestors = (secret: string, ancestors: readonly string[]): string =>
  [secret, ...ancestors].join(ANCESTOR_MARK);

/** The subject of a token. */
export type TokenSubject = Pick<TokenClaims, 'sub' | 'username' | 'auth_time' | 'acr'>;

/** Whose a token without a grant is: the client that requested its oldest ancestor, or itself. */
export const subjectOf = ({
  client_id,
  from: [first] = [],
}: Pick<TokenRecord, 'client_id' | 'from'>): TokenSubject => ({
  sub: CLIENT_SUBJECT + (first?.client_id ?? client_id),
  username: null,
});

/** Whether the record of an ancestor, or that of its end, says that it is live: the record of an end belongs to another grant. */
const isLive = (ancestor: string, record: ExpiringRecord | undefined, grant: string | undefined): boolean =>
  // That of an opaque one was read with the shape of a token.
  isSignedAncestor(ancestor) ? record === undefined : (record as TokenRecord | undefined)?.grant === (grant ?? null);

/**
 * Reads a record of a derived token together with everything that the token depends on: its grant, and the tokens that it was derived from.
 *
 * @param id - The token, or the `jti` of a signed one.
 * @returns `undefined` if one of the others has ended.
 */
export const readDerived = async <T extends ExpiringRecord>(
  id: string,
  own: KeyAndShape<T>,
  records: Records,
): Promise<{ readonly own: T | undefined; readonly grant?: GrantRecord | undefined } | undefined> => {
  const grantId = grantIdOf(id);
  const ancestors = ancestorsIn(id);
  const places = ancestors.map((one): KeyAndShape<ExpiringRecord> => {
    const isSigned = isSignedAncestor(one);
    return [keys.ancestor(isSigned ? 'revoked' : 'token', id, one.slice(1)), isSigned ? MARK : TOKEN];
  });
  const found: readonly (ExpiringRecord | undefined)[] = await (grantId === undefined
    ? records.getEach(own, ...places)
    : records.getEach(own, [keys.grant(grantId), GRANT], [keys.connectionOf(grantId), CONNECTION], ...places));
  if (!ancestors.every((one, at) => isLive(one, found.at(at - ancestors.length), grantId))) return undefined;
  const record = found[0] as T | undefined; // Each was read with its shape.
  if (grantId === undefined) return { own: record };
  const grant = liveGrant(found[1] as GrantRecord | undefined, found[2] as ConnectionRecord | undefined);
  return grant && { own: record, grant };
};

/** Whether all clients through whose hands a token went may still use what they had. A promise only if a registry has to be asked. */
export const areStillAllowed = (
  found: TokenRecord,
  id: string,
  clients: ClientFinder,
  at = 0,
): MaybePromise<boolean> => {
  const issued = found.from?.[at];
  if (issued === undefined) return at === ancestorsIn(id).length;
  const isAllowed = (client: Client | undefined): MaybePromise<boolean> =>
    client !== undefined && isValidStill(client, issued) && areStillAllowed(found, id, clients, at + 1);
  const client = clients.find(issued.client_id);
  return client instanceof Promise ? client.then(isAllowed) : isAllowed(client);
};
