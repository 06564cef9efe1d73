import type { Kinds } from '../../base/records.js';
import type { Definitions } from '../facts/parameters.js';
import type { PathName } from '../facts/settings.js';
import type { GrantHandler } from './grant-handler.js';
import type { ServerEndpoint } from './server-endpoint.js';

/** A built-in grant with records and endpoints of its own, all of which stand in one folder. */
export interface Capability<Services> {
  readonly grant_type: string;
  /** What its token requests contain. */
  readonly parameters: Definitions;
  readonly kinds: Kinds;
  /** A member of the metadata document, and the endpoint whose URL it has. */
  readonly metadata: readonly [member: string, endpoint: PathName];
  /** Called once, if the grant is enabled. */
  start(services: Services): { readonly handler: GrantHandler; readonly endpoints: readonly ServerEndpoint[] };
}
