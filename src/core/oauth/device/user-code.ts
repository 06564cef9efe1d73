import { createHash } from 'node:crypto';
import { keyedHash } from '../../base/secrets.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';

/** 2^34 values (RFC 8628 §5.1), without vowels, so that codes form no words (§6.1). */
export const USER_CODE_LENGTH = 8;
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

const OTHERS = new RegExp(`[^${USER_CODE_LETTERS}${USER_CODE_LETTERS.toLowerCase()}]`, 'g');

/** A user code as stored: in capitals and without all that is no letter of codes, however it was entered (RFC 8628 §6.1). */
export const normalizeUserCode = (typed: string): string | undefined => {
  const code = normalizeText(typed, 'NFKC', MAX_LENGTH.name)?.replace(OTHERS, '').toUpperCase();
  return code?.length === USER_CODE_LENGTH ? code : undefined;
};

/** User codes are short enough for brute force, so the names of their records depend on a key that is not in the store. */
export const userCodeDigest = (code: string, key: string): string => keyedHash(key, code);

/**
 * What both screens can show of a device code, which is itself a secret: the first eight hex digits of its SHA-256.
 *
 * @param deviceHash - base64url
 */
export const fingerprintOfHash = (deviceHash: string): string =>
  Buffer.from(deviceHash, 'base64url').toString('hex').slice(0, 8);

/**
 * What a device can show of its device code, which is itself a secret, so that the owner can compare both screens: the
 * first eight hex digits of its SHA-256.
 *
 * @param device_code - As the device authorization answer gave it (RFC 8628 §3.2).
 */
export const deviceFingerprint = (device_code: string): string =>
  createHash('sha256').update(device_code).digest('hex').slice(0, 8);
