import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { QueryOptions } from '../options.js';

/**
 * Rejects a request if the data lags by more than its `maxlag`.
 *
 * @throws ApiError `maxlag`
 */
export const checkLag = async (maxlag: number, lagOf: NonNullable<QueryOptions['lag']>): Promise<void> => {
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
