import type { Revision } from '../../base/ports.js';
import {
  type ExpiringRecord,
  isNumber,
  isOneOf,
  isText,
  isTextOrNull,
  isTexts,
  type Kinds,
  optional,
  type Shape,
} from '../../base/records.js';
import { type OfGeneration, tag } from '../records/stored-records.js';

/** The keys of these records. Both of a device have the hash of its code, the only part that the pages know. */
export const keys = {
  userCode: (digest: string): string => `user-code:${digest}`,
  device: (hash: string): string => `device:${tag(hash)}`,
  /** When a device may poll again. Not part of its record, so that polls never delay its owner's decision. */
  pace: (hash: string): string => `pace:${tag(hash)}`,
} as const;

/** The request of a device, its owner's decision about it, and who that owner is. */
export interface DeviceRecord extends ExpiringRecord, Revision, OfGeneration {
  readonly client_id: string;
  readonly scope: string;
  readonly aud: readonly string[];
  /** Seconds since the epoch; the record outlives it, so that a late poll gets `expired_token`. */
  readonly code_exp: number;
  /** The SHA-256 of the `sub` of the first owner who entered the user code. */
  readonly owner: string | null;
  readonly decision: 'approve' | 'deny' | null;
  /** The grant of an approval. */
  readonly grant: string | null;
}

export const DEVICE: Shape<DeviceRecord> = {
  exp: isNumber,
  rev: isText,
  client_id: isText,
  scope: isText,
  aud: isTexts,
  code_exp: isNumber,
  owner: isTextOrNull,
  decision: isOneOf('approve', 'deny', null),
  grant: isTextOrNull,
  client_generation: optional(isNumber),
};

/** The pace of a device's polls. */
export interface PaceRecord extends ExpiringRecord, Revision {
  /** How many polls were too early. */
  readonly early: number;
  /** Seconds since the epoch: when the next poll is in time. */
  readonly next: number;
  /** Whose clock that is. */
  readonly process: string;
}

export const PACE: Shape<PaceRecord> = { exp: isNumber, rev: isText, early: isNumber, next: isNumber, process: isText };

export interface UserCodeRecord extends ExpiringRecord {
  readonly device: string;
}

export const USER_CODE: Shape<UserCodeRecord> = { exp: isNumber, device: isText };

/** What these records do to access. */
export const DEVICE_KINDS = {
  'user-code': ['gives', USER_CODE],
  device: ['gives', DEVICE],
  // Missing, the pace of a device begins again. A device whose polls all failed would never get its tokens.
  pace: ['gives', PACE],
} as const satisfies Kinds;
