import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import type { RefusalReason } from '../events/events.js';

/** The operator's view of a rejected authorization request. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** The rejected value. */
  readonly value?: string;
  /** The client, if it is registered. */
  readonly client_id?: string;
  /** The problem in an operator's terms, if the error's own message is meant for users. */
  readonly explanation?: string;
}

/** An error that is sent to the client, with its reason. */
export class RefusedRequest extends OAuthError {
  readonly refusal: Refusal;

  /** @param refusal - Its reason is the code if absent. */
  constructor(code: OAuthErrorCode & RefusalReason, description: string, refusal?: Partial<Refusal>);
  constructor(code: OAuthErrorCode, description: string, refusal: Refusal);
  constructor(code: OAuthErrorCode, description: string, refusal: Partial<Refusal> = {}) {
    super(code, description);
    this.refusal = { reason: code as RefusalReason, ...refusal }; // It is one, if the refusal has none.
  }
}

const MAX_LENGTH = 200;

/** The beginning of client input, for logs, events and pages: printable ASCII, at most 200 characters. */
export const excerpt = (text: string): string =>
  (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text).replace(/[^\x20-\x7e]/g, '?');
