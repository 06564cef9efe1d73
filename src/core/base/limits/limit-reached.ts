import type { HttpRequest } from '../http/messages.js';

/** A source exceeded a rate limit and gets a 429. */
export interface LimitReached {
  /** The type of event. */
  readonly type: 'limit.reached';
  /** Which limit: `client`, `login`, `user code`, `device`, `registration`, `unproven records`, `token exchange` or `query`. */
  readonly limit: string;
}

/** Called when the source of a request exceeds a limit. */
export type LimitListener = (event: LimitReached, request: HttpRequest) => void;
