import type { MaybePromise } from '../../base/ports.js';
import type { Emit } from '../events/events.js';
import type { Client } from './client.js';

/** The request on whose behalf a registry may contact other servers about a client. */
export interface ClientCaller {
  /** The caller's address as the framework reports it; empty if it has none. */
  readonly ip: string;
  /** Emits an event of this request; absent if there are no listeners. */
  readonly emit: Emit | undefined;
}

/** The circumstances of a lookup. */
export interface ClientLookup {
  /** Absent in a guard, at introspection and at the refresh of a public client, which must not wait for other servers. */
  readonly caller?: ClientCaller | undefined;
  /** Present if the client authenticates with a signed assertion. */
  readonly assertion?:
    | {
        /** The key named by the assertion (RFC 7515 §4.1.4). */
        readonly kid?: string | undefined;
      }
    | undefined;
}

/** Finds a registered client that is not disabled. */
export interface ClientFinder {
  /** @throws UnavailableError if a registry fails; UnusableClientError for a caller who should learn why the client cannot be used. */
  find(client_id: string, lookup?: ClientLookup): MaybePromise<Client | undefined>;
}

/** Why a client with a well-formed identifier cannot be used. */
export class UnusableClientError extends Error {
  override readonly name = 'UnusableClientError';
  /** `unavailable`: it is currently unknown whether the client exists. `refused`: its own description is not accepted. */
  readonly reason: 'unavailable' | 'refused';
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number;

  constructor(reason: 'unavailable' | 'refused', message: string, retryAfter: number, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
