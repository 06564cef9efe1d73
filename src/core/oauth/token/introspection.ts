import { findResource } from '../../base/addresses/resource.js';
import type { Authorization } from '../../base/authorization.js';
import { BearerError, OAuthError } from '../../base/errors.js';
import { presentedToken, type PresentedToken } from '../../base/http/bearer.js';
import { json } from '../../base/http/responses.js';
import type { Clock } from '../../base/ports.js';
import { proofOf } from '../../base/possession.js';
import { INTROSPECT, parseScope } from '../../base/scope.js';
import type { ClientFinder } from '../clients/client-finder.js';
import type { Client } from '../clients/client.js';
import { type Parameters, checkedForm, type ReadForm } from '../facts/parameters.js';
import type { ProofServices } from '../kernel/bound-tokens.js';
import { type AuthenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import { admitPresented } from '../kernel/presented-token.js';
import type { RequestScope } from '../kernel/request-scope.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { TokenClaims } from '../records/stored-records.js';
import type { LiveToken } from '../tokens/grant.js';
import { audienceOf } from '../tokens/token-authorization.js';

const INTROSPECTION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

/** The response has no other members, whatever the reason (RFC 7662 §2.2). */
const INACTIVE = { active: false } as const;

/** The caller, and what it may see. */
interface Caller {
  readonly client_id: string;
  readonly seesAll: boolean;
  /** The resources of the caller, if they limit what it sees. */
  readonly audience: readonly string[] | undefined;
  /** Absent for the holder of an access token. */
  readonly client?: Client;
}

interface IntrospectionServices extends ProofServices {
  readonly readForm: ReadForm;
  readonly authenticate: AuthenticateClient;
  readonly clients: ClientFinder;
  readonly tokens: { find(token: string): Promise<LiveToken | undefined> };
  /** What features check of a token that would pass. */
  readonly checkToken: ((authorization: Authorization) => Promise<void>) | undefined;
  readonly refreshTokens: { findLive(token: string): Promise<TokenClaims | undefined> };
  readonly clock: Clock;
  readonly warnings: { cannotIntrospect(client_id: string): void };
  readonly hooks: Pick<OAuthHooks, 'introspected'>;
}

/**
 * Returns the state and the contents of a token to a resource server.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 | RFC 7662}
 */
export const introspection =
  (services: IntrospectionServices): Answer =>
  async (scope) => {
    const { readForm, hooks } = services;
    const form = checkedForm(await readForm(scope.request, INTROSPECTION_PARAMETERS));
    const caller = await callerFor(scope, form, services);
    const token = form.get('token');
    if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
    const members = await membersFor(caller, token, services.issuer(scope.request), services);
    const { client } = caller;
    const other = client && (await hooks.introspected?.({ ...scope, client, members }));
    return other ?? json(200, members);
  };

/** The members of a response. */
const membersFor = async (
  caller: Caller,
  token: string,
  iss: string,
  { tokens, refreshTokens, warnings }: IntrospectionServices,
): Promise<object> => {
  const access = await tokens.find(token);
  if (access !== undefined) {
    if (maySee(caller, access, iss)) return describe(access, iss, access.jkt === undefined ? 'Bearer' : 'DPoP');
    if (!caller.seesAll) warnings.cannotIntrospect(caller.client_id);
    return INACTIVE;
  }
  // A resource server should never receive such a token.
  const refresh = await refreshTokens.findLive(token);
  const isShown = refresh?.client_id === caller.client_id && maySee(caller, refresh, iss);
  return isShown ? describe(refresh, iss) : INACTIVE;
};

/** Who asks: a client with its credentials, or the holder of an access token. */
const callerFor = async (scope: RequestScope, form: Parameters, services: IntrospectionServices): Promise<Caller> => {
  const { request } = scope;
  const presented = presentedToken(request, services.proofs !== undefined);
  if (presented !== undefined) return callerOfToken(presented, scope, form, services);
  const named = request.header('authorization') ?? form.get('client_id') ?? form.get('client_assertion');
  if (named === undefined)
    throw new BearerError(undefined, 'Introspection requires the credentials of a client, or an access token.');
  const client = await services.authenticate(scope, form);
  if (client.public) throw new OAuthError('invalid_client', 'A public client may not introspect.');
  return { client_id: client.client_id, seesAll: client.introspect, audience: client.audience, client };
};

const callerOfToken = async (
  presented: PresentedToken,
  { request, emit }: RequestScope,
  form: Parameters,
  { issuer, proofs, checkToken, clients, tokens, clock }: IntrospectionServices,
): Promise<Caller> => {
  if (form.get('client_secret') !== undefined || form.get('client_assertion') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  const iss = issuer(request);
  const requirement = { scopes: [], audience: [iss], act: 'refuse' } as const;
  const withProof = proofOf(request, presented, requirement, proofs);
  const { authorization } = await admitPresented(withProof, requirement, iss, {
    tokens,
    proofs,
    checkToken,
    clock,
    emit,
  });
  const client = await clients.find(authorization.client_id);
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
  const { client_id, username, scope, sub, exp, iat, auth_time, acr, jkt, act, claims } = record;
  const members = {
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
    act,
  };
  return claims === undefined ? members : Object.assign({}, claims, members);
};
