import { type Actor, isActor } from '../../base/actor.js';
import type { Revision } from '../../base/ports.js';
import {
  type ExpiringRecord,
  hasShape,
  isBoolean,
  isNumber,
  isObject,
  isOneOf,
  isText,
  isTextOrNull,
  isTexts,
  optional,
  type Shape,
} from '../../base/records.js';
import { isRecord } from '../../base/schema.js';
import { sha256 } from '../../base/secrets.js';
import type { SignInFacts } from './owner.js';
import { CONNECTION_ID_LENGTH, connectionIdOf, grantIdOf } from './token-id.js';

/** Keys with the same part in braces belong together: a cluster stores them on one node, and reads several with one command. */
export const tag = (id: string): string => `{${id}}`;

/** The id of a grant in a key. It begins with the id of its connection, which is the tag of all their keys. */
const ofGrant = (id: string): string => `${tag(connectionIdOf(id))}${id.slice(CONNECTION_ID_LENGTH)}`;

/** The part for a text that begins with a grant's id; a client's own token has none. */
const ofToken = (token: string): string => {
  const grant = grantIdOf(token);
  return grant === undefined ? '' : `${ofGrant(grant)}:`;
};

/**
 * The keys of the records that several capabilities share. Tokens and codes are random values of 256 bits, represented by their SHA-256; a grant's
 * id is not secret, because it gives no access without a token of its family.
 */
export const keys = {
  /** An owner's connection to a client. */
  connection: (id: string): string => `connection:${tag(id)}`,
  /** The connection that a grant depends on. */
  connectionOf: (grant: string): string => `connection:${tag(connectionIdOf(grant))}`,
  grant: (id: string): string => `grant:${ofGrant(id)}`,
  /** An access token that is not a JWT. */
  token: (token: string): string => `token:${ofToken(token)}${sha256(token)}`,
  /** An access token, or the `jti` of one, that was revoked before its expiry. */
  revoked: (token: string): string => `revoked:${ofToken(token)}${sha256(token)}`,
  /** Like `token` or `revoked`, of an ancestor: they belong to one grant. */
  ancestor: (kind: 'token' | 'revoked', token: string, hash: string): string => `${kind}:${ofToken(token)}${hash}`,
  /** The code and the refresh tokens of a grant: `records/chain-record.ts`. */
  chain: (grant: string): string => `chain:${ofGrant(grant)}`,
  /** A proof that was used at a resource. */
  proof: (name: string): string => `proof:${name}`,
  /** An assertion used for authentication. */
  assertion: (client_id: string, jti: string): string => `assertion:${sha256(JSON.stringify([client_id, jti]))}`,
  /** The id of a consent form yields its code, so it only exists in the browser. */
  consentDecision: (id: string): string => `consent-decision:${sha256(id)}`,
  /** One session of an owner; and the last sign-out from all of them. Both are read with one command. */
  endedSession: (sub: string, id: string): string => `ended-session:${tag(sha256(sub))}:${sha256(id)}`,
  signedOut: (sub: string): string => `signed-out:${tag(sha256(sub))}`,
  rememberedConsent: (digest: string): string => `remembered-consent:${digest}`,
} as const;

/** The id in a key of {@link keys}`.grant`. */
export const grantIdInKey = (key: string): string => key.slice('grant:'.length).replace(/[{}]/g, '');

/** The groups in which a store lists keys, by the hash of names that may be long. */
export const groups = {
  grantsOfOwner: (sub: string): string => `owner-grants:${sha256(sub)}`,
  /** Those of personal tokens. */
  tokensOfOwner: (sub: string): string => `owner-tokens:${sha256(sub)}`,
  grantsOfClient: (client_id: string): string => `client-grants:${sha256(client_id)}`,
  /** Those for whose owners another server vouched. */
  grantsOfIssuer: (issuer: string): string => `issuer-grants:${sha256(issuer)}`,
  connectionsOfOwner: (sub: string): string => `owner-connections:${sha256(sub)}`,
  connectionsOfClient: (client_id: string): string => `client-connections:${sha256(client_id)}`,
  consentsOfOwner: (sub: string): string => `owner-consents:${sha256(sub)}`,
  consentsOfClient: (client_id: string): string => `client-consents:${sha256(client_id)}`,
} as const;

/** What connects an owner and a client: all grants of the owner for the client are only valid while it has their generation. */
export interface ConnectionRecord extends ExpiringRecord, Revision {
  /** Random. A connection that ends, or begins again, has a different one. */
  readonly generation: string;
  readonly client_id: string;
  /** Everything that was granted since it exists, also under grants that have ended. */
  readonly scope: string;
  readonly aud: readonly string[];
  /** Seconds since the epoch: its first grant. */
  readonly iat: number;
  /** Present once it has ended: no grant has its generation. The next grant replaces it. */
  readonly ended?: true;
  /** Whether lists have it as long as it exists: 0.3 extended connections without their entries. */
  readonly listed?: boolean;
}

export const CONNECTION: Shape<ConnectionRecord> = {
  exp: isNumber,
  rev: isText,
  generation: isText,
  client_id: isText,
  scope: isText,
  aud: isTexts,
  iat: isNumber,
  ended: optional(isOneOf(true)),
  listed: optional(isBoolean),
};

/** The part of a record that says which of several clients of one name it is of. */
export interface OfGeneration {
  /** How many clients had the name before; absent for 0. */
  readonly client_generation?: number;
}

/** Single claims of an owner that a client asked for in addition to its scopes (OpenID Connect Core 1.0 §5.5): names, never values. */
export interface GrantedClaims {
  /** Those that no granted scope covers. */
  readonly names: readonly string[];
  /** Those that the ID token must have, whatever covers them. */
  readonly id_token: readonly string[];
}

const isGrantedClaims = (given: unknown): given is GrantedClaims =>
  isRecord(given) && isTexts(given['names']) && isTexts(given['id_token']);

/** What an owner allowed a client. All tokens issued under it are only valid while it exists. The sign-in facts are those of the approval. */
export interface GrantRecord extends ExpiringRecord, SignInFacts, OfGeneration {
  /** The generation of the connection it was created in. */
  readonly connection: string;
  readonly client_id: string;
  readonly sub: string;
  readonly username: string | null;
  readonly scope: string;
  readonly aud: readonly string[];
  /** Seconds since the epoch. */
  readonly iat?: number;
  /** The grant type. */
  readonly grant_type?: string;
  /** Whether the owner was not asked, because an approval was remembered. */
  readonly silent?: boolean;
  /** The name of a personal token. */
  readonly name?: string;
  /** The issuer that vouched for the owner, if it was another server. */
  readonly issuer?: string;
  /** In addition to its scopes. */
  readonly claims?: GrantedClaims;
}

export const GRANT: Shape<GrantRecord> = {
  exp: isNumber,
  connection: isText,
  client_id: isText,
  sub: isText,
  username: isTextOrNull,
  scope: isText,
  aud: isTexts,
  iat: optional(isNumber),
  grant_type: optional(isText),
  silent: optional(isBoolean),
  auth_time: optional(isNumber),
  acr: optional(isText),
  amr: optional(isTexts),
  name: optional(isText),
  issuer: optional(isText),
  claims: optional(isGrantedClaims),
  client_generation: optional(isNumber),
};

/** A grant that was read together with its connection, if it is valid. */
export const liveGrant = (
  grant: GrantRecord | undefined,
  connection: ConnectionRecord | undefined,
): GrantRecord | undefined =>
  grant !== undefined && connection !== undefined && grant.connection === connection.generation ? grant : undefined;

/**
 * An access token. Only a client's own has no grant. It does not contain its owner's name, but its grant does, so deleting the grant
 * removes the name.
 */
export interface TokenRecord extends ExpiringRecord, OfGeneration {
  readonly client_id: string;
  readonly scope: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly grant: string | null;
  /** The thumbprint of the key that it is bound to. */
  readonly jkt?: string;
  /** What the application and the features put into it. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** To whom its ancestors were issued, the oldest first. */
  readonly from?: readonly IssuedTo[];
  /** Who acts for the owner (RFC 8693 §4.1). */
  readonly act?: Actor;
}

/** What decides whether a client may still use what it was given. */
export interface IssuedTo extends OfGeneration {
  readonly client_id: string;
  /** Seconds since the epoch. */
  readonly iat: number;
}

const ISSUED_TO: Shape<IssuedTo & ExpiringRecord> = {
  exp: (given) => given === undefined,
  client_id: isText,
  iat: isNumber,
  client_generation: optional(isNumber),
};

/** Whether this is the member `from` of a token. */
export const isFrom = (given: unknown): given is readonly IssuedTo[] =>
  Array.isArray(given) && given.every((one) => hasShape(one, ISSUED_TO));

export const TOKEN: Shape<TokenRecord> = {
  exp: isNumber,
  client_id: isText,
  scope: isText,
  aud: isTexts,
  iat: isNumber,
  grant: isTextOrNull,
  jkt: optional(isText),
  claims: optional(isObject),
  from: optional(isFrom),
  act: optional(isActor),
  client_generation: optional(isNumber),
};

/**
 * Seconds for which the record of an end lives after the end of what it ended: no command that is carried out late finds the place free, whatever
 * the clocks of the processes.
 */
const AFTER_END = 120;

/** Takes the place of a connection that was ended, as long as it would have lived. */
export const endedConnection = (
  { client_id, iat, exp }: ConnectionRecord,
  made: Pick<ConnectionRecord, 'rev' | 'generation'>,
): ConnectionRecord => ({ client_id, scope: '', aud: [], iat, exp: exp + AFTER_END, ...made, ended: true });

/** Takes the place of a token that was revoked: it belongs to no grant and to no client. */
export const endedToken = (exp: number): TokenRecord => ({
  client_id: '',
  scope: '',
  aud: [],
  iat: 0,
  exp: exp + AFTER_END,
  grant: '',
});

/** Takes the place of a grant that has ended: it depends on a connection that does not exist, and names nobody. */
export const endedGrant = (exp: number): GrantRecord => ({
  connection: '',
  client_id: '',
  sub: '',
  username: null,
  scope: '',
  aud: [],
  exp: exp + AFTER_END,
});

/** Whether a token or a grant has ended, and this is what took its place. */
export const isEnd = ({ client_id }: TokenRecord | GrantRecord): boolean => client_id === '';

/** The record of an access token with its owner. */
export interface TokenClaims extends TokenRecord, Pick<SignInFacts, 'auth_time' | 'acr'> {
  readonly sub: string;
  readonly username: string | null;
}

/** When an owner was last signed out. A session is over if it began with a different `rev`, or before there was one. */
export interface SignedOutRecord extends ExpiringRecord, Revision {
  /** Milliseconds since the epoch. If it is not known when that was, or by whose clock, it was just now. */
  readonly at_ms?: number;
  readonly process?: string;
}

export const SIGNED_OUT: Shape<SignedOutRecord> = {
  exp: isNumber,
  rev: isText,
  at_ms: optional(isNumber),
  process: optional(isText),
};

/** An owner's response to a consent form, so that a second press of the same button has the same result. */
export interface ConsentDecisionRecord extends ExpiringRecord {
  readonly decision: 'approve' | 'deny';
  /** The grant of an approval that leads to a code. */
  readonly grant: string | null;
  /** The hash of the session and the owner who responded. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
  /** Whose clock that is; 0.3 did not write it. */
  readonly process?: string;
}

export const CONSENT_DECISION: Shape<ConsentDecisionRecord> = {
  exp: isNumber,
  decision: isOneOf('approve', 'deny'),
  grant: isTextOrNull,
  by: isText,
  at_ms: isNumber,
  process: optional(isText),
};

/** What an owner allowed a client, so that the owner is not asked again. */
export interface RememberedConsentRecord extends ExpiringRecord, OfGeneration {
  readonly scope: string;
  readonly aud: readonly string[];
  readonly client_id: string;
  /** The generation of the connection it was given in. It ends with it. */
  readonly connection: string;
  /** The names of single claims, in addition to the scopes. */
  readonly claims?: readonly string[];
}

export const REMEMBERED_CONSENT: Shape<RememberedConsentRecord> = {
  exp: isNumber,
  scope: isText,
  aud: isTexts,
  client_id: isText,
  connection: isText,
  claims: optional(isTexts),
  client_generation: optional(isNumber),
};

/** A record of which only the existence matters. */
export const MARK: Shape<ExpiringRecord> = { exp: isNumber };
