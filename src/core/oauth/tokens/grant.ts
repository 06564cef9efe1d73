import type { Actor } from '../../base/actor.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Client } from '../clients/client.js';
import type { OAuthOccurrence } from '../events/events.js';
import type { KeptParameters } from '../records/chain-record.js';
import type { Owner } from '../records/owner.js';
import type { ConnectionRecord, GrantRecord, IssuedTo, TokenClaims } from '../records/stored-records.js';

/** The place of an owner's connection to a client, and what is there: it may have ended. */
export interface Connection {
  readonly id: string;
  readonly record: ConnectionRecord | undefined;
}

/** A grant with its id. */
export interface Grant extends GrantRecord {
  readonly id: string;
}

/** A grant that is not written yet, and the connection it will depend on. */
export interface NewGrant extends Grant {
  readonly place: Connection;
}

/** How a grant was created. */
export type GrantOrigin = Required<Pick<GrantRecord, 'grant_type'>> &
  Pick<GrantRecord, 'silent' | 'name' | 'issuer' | 'claims'>;

/** Makes a grant, which is not written yet. */
export type CreateGrant = (
  client: Client,
  owner: Owner,
  asked: string,
  aud: readonly string[],
  origin: GrantOrigin,
  place?: Connection,
) => MaybePromise<NewGrant>;

/** The parts of a grant that matter for revoking it. */
export type KnownGrant = Pick<Grant, 'id' | 'exp'> & Partial<Pick<Grant, 'client_id' | 'sub'>>;

/** Why a grant is revoked, for the event. */
export type RevocationReason = Pick<Extract<OAuthOccurrence, { type: 'grant.revoked' }>, 'reason' | 'by'>;

/** The part of a grant that a token is issued for. */
export interface Issuance {
  readonly client: Client;
  readonly grant: Grant;
  readonly scope: string;
  readonly aud: readonly string[];
  /** The thumbprint of the key that the access token is bound to. */
  readonly jkt?: string | undefined;
  /** Who acts for the owner. */
  readonly act?: Actor | undefined;
  /** The grant type of the request. */
  readonly grant_type: string;
  /** What was kept with the code; absent for a grant without one. */
  readonly kept?: KeptParameters | undefined;
}

/** The token that another is derived from. */
export interface DerivedFrom {
  /** Absent for a token of a client itself. */
  readonly grant: Grant | undefined;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Its own ancestors and itself, as they stand in the text of the new token. */
  readonly ancestors: readonly string[];
  /** For whom these were issued. */
  readonly issuedTo: readonly IssuedTo[];
}

/** What a token is derived for. */
export interface Derivation extends Omit<Issuance, 'grant' | 'kept'> {
  readonly from: DerivedFrom;
}

/** Everything a grant allows. */
export const wholeOf = (grant: Grant, client: Client, jkt?: string): Issuance => ({
  client,
  grant_type: grant.grant_type ?? '',
  grant,
  scope: grant.scope,
  aud: grant.aud,
  jkt,
});

/** A live access token. A JWT has a `jti`, under which it can be revoked. */
export interface LiveToken extends TokenClaims {
  readonly jti?: string;
}
