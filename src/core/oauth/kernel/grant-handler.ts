import type { HttpRequest } from '../../base/http/messages.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import type { TokenResponse } from '../tokens/token-response.js';
import type { OAuthContext } from './context.js';

/** A token request whose client is known and may use the grant. */
export interface TokenRequest {
  readonly request: HttpRequest;
  readonly form: Parameters;
  readonly client: Client;
  readonly context: OAuthContext;
  /** The thumbprint of the key that the request proves: its access token is bound to it. */
  readonly jkt: string | undefined;
}

/** What was issued, and to whom: the subject only goes to the event. */
export interface Issued {
  readonly response: TokenResponse;
  readonly sub: string;
  readonly grant_id?: string;
  /** What is left to do once the answer has left the process. */
  readonly onSent?: (() => Promise<void>) | undefined;
}

/** One `grant_type` of the token endpoint. */
export type GrantHandler = (request: TokenRequest) => Promise<Issued>;
