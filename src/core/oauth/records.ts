import {
  type ExpiringRecord,
  isBoolean,
  isNumber,
  isOneOf,
  isText,
  isTextOrNull,
  isTexts,
  type Shape,
} from '../records.js';
import { sha256 } from '../secrets.js';

/**
 * The keys of all records. Tokens and codes are random values of 256 bits and stand here as their SHA-256; a grant's
 * id is no secret: it opens nothing without a token of its family.
 */
export const keys = {
  token: (token: string): string => `token:${sha256(token)}`,
  /** A JWT that was revoked before its end. */
  revoked: (jti: string): string => `revoked:${sha256(jti)}`,
  grant: (id: string): string => `grant:${id}`,
  code: (code: string): string => `code:${sha256(code)}`,
  /** A code that has been taken. Each kind has keys of its own: a code shown as a refresh token is nothing at all. */
  spentCode: (code: string): string => `spent-code:${sha256(code)}`,
  spentRefresh: (token: string): string => `spent-refresh:${sha256(token)}`,
  failedVerifier: (code: string, n: number): string => `miss:${sha256(code)}:${n}`,
  /** An assertion that a client has authenticated with. */
  assertion: (client_id: string, jti: string): string => `jti:${sha256(JSON.stringify([client_id, jti]))}`,
  consentDecision: (id: string): string => `consent:${id}`,
  rememberedConsent: (digest: string): string => `remembered:${digest}`,
  /** From here on by the hash of the device code, which is all that the pages know. */
  device: (deviceHash: string): string => `device:${deviceHash}`,
  userCode: (digest: string): string => `user-code:${digest}`,
  deviceClaim: (deviceHash: string): string => `claim:${deviceHash}`,
  spentDevice: (deviceHash: string): string => `spent-device:${deviceHash}`,
  deviceDecision: (deviceHash: string): string => `decision:${deviceHash}`,
  earlyPoll: (deviceHash: string, n: number): string => `early:${deviceHash}:${n}`,
  poll: (deviceHash: string, n: number): string => `poll:${deviceHash}:${n}`,
} as const;

/** What an owner allowed a client once. All tokens that follow from it live only while it does. */
export interface GrantRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly sub: string;
  readonly username: string | null;
  readonly scope: string;
  readonly aud: readonly string[];
}

export const GRANT: Shape<GrantRecord> = {
  exp: isNumber,
  client_id: isText,
  sub: isText,
  username: isTextOrNull,
  scope: isText,
  aud: isTexts,
};

/** An access token, or a refresh token. Only a client's own token has no grant. */
export interface TokenRecord extends ExpiringRecord {
  readonly kind: 'access' | 'refresh';
  readonly client_id: string;
  readonly sub: string;
  readonly username: string | null;
  readonly scope: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly grant: string | null;
}

export const TOKEN: Shape<TokenRecord> = {
  ...GRANT,
  kind: isOneOf('access', 'refresh'),
  iat: isNumber,
  grant: isTextOrNull,
};

export interface CodeRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly grant: string;
  readonly redirect_uri: string;
  /** Whether the authorization request had one; then the token request must repeat it. */
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

/** The tombstone of a code: everything that a replay is judged by. */
export interface SpentCodeRecord extends CodeRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const SPENT_CODE: Shape<SpentCodeRecord> = { ...CODE, at: isNumber };

/** The tombstone of a refresh token, from which its successor can be made again by who presents the token. */
export interface SpentRefreshRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly grant: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly salt: string;
  /** What was asked for, so that only the same request gets the same answer. */
  readonly request: string;
}

export const SPENT_REFRESH: Shape<SpentRefreshRecord> = {
  exp: isNumber,
  client_id: isText,
  grant: isText,
  at: isNumber,
  salt: isText,
  request: isText,
};

/** What an owner answered to one consent form, so that a second press of the same button hears the same. */
export interface ConsentDecisionRecord extends ExpiringRecord {
  readonly decision: 'approve' | 'deny';
  /** The grant of an approval that leads to a code. */
  readonly grant: string | null;
  /** The hash of the session that answered. */
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const CONSENT_DECISION: Shape<ConsentDecisionRecord> = {
  exp: isNumber,
  decision: isOneOf('approve', 'deny'),
  grant: isTextOrNull,
  session: isText,
  at: isNumber,
};

/** What an owner allowed a client, so that they need not be asked again. */
export interface RememberedConsentRecord extends ExpiringRecord {
  readonly scope: string;
  readonly aud: readonly string[];
}

export const REMEMBERED_CONSENT: Shape<RememberedConsentRecord> = { exp: isNumber, scope: isText, aud: isTexts };

export interface DeviceRecord extends ExpiringRecord {
  readonly client_id: string;
  readonly scope: string;
  readonly aud: readonly string[];
  /** Seconds since the epoch; the record outlives it, so that a late poll hears `expired_token`. */
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
  readonly sub: string;
}

export const DEVICE_CLAIM: Shape<DeviceClaimRecord> = { exp: isNumber, sub: isText };

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
