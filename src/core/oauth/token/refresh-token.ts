import { OAuthError } from '../../base/errors.js';
import { isSubset, parseScope } from '../../base/scope.js';
import { checkAwaited } from '../../base/waiting.js';
import type { Client } from '../clients/client.js';
import type { GrantHandler, TokenRequest } from '../kernel/grant-handler.js';
import type { EndAsReplay } from '../kernel/replay.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import { isStillAllowed, otherKey, scopeStillAllowed, type StillAllowedServices } from '../kernel/still-allowed.js';
import type { Issuance } from '../tokens/grant.js';
import {
  invalidRefreshToken,
  type PresentedToken,
  type Refresh,
  type Refreshed,
  type Reuse,
} from '../tokens/refresh-tokens.js';
import type { TokenResponse } from '../tokens/token-response.js';

interface RefreshServices extends StillAllowedServices {
  readonly requested: RequestedAccess;
  readonly tokens: { issue(issue: Issuance): Promise<TokenResponse> };
  readonly refreshTokens: {
    find(token: string): Promise<PresentedToken | undefined>;
    rotate(presented: PresentedToken, refresh: Refresh): Promise<Refreshed | Reuse>;
    noteUse(presented: PresentedToken): Promise<void>;
  };
  readonly endAsReplay: EndAsReplay;
}

/**
 * Refreshes an access token, in the same or a narrower scope.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-6 | RFC 6749 §6}
 */
export const refreshToken =
  (services: RefreshServices): GrantHandler =>
  async (request) => {
    const { form, client } = request;
    const { refreshTokens, endAsReplay } = services;
    const token = form.get('refresh_token');
    if (token === undefined) throw new OAuthError('invalid_request', 'The parameter refresh_token is missing.');
    const presented = await refreshTokens.find(token);
    if (presented === undefined || presented.grant.client_id !== client.client_id) throw invalidRefreshToken();
    const { grant, chain } = presented;
    // First of all, so that whoever has no key can destroy nothing with an old token.
    if (client.public && chain.jkt !== undefined && chain.jkt !== request.jkt) throw otherKey();
    const allowed = isStillAllowed(grant, client, services);
    if (!(allowed instanceof Promise ? await allowed : allowed)) throw invalidRefreshToken();
    const refresh = readRefresh(request, presented, services);
    checkAwaited(request.request);
    const refreshed = await answer(presented, refresh, request.client, services);
    if (refreshed === 'replay') {
      await endAsReplay('refresh_token', grant, request);
      throw invalidRefreshToken();
    }
    if (refreshed === 'other')
      throw new OAuthError(
        'invalid_grant',
        'The refresh token was just used for another scope, resource or key. Use the one of that response, or repeat that request.',
      );
    const { response, onSent } = refreshed;
    return { response, sub: grant.sub, grant_id: grant.id, onSent };
  };

const answer = (
  presented: PresentedToken,
  refresh: Refresh,
  client: Client,
  { tokens, refreshTokens }: RefreshServices,
): Promise<Refreshed | Reuse> =>
  client.refresh === 'reusable' && presented.place === 'current' && !needsKey(presented, client)
    ? tokens.issue(refresh.issue).then((response) => ({ response, onSent: () => refreshTokens.noteUse(presented) }))
    : refreshTokens.rotate(presented, refresh);

/** A public client may keep its refresh token only once it is bound to a key. */
const needsKey = ({ chain }: PresentedToken, client: Client): boolean => client.public && chain.jkt === undefined;

/** The requested scopes and resources in the order of the grant, so that the same request always gets the same tokens. */
const readRefresh = (
  { form, client, jkt }: TokenRequest,
  { grant }: PresentedToken,
  { requested }: RefreshServices,
): Refresh => {
  const granted = parseScope(grant.scope) ?? [];
  const text = form.get('scope');
  const named = text === undefined ? granted : parseScope(text);
  if (named === undefined || !isSubset(named, granted)) {
    throw new OAuthError('invalid_scope', 'The scope is wider than what was granted.');
  }
  const asked = named === granted ? granted : granted.filter((scope) => named.includes(scope));
  const resources = requested.narrowed(form, grant.aud);
  const aud = grant.aud.filter((resource) => resources.includes(resource));
  const isWhole = asked.length === granted.length && aud.length === grant.aud.length;
  const scope = scopeStillAllowed(asked, client);
  return {
    issue: { client, grant, scope, aud, jkt, grant_type: 'refresh_token' },
    // Without scopes removed by a changed registration: a client that repeats its request is not an attacker.
    request: isWhole && jkt === undefined ? '' : JSON.stringify(jkt === undefined ? [asked, aud] : [asked, aud, jkt]),
  };
};
