/**
 * What a valid access token says, in the words of an introspection response. The guard puts it on the request.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662#section-2.2 | RFC 7662 §2.2}
 */
export interface Authorization {
  /** The resource owner, or `client:<client_id>` for a token that a client got on its own behalf. */
  readonly sub: string;
  /** The resource owner's user name; absent for a client's own token. */
  readonly username?: string;
  /** The client that the token was issued to. */
  readonly client_id: string;
  /** Space-separated. */
  readonly scope: string;
  /** Whom the token is for: the resource that was asked for (RFC 8707), else the issuer. */
  readonly aud: string | readonly string[];
  /** The issuer: the authorization server that gave the token out. */
  readonly iss: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** How the token is presented (RFC 6750). */
  readonly token_type: 'Bearer';
}
