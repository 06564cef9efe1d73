import { formatScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import type { GrantHandler } from '../kernel/grant-handler.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import { CLIENT_SUBJECT } from '../records/owner.js';
import type { TokenResponse } from '../tokens/token-response.js';

interface ClientCredentialsServices {
  readonly requested: RequestedAccess;
  readonly tokens: {
    issueOwn(
      client: Client,
      grant_type: string,
      scope: string,
      aud: readonly string[],
      jkt?: string,
    ): Promise<TokenResponse>;
  };
}

/**
 * Issues a token for the client itself, without a refresh token.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.4 | RFC 6749 §4.4}
 */
export const clientCredentials =
  ({ requested, tokens }: ClientCredentialsServices): GrantHandler =>
  ({ form, client, jkt }) => {
    const scope = formatScope(requested.scope(form, client, 'client_credentials'));
    const issuing = tokens.issueOwn(client, 'client_credentials', scope, requested.resources(form), jkt);
    return issuing.then((response) => ({ response, sub: CLIENT_SUBJECT + client.client_id }));
  };
