import type { MaybePromise } from '../../base/ports.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';

/** The replication lag of the site's data. */
export interface ReplicationLag {
  /** Seconds. */
  readonly lag: number;
  /** The server that lags, if callers may see its name. */
  readonly host?: string;
}

/** Returns the replication lag; nothing if there is none. */
export type LagOf = () => MaybePromise<ReplicationLag | undefined>;

/**
 * Rejects a request if the data lags by more than its `maxlag`.
 *
 * @throws ApiError `maxlag`
 */
export const checkLag = async (maxlag: number, lagOf: LagOf): Promise<void> => {
  const found = await lagOf();
  if (!found || found.lag <= maxlag) return;
  const { host, lag } = found;
  throw new ApiError(
    'maxlag',
    host === undefined ? message('apierror-maxlag-generic', lag) : message('apierror-maxlag', lag, host),
    {
      module: 'main',
      data: { host: host ?? '', lag, type: 'db' },
      headers: { 'retry-after': String(Math.max(maxlag, 5)), 'x-database-lag': String(Math.floor(lag)) },
    },
  );
};
