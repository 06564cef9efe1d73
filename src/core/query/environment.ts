import type { Authorization } from '../base/authorization.js';
import type { HttpRequest } from '../base/http/messages.js';
import type { LimitListener } from '../base/limits/limit-reached.js';
import type { LimitAt } from '../base/limits/source.js';
import type { Frame } from '../base/pages/frame.js';
import type { Clock, MaybePromise, RandomBytes, Timer } from '../base/ports.js';
import type { Seal } from '../base/seal.js';

/** What the query API takes from the server it is part of. */
export interface QueryEnvironment {
  /**
   * The authorization of a request's bearer token; `undefined` without a token. Rejects with a
   * `BearerError` if the token is invalid, and with any other error if it cannot be checked.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  /** The rights of a caller: those of the token's scopes, such as `apihighlimits`, and those that the application adds. */
  rightsOf(authorization: Authorization): MaybePromise<readonly string[]>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timer: Timer;
  /** The deadline of requests to the server, in milliseconds: a body must arrive before. */
  readonly requestTimeout: number;
  /** Whether tokens may be bound to keys, so that requests carry proofs. */
  readonly bindsTokens: boolean;
  /** The key of the tokens of `meta=tokens`. */
  readonly secret: Uint8Array;
  /** Encrypts continue values that callers must not read. */
  readonly seal: Pick<Seal, 'seal' | 'open'>;
  /** Called with errors that are not reported to clients. */
  onError(error: unknown): void;
  /** A limit per address, which is higher for addresses that many people share. */
  readonly limitAt: LimitAt;
  /** Called when a caller reaches one of `limits`. */
  readonly onLimit: LimitListener;
  /** The frame of pages. */
  readonly frame: Frame;
  /** The base of absolute URLs, such as `https://example.org`; empty if not known. */
  readonly base: string;
}
