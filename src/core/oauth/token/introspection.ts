import { findResource } from '../../base/addresses/resource.js';
import { BearerError, OAuthError } from '../../base/errors.js';
import { presentedToken, type PresentedToken } from '../../base/http/bearer.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { json } from '../../base/http/responses.js';
import type { MaybePromise } from '../../base/ports.js';
import { proofOf } from '../../base/possession.js';
import { INTROSPECT, parseScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import { type Parameters, checkedForm, readForm } from '../facts/parameters.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { OAuthContext } from '../kernel/context.js';
import { admitPresented } from '../kernel/presented-token.js';
import type { TokenClaims } from '../records/stored-records.js';
import { audienceOf } from '../tokens/token-authorization.js';

export const INTROSPECTION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

/** The response has no other members, whatever the reason (RFC 7662 §2.2). */
const INACTIVE = { active: false } as const;

/** The caller, and what it may see. */
interface Caller {
  readonly client_id: string;
  readonly seesAll: boolean;
  /** The resources of the caller, if they limit what it sees. */
  readonly audience: readonly string[] | undefined;
}

/**
 * Returns the state and the contents of a token to a resource server.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 | RFC 7662}
 */
export const introspection = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = checkedForm(await readForm(request, INTROSPECTION_PARAMETERS, context));
  const found = callerOf(request, form, context);
  const caller = found instanceof Promise ? await found : found;
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  const iss = context.issuer(request);
  const access = await context.tokens.find(token);
  if (access !== undefined) {
    if (maySee(caller, access, iss))
      return json(200, describe(access, iss, access.jkt === undefined ? 'Bearer' : 'DPoP'));
    if (!caller.seesAll) context.warnings.cannotIntrospect(caller.client_id);
    return json(200, INACTIVE);
  }
  // A resource server should never receive such a token.
  const refresh = await context.refreshTokens.findLive(token);
  const isShown = refresh?.client_id === caller.client_id && maySee(caller, refresh, iss);
  return json(200, isShown ? describe(refresh, iss) : INACTIVE);
};

const callerOf = (request: HttpRequest, form: Parameters, context: OAuthContext): MaybePromise<Caller> => {
  const presented = presentedToken(request, context.proofs !== undefined);
  if (presented !== undefined) return callerOfToken(presented, request, form, context);
  const named = request.header('authorization') ?? form.get('client_id') ?? form.get('client_assertion');
  if (named === undefined)
    throw new BearerError(undefined, 'Introspection requires the credentials of a client, or an access token.');
  const client = authenticateClient(request, form, context);
  return client instanceof Promise ? client.then(callerOfClient) : callerOfClient(client);
};

const callerOfClient = (client: Client): Caller => {
  if (client.public) throw new OAuthError('invalid_client', 'A public client may not introspect.');
  return { client_id: client.client_id, seesAll: client.introspect, audience: client.audience };
};

const callerOfToken = async (
  presented: PresentedToken,
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): Promise<Caller> => {
  if (form.get('client_secret') !== undefined || form.get('client_assertion') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  const iss = context.issuer(request);
  const requirement = { scopes: [], audience: [iss] };
  const withProof = proofOf(request, presented, requirement, context.proofs);
  const { authorization } = await admitPresented(withProof, requirement, iss, context);
  const client = await context.config.clients.find(authorization.client_id);
  if (client === undefined) throw new BearerError('invalid_token', 'The client of the access token is not known.');
  const seesAll = (parseScope(authorization.scope) ?? []).includes(INTROSPECT);
  // Many users hold tokens of a public client, and these must not reveal the tokens of others.
  if (client.public && !seesAll)
    throw new BearerError('insufficient_scope', 'The access token may not introspect.', INTROSPECT);
  return { client_id: client.client_id, seesAll, audience: client.audience };
};

const maySee = (caller: Caller, record: TokenClaims, iss: string): boolean => {
  if (!caller.seesAll && record.client_id !== caller.client_id) return false;
  if (caller.audience === undefined) return true;
  const aud = record.aud.length === 0 ? [iss] : record.aud;
  return caller.audience.some((resource) => findResource(aud, resource) !== undefined);
};

/** JSON omits the members that are undefined. Only access tokens have a type. */
const describe = (record: TokenClaims, iss: string, token_type?: 'Bearer' | 'DPoP'): object => {
  const { client_id, username, scope, sub, exp, iat, auth_time, acr, jkt } = record;
  return {
    active: true,
    sub,
    username: username ?? undefined,
    client_id,
    scope,
    aud: audienceOf(record, iss),
    iss,
    exp,
    iat,
    token_type,
    auth_time,
    acr,
    cnf: jkt === undefined ? undefined : { jkt },
  };
};
