import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { PageRule } from '../descriptor/rule.js';

/**
 * Selects the watchlist: that of `owner` with a valid token, for any caller; otherwise the caller's own. The handler
 * receives `owner` only if the token is valid, and never the token.
 */
export const watchlistOwner: PageRule = async (request) => {
  const { params, ignore } = request;
  const { owner, token } = params;
  ignore('token');
  if (typeof owner === 'string' && typeof token === 'string') {
    const verdict = token === '' ? 'wrong' : await request.verifyWatchlistToken(owner, token);
    if (verdict === 'no-user') throw new ApiError('bad_wlowner', message('nosuchusershort', { plaintext: owner }));
    if (verdict !== 'valid') throw new ApiError('bad_wltoken', message('apierror-bad-watchlist-token'));
    return;
  }
  ignore('owner');
  if (!request.caller) throw new ApiError('notloggedin', message('apierror-mustbeloggedin-watchlist'));
};
