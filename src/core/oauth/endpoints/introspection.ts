import { BearerError, OAuthError } from '../../errors.js';
import type { HttpRequest, HttpResponse } from '../../http.js';
import { json } from '../../responses.js';
import { admit, bearerTokenOf, ownAuthorization } from '../bearer.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../client-authentication.js';
import type { OAuthContext } from '../context.js';
import { type Parameters, readCheckedForm } from '../parameters.js';
import type { TokenRecord } from '../records.js';
import { parseScope } from '../scope.js';
import { audienceOf, authorizationOf } from '../token-authorization.js';

export const INTROSPECTION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

/** Nothing stands next to it, whatever the reason (RFC 7662 §2.2). */
const INACTIVE = { active: false } as const;

/** Who asks, and what they may see. */
interface Caller {
  readonly client_id: string;
  readonly seesAll: boolean;
  /** The resources that the caller serves, if that limits what it sees. */
  readonly audience: readonly string[] | undefined;
}

/**
 * Tells a resource server what a token stands for.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662 | RFC 7662}
 */
export const introspection = async (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => {
  const form = await readCheckedForm(request, INTROSPECTION_PARAMETERS, context.config.limits);
  const caller = await callerOf(request, form, context);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
  const record = await context.tokens.find(token);
  const iss = context.issuer(request);
  if (record === undefined || !maySee(caller, record, iss)) return json(200, INACTIVE);
  return json(200, describe(record, iss));
};

const callerOf = async (request: HttpRequest, form: Parameters, context: OAuthContext): Promise<Caller> => {
  const bearer = bearerTokenOf(request);
  if (bearer !== undefined) return callerOfBearer(bearer, request, form, context);
  const named = request.header('authorization') ?? form.get('client_id') ?? form.get('client_assertion');
  if (named === undefined) throw new BearerError(undefined);
  const client = await authenticateClient(request, form, context);
  if (client.public) throw new OAuthError('invalid_client', 'A public client may not introspect.');
  return { client_id: client.client_id, seesAll: client.introspect, audience: client.audience };
};

const callerOfBearer = async (
  bearer: string,
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): Promise<Caller> => {
  if (form.get('client_secret') !== undefined || form.get('client_assertion') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  const iss = context.issuer(request);
  const authorization = admit(ownAuthorization(await context.tokens.find(bearer), iss), {
    scopes: [],
    audience: [iss],
  });
  const client = await context.config.clients.find(authorization.client_id);
  const scopes = parseScope(authorization.scope) ?? [];
  return {
    client_id: authorization.client_id,
    seesAll: scopes.includes(context.config.introspectionScope),
    audience: client?.audience,
  };
};

const maySee = (caller: Caller, record: TokenRecord, iss: string): boolean => {
  if (!caller.seesAll && record.client_id !== caller.client_id) return false;
  if (caller.audience === undefined) return true;
  const aud = record.aud.length === 0 ? [iss] : record.aud;
  return caller.audience.some((resource) => aud.includes(resource));
};

const describe = (record: TokenRecord, iss: string): object => {
  if (record.kind === 'access') return { active: true, ...authorizationOf(record, iss) };
  const { client_id, username, scope, sub, exp, iat } = record;
  return {
    active: true,
    sub,
    ...(username === null ? {} : { username }),
    client_id,
    scope,
    aud: audienceOf(record, iss),
    iss,
    exp,
    iat,
  };
};
