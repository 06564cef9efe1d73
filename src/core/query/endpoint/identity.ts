import type { Authorization } from '../../authorization.js';
import type { HttpRequest } from '../../http.js';
import type { MaybePromise } from '../../ports.js';
import { ApiError } from '../answer/api-error.js';
import type { Caller } from '../modules/handlers.js';
import { message } from '../answer/messages.js';
import type { ParsedParams } from '../parameters/parse.js';

/** How the endpoint learns who is asking. */
export interface IdentitySource {
  /**
   * What the bearer token of a request says; `undefined` without a token. Rejects with an error whose `code` is
   * `invalid_token` for a bad one, and with any other error when the store cannot tell.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  rights(authorization: Authorization): MaybePromise<readonly string[]>;
  onError(error: unknown): void;
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = '5';

/**
 * Finds out who is asking.
 *
 * @throws ApiError `mwoauth-invalid-authorization` for a bad token; with HTTP 503 when nobody can tell.
 */
export async function identifyCaller(request: HttpRequest, source: IdentitySource): Promise<Caller | undefined> {
  try {
    const authorization = await source.identify(request);
    if (!authorization) return undefined;
    const rights = await source.rights(authorization);
    return { authorization, name: authorization.username ?? authorization.sub, rights };
  } catch (error) {
    if (codeOf(error) === 'invalid_token') {
      throw new ApiError(
        'mwoauth-invalid-authorization',
        message('apierror-mwoauth-invalid-authorization', 'Invalid access token'),
        { module: 'main' },
      );
    }
    source.onError(error);
    throw new ApiError('temporarily_unavailable', message('apierror-storeaway'), {
      module: 'main',
      status: 503,
      headers: { 'retry-after': RETRY_AFTER },
    });
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Checks what the request takes for granted about its caller.
 *
 * @throws ApiError when it is mistaken.
 */
export function checkAssertions(params: ParsedParams, caller: Caller | undefined): void {
  const { assert, assertuser } = params;
  if (assert === 'anon' && caller) throw new ApiError('assertanonfailed', message('apierror-assertanonfailed'));
  if (assert === 'user' && !caller) throw new ApiError('assertuserfailed', message('apierror-assertuserfailed'));
  if (assert === 'bot' && !caller?.rights.includes('bot')) {
    throw new ApiError('assertbotfailed', message('apierror-assertbotfailed'));
  }
  if (typeof assertuser === 'string' && caller?.name !== assertuser) {
    throw new ApiError('assertnameduserfailed', message('apierror-assertnameduserfailed', { plaintext: assertuser }));
  }
}
