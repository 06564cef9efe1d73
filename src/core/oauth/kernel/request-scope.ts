import type { HttpRequest } from '../../base/http/messages.js';
import type { ClientCaller } from '../clients/client-finder.js';
import type { Emit } from '../events/events.js';

/** What belongs to one request. Everything else an endpoint was given at the start. */
export interface RequestScope {
  readonly request: HttpRequest;
  /** Tells of what happens in this request. Absent without listeners, so that no events are created. */
  readonly emit: Emit | undefined;
}

/** A request on whose behalf a registry may contact other servers about a client. */
export const callerOf = ({ request: { ip }, emit }: RequestScope): ClientCaller => ({ ip, emit });
