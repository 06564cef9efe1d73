import type { ExpiringRecord, KeyAndShape, Records } from '../../base/records.js';
import { sha256 } from '../../base/secrets.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { isValidStill } from '../clients/client.js';
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

/** Whether the record of an opaque ancestor says that it is live. The record of an end belongs to another grant. */
const isLive = (record: ExpiringRecord | undefined, grant: string | undefined): boolean =>
  // It was read with the shape of a token.
  record !== undefined && (record as TokenRecord).grant === (grant ?? null);

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
  const wanted = ancestors.map((one): KeyAndShape<ExpiringRecord> => {
    const hash = one.slice(1);
    return isSignedAncestor(one)
      ? [keys.ancestor('revoked', id, hash), MARK]
      : [keys.ancestor('token', id, hash), TOKEN];
  });
  const areLive = (found: readonly (ExpiringRecord | undefined)[]): boolean =>
    ancestors.every((one, at) => (isSignedAncestor(one) ? found[at] === undefined : isLive(found[at], grantId)));
  if (grantId === undefined) {
    const [record, ...others] = await records.getEach<[T, ...ExpiringRecord[]]>(own, ...wanted);
    return areLive(others) ? { own: record } : undefined;
  }
  const [record, given, connection, ...others] = await records.getEach<
    [T, GrantRecord, ConnectionRecord, ...ExpiringRecord[]]
  >(own, [keys.grant(grantId), GRANT], [keys.connectionOf(grantId), CONNECTION], ...wanted);
  const grant = liveGrant(given, connection);
  return grant !== undefined && areLive(others) ? { own: record, grant } : undefined;
};

/** Whether all clients through whose hands a token went may still use what they had. */
export const areStillAllowed = async (
  { from = [] }: Pick<TokenRecord, 'from'>,
  id: string,
  clients: ClientFinder,
): Promise<boolean> => {
  if (from.length !== ancestorsIn(id).length) return false;
  for (const issued of from) {
    const client = await clients.find(issued.client_id);
    if (client === undefined || !isValidStill(client, issued)) return false;
  }
  return true;
};
