import {
  type ExpiringRecord,
  hasShape,
  isBoolean,
  isNumber,
  isOneOf,
  isText,
  isTextOrNull,
  isTexts,
  optional,
  type Shape,
} from '../base/records.js';
import { sha256 } from '../base/secrets.js';
import { grantIdOf } from './tokens/token-id.js';

/** Keys with the same part in braces belong together: a cluster stores them on one node, and reads several with one command. */
const tag = (id: string): string => `{${id}}`;

/** The tag of a text that begins with a grant's id; a client's own token has none. */
const ofGrant = (token: string): string => {
  const grant = grantIdOf(token);
  return grant === undefined ? '' : `${tag(grant)}:`;
};

/**
 * The keys of all records. Tokens and codes are random values of 256 bits, represented by their SHA-256; a grant's
 * id is not secret, because it gives no access without a token of its family.
 */
export const keys = {
  grant: (id: string): string => `grant:${tag(id)}`,
  /** Records the last refresh of a grant. */
  refreshed: (grant: string): string => `refreshed:${tag(grant)}`,
  /** An access token that is not a JWT. */
  token: (token: string): string => `token:${ofGrant(token)}${sha256(token)}`,
  /** An access token, or the `jti` of one, that was revoked before its expiry. */
  revoked: (token: string): string => `revoked:${ofGrant(token)}${sha256(token)}`,
  code: (code: string): string => `code:${ofGrant(code)}${sha256(code)}`,
  /** The same for a code of a grant whose hash is known. */
  codeOf: (grant: string, hash: string): string => `code:${tag(grant)}:${hash}`,
  /** A wrong verifier for the code of a grant; each grant has one code. */
  failedVerifier: (grant: string, n: number): string => `failed-verifier:${tag(grant)}:${n}`,
  /** Marks refresh token n of a grant as used, and the code or device code for n = 0. */
  spent: (grant: string, n: number): string => `spent:${tag(grant)}:${n}`,
  /** Exists before the first tombstone of a grant is deleted: refresh token 1 has been used. */
  pruned: (grant: string): string => `pruned:${tag(grant)}`,
  /** Marks the response to the refresh with token n as sent. */
  done: (grant: string, n: number): string => `done:${tag(grant)}:${n}`,
  /** An assertion used for authentication. */
  assertion: (client_id: string, jti: string): string => `assertion:${sha256(JSON.stringify([client_id, jti]))}`,
  /** The id of a consent form yields its code, so it only exists in the browser. */
  consentDecision: (id: string): string => `consent-decision:${sha256(id)}`,
  /** One session of an owner; and all that began before an owner was signed out. Both are read with one command. */
  endedSession: (sub: string, id: string): string => `ended-session:${tag(sha256(sub))}:${sha256(id)}`,
  endedGeneration: (sub: string, generation: string): string => `ended-generation:${tag(sha256(sub))}:${generation}`,
  rememberedConsent: (digest: string): string => `remembered-consent:${digest}`,
  userCode: (digest: string): string => `user-code:${digest}`,
  /** From here on keyed by the hash of the device code, the only part the pages know. */
  device: (deviceHash: string): string => `device:${tag(deviceHash)}`,
  deviceClaim: (deviceHash: string): string => `device-claim:${tag(deviceHash)}`,
  deviceDecision: (deviceHash: string): string => `device-decision:${tag(deviceHash)}`,
  earlyPoll: (deviceHash: string, n: number): string => `early-poll:${tag(deviceHash)}:${n}`,
  poll: (deviceHash: string, n: number): string => `poll:${tag(deviceHash)}:${n}`,
} as const;

/** The id in a key of {@link keys}`.grant`. */
export const grantIdInKey = (key: string): string => key.slice('grant:{'.length, -1);

/** The groups in which a store lists keys, by the hash of names that may be long. */
export const groups = {
  grantsOfOwner: (sub: string): string => `owner-grants:${sha256(sub)}`,
  grantsOfClient: (client_id: string): string => `client-grants:${sha256(client_id)}`,
  consentsOfOwner: (sub: string): string => `owner-consents:${sha256(sub)}`,
  consentsOfClient: (client_id: string): string => `client-consents:${sha256(client_id)}`,
} as const;

/** What an owner allowed a client. All tokens issued under it are only valid while it exists. */
export interface GrantRecord extends ExpiringRecord {
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
}

export const GRANT: Shape<GrantRecord> = {
  exp: isNumber,
  client_id: isText,
  sub: isText,
  username: isTextOrNull,
  scope: isText,
  aud: isTexts,
  iat: optional(isNumber),
  grant_type: optional(isText),
  silent: optional(isBoolean),
};

/** The time of a grant's last refresh, accurate to the hour. */
export interface RefreshedRecord extends ExpiringRecord {
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
}

export const REFRESHED: Shape<RefreshedRecord> = { exp: isNumber, at_ms: isNumber };

/**
 * An access token. Only a client's own has no grant. It does not contain its owner's name, but its grant does, so deleting the grant
 * removes the name.
 */
export interface TokenRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly scope: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly grant: string | null;
}

export const TOKEN: Shape<TokenRecord> = {
  exp: isNumber,
  client_id: isText,
  scope: isText,
  aud: isTexts,
  iat: isNumber,
  grant: isTextOrNull,
};

/** The record of an access token with its owner. */
export interface TokenClaims extends TokenRecord {
  readonly sub: string;
  readonly username: string | null;
}

export interface CodeRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly grant: string;
  readonly redirect_uri: string;
  /** Whether the authorization request had a redirect_uri, which the token request must then repeat. */
  readonly redirect_uri_sent: boolean;
  readonly scope: string;
  readonly code_challenge: string | null;
  readonly code_challenge_method: 'S256' | 'plain' | null;
}

export const CODE: Shape<CodeRecord> = {
  exp: isNumber,
  client_id: isText,
  grant: isText,
  redirect_uri: isText,
  redirect_uri_sent: isBoolean,
  scope: isText,
  code_challenge: isTextOrNull,
  code_challenge_method: isOneOf('S256', 'plain', null),
};

/**
 * Marks refresh token n as used. It is also the only record of refresh token n + 1; for the first one, the mark of the code
 * is its record.
 */
export interface SpentRecord extends ExpiringRecord {
  /** Written and read by `tombstone.ts`. */
  readonly tombstone: string;
}

export const SPENT: Shape<SpentRecord> = { exp: isNumber, tombstone: isText };

/** The tombstone of a code, a device code or a password grant. */
export interface TakenRecord extends SpentRecord {
  /** The SHA-256 of what was redeemed; a password grant redeems nothing. */
  readonly taken: string | null;
  /** For an authorization code: everything needed to detect a replay. */
  readonly code: CodeRecord | null;
  /** The SHA-256 of the part that all refresh tokens of the grant share; `null` if there are none. */
  readonly family: string | null;
}

export const TAKEN: Shape<TakenRecord> = {
  ...SPENT,
  family: isTextOrNull,
  taken: isTextOrNull,
  code: (value) => value === null || hasShape(value, CODE),
};

/** The time when a process first sent the response to a refresh. */
export interface DoneRecord extends ExpiringRecord {
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
  readonly process: string;
}

export const DONE: Shape<DoneRecord> = { exp: isNumber, at_ms: isNumber, process: isText };

/** When an owner was signed out. */
export type EndedGenerationRecord = DoneRecord;

export const ENDED_GENERATION: Shape<EndedGenerationRecord> = DONE;

/** An owner's response to a consent form, so that a second press of the same button has the same result. */
export interface ConsentDecisionRecord extends ExpiringRecord {
  readonly decision: 'approve' | 'deny';
  /** The grant of an approval that leads to a code. */
  readonly grant: string | null;
  /** The hash of the session and the owner who responded. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
}

export const CONSENT_DECISION: Shape<ConsentDecisionRecord> = {
  exp: isNumber,
  decision: isOneOf('approve', 'deny'),
  grant: isTextOrNull,
  by: isText,
  at_ms: isNumber,
};

/** What an owner allowed a client, so that the owner is not asked again. */
export interface RememberedConsentRecord extends ExpiringRecord {
  readonly scope: string;
  readonly aud: readonly string[];
  readonly client_id?: string;
}

export const REMEMBERED_CONSENT: Shape<RememberedConsentRecord> = {
  exp: isNumber,
  scope: isText,
  aud: isTexts,
  client_id: optional(isText),
};

export interface DeviceRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly scope: string;
  readonly aud: readonly string[];
  /** Seconds since the epoch; the record outlives it, so that a late poll gets `expired_token`. */
  readonly code_exp: number;
}

export const DEVICE: Shape<DeviceRecord> = {
  exp: isNumber,
  client_id: isText,
  scope: isText,
  aud: isTexts,
  code_exp: isNumber,
};

export interface UserCodeRecord extends ExpiringRecord {
  readonly device: string;
}

export const USER_CODE: Shape<UserCodeRecord> = { exp: isNumber, device: isText };

export interface DeviceClaimRecord extends ExpiringRecord {
  /** The SHA-256 of the `sub`. */
  readonly owner: string;
}

export const DEVICE_CLAIM: Shape<DeviceClaimRecord> = { exp: isNumber, owner: isText };

export interface DeviceDecisionRecord extends ExpiringRecord {
  readonly decision: 'approve' | 'deny';
  /** The grant of an approval. */
  readonly grant: string | null;
}

export const DEVICE_DECISION: Shape<DeviceDecisionRecord> = {
  exp: isNumber,
  decision: isOneOf('approve', 'deny'),
  grant: isTextOrNull,
};

/** A record of which only the existence matters. */
export const MARK: Shape<ExpiringRecord> = { exp: isNumber };
