import { defined } from '../../base/defined.js';
import { OAuthError } from '../../base/errors.js';
import { PageError } from '../../base/pages/page-error.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import { reportSent } from '../kernel/refusal.js';
import type { RequestScope } from '../kernel/request-scope.js';
import { type AuthorizationRequest, type AuthorizationRequests, RedirectError } from './authorization-request.js';

/** A request that a client hands over itself, before it sends a browser. */
interface HandedOver {
  readonly form: Parameters;
  readonly client: Client;
  /** The thumbprint of the key that it proves. */
  readonly jkt: string | undefined;
}

/** An error that a browser would see, for the client itself (RFC 9126 §2.3). */
const sentToClient = (error: unknown, { client_id }: Client, scope: RequestScope): unknown => {
  if (error instanceof RedirectError) return new OAuthError(error.code, error.message);
  if (!(error instanceof PageError)) return error;
  reportSent(error, 'invalid_request', client_id, scope);
  return new OAuthError(
    'invalid_request',
    error.code === 'unregistered_redirect_uri'
      ? 'The client has not registered this redirect_uri.'
      : 'The parameter redirect_uri is missing.',
  );
};

/** The code of the request is bound to the key that was proved, as to one that `dpop_jkt` names (RFC 9449 §10.1). */
const boundTo = (request: AuthorizationRequest, jkt: string | undefined): AuthorizationRequest => {
  if (jkt === undefined) return request;
  const named = request.kept?.['dpop_jkt'];
  if (named !== undefined && named !== jkt)
    throw new OAuthError('invalid_dpop_proof', 'The dpop_jkt is not the key of the DPoP proof.');
  return { ...request, kept: { ...request.kept, dpop_jkt: jkt } };
};

/**
 * Validates a request as the authorization endpoint does, for a client that hands it over.
 *
 * @param pushedUntil - Milliseconds since the epoch.
 * @returns what the authorization endpoint takes up when the browser comes.
 * @throws OAuthError, for the client.
 */
export const handOver = async (
  { form, client, jkt }: HandedOver,
  pushedUntil: number,
  scope: RequestScope,
  requests: AuthorizationRequests,
): Promise<AuthorizationRequest> => {
  try {
    const { request } = await requests.read(form, scope, client);
    return { ...boundTo(request, jkt), pushedUntil, ...defined({ ui_locales: form.get('ui_locales') }) };
  } catch (error) {
    throw sentToClient(error, client, scope);
  }
};
