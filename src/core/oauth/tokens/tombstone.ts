import { UnavailableError } from '../../base/errors.js';
import type { Written } from './window.js';

/** What the tombstone of a code or a refresh token says: when it was used, and what came next. */
export interface Tombstone extends Written {
  /** The SHA-256 of the next refresh token; `null` if the client gets none. */
  readonly next: string | null;
  /** Seconds since the epoch: the expiry of that token. The record outlives it. */
  readonly next_exp: number | null;
}

/** The tombstone of a refresh token, from which its successor can be derived again together with the token. */
export interface Rotation extends Tombstone {
  readonly salt: string;
  /** The application secret used for the derivation; `null` if none is configured. */
  readonly key: string | null;
  /** Tombstones 1 to `kept` - 1 of the grant were deleted before this one was written. */
  readonly kept: number;
  /** The requested scopes and resources, so that only the same request gets the same response; empty for the whole grant. */
  readonly request: string;
}

/** One text, because most records of a busy server are tombstones: as fields of an object they would take twice the memory. */
export const tombstoneText = ({ at_ms, process, next, next_exp }: Tombstone): string =>
  `${at_ms.toString(36)} ${process} ${next ?? ''} ${next_exp?.toString(36) ?? ''}`;

export const rotationText = (rotation: Rotation): string =>
  `${tombstoneText(rotation)} ${rotation.salt} ${rotation.key ?? ''} ${rotation.kept.toString(36)} ${rotation.request}`;

/** @throws UnavailableError if the text is damaged. */
export const parseTombstone = (text: string): Rotation => {
  const [at = '', process = '', next, next_exp, salt = '', key, kept = '1', ...request] = text.split(' ');
  const at_ms = Number.parseInt(at, 36);
  if (Number.isNaN(at_ms) || next_exp === undefined)
    throw new UnavailableError('The store returned a damaged tombstone.');
  return {
    at_ms,
    process,
    next: next || null,
    next_exp: next_exp === '' ? null : Number.parseInt(next_exp, 36),
    salt,
    key: key || null,
    kept: Number.parseInt(kept, 36),
    request: request.join(' '),
  };
};
