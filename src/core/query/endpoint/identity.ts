import type { Authorization } from '../../base/authorization.js';
import type { HttpRequest } from '../../base/http.js';
import type { MaybePromise } from '../../base/ports.js';
import { ApiError } from '../answer/api-error.js';
import type { Caller } from '../caller.js';
import { message } from '../answer/messages.js';
import { canonicalUserName } from '../pages/user-name.js';
import type { Site } from '../site/site.js';
import type { MainParams } from './main-parameters.js';

/** How the endpoint learns who is asking. */
export interface IdentitySource {
  /**
   * What the bearer token of a request says; `undefined` without a token. Rejects with an error whose `code` is
   * `invalid_token` for a bad one, and with any other error when the store cannot tell.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  scopeRights(authorization: Authorization): readonly string[];
  onError(error: unknown): void;
}

/** Further rights that the host gives, beside those of the scopes. */
type FurtherRights = (authorization: Authorization) => MaybePromise<readonly string[]>;

/** Who a token stands for, with all rights. */
export const callerOf = async (
  authorization: Authorization,
  source: Pick<IdentitySource, 'scopeRights'>,
  furtherRights?: FurtherRights,
): Promise<Caller> => {
  const rights = [...source.scopeRights(authorization), ...((await furtherRights?.(authorization)) ?? [])];
  return { authorization, name: authorization.username ?? authorization.sub, rights: [...new Set(rights)] };
};

/** Seconds after which a client may try again. */
const RETRY_AFTER = '5';

/**
 * Finds out who is asking.
 *
 * @param furtherRights - What the host gives beside the rights of the scopes.
 * @throws ApiError `mwoauth-invalid-authorization` for an invalid token; with HTTP 503 if it cannot be checked.
 */
export const identifyCaller = async (
  request: HttpRequest,
  source: IdentitySource,
  furtherRights?: FurtherRights,
): Promise<Caller | undefined> => {
  try {
    const authorization = await source.identify(request);
    return authorization && (await callerOf(authorization, source, furtherRights));
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
};

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Checks what the request takes for granted about its caller.
 *
 * @throws ApiError when it is mistaken.
 */
export const checkAssertions = ({ assert, assertuser }: MainParams, caller: Caller | undefined, site: Site): void => {
  if (assert === 'anon' && caller) throw new ApiError('assertanonfailed', message('apierror-assertanonfailed'));
  if (assert === 'user' && !caller) throw new ApiError('assertuserfailed', message('apierror-assertuserfailed'));
  if (assert === 'bot' && !caller?.rights.includes('bot')) {
    throw new ApiError('assertbotfailed', message('apierror-assertbotfailed'));
  }
  if (assertuser === undefined) return;
  // What the request says has been brought into the one form of a name; what the host calls its user need not have it.
  if (!caller || (canonicalUserName(caller.name, site) ?? caller.name) !== assertuser) {
    throw new ApiError('assertnameduserfailed', message('apierror-assertnameduserfailed', { plaintext: assertuser }));
  }
};
