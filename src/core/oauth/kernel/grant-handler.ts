import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import type { TokenResponse } from '../tokens/token-response.js';
import type { RequestScope } from './request-scope.js';

/** A token request whose client is known and may use the grant. */
export interface TokenRequest extends RequestScope {
  readonly form: Parameters;
  readonly client: Client;
  /** The thumbprint of the key that the request proves: its access token is bound to it. */
  readonly jkt: string | undefined;
}

/** What was issued, and to whom: the subject only goes to the event. */
export interface Issued {
  readonly response: TokenResponse;
  readonly sub: string;
  readonly grant_id?: string;
  /** The server that vouched for the owner. */
  readonly issuer?: string | undefined;
  /** The clients that act for the owner, the outermost first. */
  readonly actors?: readonly string[];
  /** Whether the client of the request acts for the owner, and the token does not say so. */
  readonly impersonated?: boolean;
  /** What is left to do once the answer has left the process. */
  readonly onSent?: (() => Promise<void>) | undefined;
}

/** One `grant_type` of the token endpoint. */
export type GrantHandler = (request: TokenRequest) => Promise<Issued>;
