import type { Authorization } from '../../base/authorization.js';
import { BearerError } from '../../base/errors.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { ApiError, apiError, type ApiErrorDetails } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { Headers } from '../answer/print.js';
import type { Caller } from '../caller.js';
import type { QueryService } from '../run/query-run.js';
import type { Site } from '../site/site.js';
import { canonicalUserName } from '../site/user-name.js';
import type { MainParams } from './main-parameters.js';

/** The caller of a token, with all rights. */
export const callerOf = async (authorization: Authorization, { rightsOf }: QueryService): Promise<Caller> => {
  const rights = await rightsOf(authorization);
  return { authorization, name: authorization.username ?? authorization.sub, rights: [...new Set(rights)] };
};

/** Seconds after which a client may try again. */
const RETRY_AFTER = '5';

/**
 * Identifies the caller of a request. The headers are those of the response, such as a new nonce.
 *
 * @throws ApiError `mwoauth-invalid-authorization` for an invalid token; with HTTP 503 if it cannot be checked.
 */
export const identifyCaller = async (
  request: HttpRequest,
  service: QueryService,
): Promise<{ readonly caller?: Caller; readonly headers?: Headers }> => {
  const { identify, onError } = service.host;
  try {
    const admitted = await identify(request);
    if (admitted === undefined) return {};
    return { caller: await callerOf(admitted.authorization, service), headers: ownHeaders(admitted.headers) };
  } catch (error) {
    if (error instanceof BearerError && error.code === 'invalid_token') {
      throw new ApiError(
        'mwoauth-invalid-authorization',
        message('apierror-mwoauth-invalid-authorization', 'Invalid access token'),
        { module: 'main', ...refusalOf(error) },
      );
    }
    onError(error);
    throw new ApiError('temporarily_unavailable', message('apierror-storeaway'), {
      module: 'main',
      status: 503,
      headers: { 'retry-after': RETRY_AFTER },
    });
  }
};

/** Where tokens may be bound to keys, clients repeat a request because of its status and its challenge (RFC 9449 §9). */
const refusalOf = (error: BearerError): Pick<ApiErrorDetails, 'status' | 'headers'> => {
  const headers = ownHeaders(error.headers);
  return Object.keys(headers).length === 0 ? {} : { status: 401, headers };
};

/** What scripts may read does not depend on the token. */
const ownHeaders = (given: Headers = {}): Headers => {
  const { 'access-control-expose-headers': _, ...headers } = given;
  return headers;
};

/**
 * Checks `assert` and `assertuser`.
 *
 * @throws ApiError if the caller does not match.
 */
export const checkAssertions = ({ assert, assertuser }: MainParams, caller: Caller | undefined, site: Site): void => {
  if (assert === 'anon' && caller) throw apiError('assertanonfailed');
  if (assert === 'user' && !caller) throw apiError('assertuserfailed');
  if (assert === 'bot' && !caller?.rights.includes('bot')) {
    throw apiError('assertbotfailed');
  }
  if (assertuser === undefined) return;
  // The parameter is already canonical; the host's user name may not be.
  if (!caller || (canonicalUserName(caller.name, site) ?? caller.name) !== assertuser) {
    throw apiError('assertnameduserfailed', { plaintext: assertuser });
  }
};
