import { defined } from '../../base/defined.js';
import { formatScope, parseScope } from '../../base/scope.js';
import type { FoundToken, Granted } from '../../feature/parts.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, generationOf } from '../clients/client.js';
import type { Issued, TokenRequest } from '../kernel/grant-handler.js';
import { isStillAllowed, type StillAllowedServices } from '../kernel/still-allowed.js';
import { MAX_ANCESTORS } from '../records/token-id.js';
import { ancestorOf, ancestorsIn } from '../tokens/ancestors.js';
import type { Derivation, DerivedFrom, Grant, LiveToken } from '../tokens/grant.js';
import type { TokenResponse } from '../tokens/token-response.js';

interface FindServices extends StillAllowedServices {
  readonly clients: ClientFinder;
  readonly tokens: {
    find(token: string): Promise<LiveToken | undefined>;
    findGrant(id: string): Promise<Grant | undefined>;
  };
}

/** What features have found: a token can only be derived from one of these. */
const origins = new WeakMap<FoundToken, DerivedFrom>();

const originOf = (token: string, live: LiveToken, grant: Grant | undefined, client: Client): DerivedFrom => {
  const { jti, from = [], exp } = live;
  const id = jti ?? token;
  // As long as its client may use a grant, it may use the tokens of it.
  const { iat = 0 } = grant !== undefined && from.length === 0 ? grant : live;
  return {
    grant,
    exp,
    ancestors: [...ancestorsIn(id), ancestorOf(id, jti !== undefined)],
    issuedTo: [...from, { client_id: live.client_id, iat, ...generationOf(client) }],
  };
};

/** A token that is live as of this moment, with its grant, its owner and its clients, so that others can be derived from it. */
export const findToken = async (token: string, services: FindServices): Promise<FoundToken | undefined> => {
  const { tokens, clients } = services;
  const live = await tokens.find(token);
  if (live === undefined) return undefined;
  const { client_id, sub, scope, aud, exp, act, jkt, claims, jti } = live;
  const grant = live.grant === null ? undefined : await tokens.findGrant(live.grant);
  const [client, first] = await Promise.all([clients.find(client_id), clients.find(grant?.client_id ?? client_id)]);
  if (client === undefined || first === undefined) return undefined;
  if (live.grant !== null && (grant === undefined || !(await isStillAllowed(grant, first, services)))) return undefined;
  const origin = originOf(token, live, grant, client);
  const found: FoundToken = {
    id: origin.ancestors.at(-1) ?? '', // As an ancestor it is the last.
    client_id,
    sub,
    isOfClient: grant === undefined,
    isSigned: jti !== undefined,
    scope: parseScope(scope) ?? [],
    resources: aud,
    exp,
    ancestors: origin.ancestors.length - 1,
    claims: claims ?? {},
    ...defined({ act, jkt }),
  };
  origins.set(found, origin);
  return found;
};

/** What issues derived tokens. */
export interface DeriveServices {
  readonly tokens: { issueDerived(derivation: Derivation, beforeWrite: () => Promise<void>): Promise<TokenResponse> };
}

/** Issues a token that is derived from another, in its grant. */
export const issueFrom = async (
  from: FoundToken,
  { scope, resources, act, spend }: Granted & { readonly spend: () => Promise<void> },
  grant_type: string,
  { client, jkt }: TokenRequest,
  { tokens }: DeriveServices,
): Promise<Issued> => {
  const origin = origins.get(from);
  if (origin === undefined || origin.ancestors.length > MAX_ANCESTORS)
    throw new TypeError(
      `The grant ${grant_type} must derive a token from one that host.findToken returned, with fewer than ${MAX_ANCESTORS} ancestors.`,
    );
  const asked = { client, grant_type, from: origin, scope: formatScope(scope), aud: resources, act, jkt };
  const response = await tokens.issueDerived(asked, spend);
  return {
    response,
    sub: from.sub,
    ...(origin.grant !== undefined && { grant_id: origin.grant.id }),
    ...(act?.client_id === client.client_id ? { actors: actorsIn(act) } : { impersonated: true }),
  };
};

/** The clients that act, the outermost first. Those of other servers are no clients of this one. */
const actorsIn = (act: Granted['act']): readonly string[] =>
  act === undefined ? [] : [...(act.client_id === undefined ? [] : [act.client_id]), ...actorsIn(act.act)];
