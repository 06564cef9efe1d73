import { OAuthError } from '../../base/errors.js';
import { json } from '../../base/http/responses.js';
import type { ClientFinder } from '../clients/client-finder.js';
import type { Client } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import { checkedForm, type ReadForm } from '../facts/parameters.js';
import { type AuthenticateClient, CLIENT_PARAMETERS } from '../kernel/client-authentication.js';
import type { Answer } from '../kernel/server-endpoint.js';
import type { KnownGrant, LiveToken, RevocationReason } from '../tokens/grant.js';
import type { PresentedToken } from '../tokens/refresh-tokens.js';

const REVOCATION_PARAMETERS = { token: 'vschar', token_type_hint: 'vschar', ...CLIENT_PARAMETERS } as const;

interface RevocationServices {
  readonly readForm: ReadForm;
  readonly authenticate: AuthenticateClient;
  readonly clients: ClientFinder;
  readonly refreshTokens: { find(token: string): Promise<PresentedToken | undefined> };
  readonly tokens: {
    now(): number;
    find(token: string): Promise<LiveToken | undefined>;
    revokeToken(token: string, live: LiveToken, emit: Emit | undefined): Promise<void>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
}

const notYours = (): OAuthError => new OAuthError('invalid_grant', 'The token was issued to another client.');

/**
 * Revokes a token. A refresh token is revoked with its whole grant, an access token alone. The response does not depend on whether the token
 * was known; its body is `{}` because every client library can parse that.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009 | RFC 7009}
 */
export const revocation =
  (services: RevocationServices): Answer =>
  async (scope) => {
    const { readForm, authenticate } = services;
    const form = checkedForm(await readForm(scope.request, REVOCATION_PARAMETERS));
    const client = await authenticate(scope, form);
    const token = form.get('token');
    if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.');
    await revoke(token, client, scope.emit, services);
    return json(200, {});
  };

const revoke = async (
  token: string,
  { client_id }: Client,
  emit: Emit | undefined,
  { tokens, refreshTokens, clients }: RevocationServices,
): Promise<void> => {
  const refresh = await refreshTokens.find(token);
  if (refresh !== undefined) {
    // A rotated token also revokes the grant: its holder lost the response with the newer one.
    const { grant, place, exp } = refresh;
    if (tokens.now() >= exp) return;
    if (grant.client_id === client_id) await tokens.revokeGrant(grant, { reason: 'revocation' }, emit);
    else if (place === 'current' && (await clients.find(grant.client_id)) !== undefined) throw notYours();
    return;
  }
  const access = await tokens.find(token);
  if (access === undefined) return;
  if (access.client_id !== client_id) throw notYours();
  await tokens.revokeToken(token, access, emit);
};
