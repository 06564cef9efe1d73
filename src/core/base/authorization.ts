import type { Actor } from './actor.js';

/**
 * The contents of a valid access token, with the names of an introspection response. The guard puts it on the request.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662#section-2.2 | RFC 7662 §2.2}
 */
export interface Authorization {
  /** The resource owner, or `client:<client_id>` for a client's own token. */
  readonly sub: string;
  /** The resource owner's user name; absent for a client's own token. */
  readonly username?: string;
  /** The client the token was issued to. */
  readonly client_id: string;
  /** Space-separated. */
  readonly scope: string;
  /** The audience: the requested resource (RFC 8707), or the issuer. */
  readonly aud: string | readonly string[];
  /** The issuer: the authorization server that issued the token. */
  readonly iss: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch: when the owner signed in, if the authorization server keeps it and knows it (RFC 9470 §6.2). */
  readonly auth_time?: number;
  /** How the owner signed in: the authentication context class, if the authorization server keeps it and knows it. */
  readonly acr?: string;
  /** How the token is used: alone (RFC 6750), or with a proof of the key that it is bound to (RFC 9449). */
  readonly token_type: 'Bearer' | 'DPoP';
  /** The key that the token is bound to; absent for a bearer token. */
  readonly cnf?: {
    /** The SHA-256 thumbprint of the public key (RFC 7638). */
    readonly jkt: string;
  };
  /** Who acts for the owner, if the token was exchanged (RFC 8693 §4.1). Only the outermost one is for decisions; those inside are history. */
  readonly act?: Actor;
  /** What the application and its features put into the token; absent if the server adds nothing to its tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An authorization whose claims are known: then they are always there. */
export type AuthorizationWith<C extends object> = [keyof C] extends [never]
  ? Authorization
  : string extends keyof C
    ? Authorization
    : Omit<Authorization, 'claims'> & {
        /** What the application and its features put into the token. */
        readonly claims: C;
      };

/** Whether another server states the audience as a string, or an array of strings. */
export const isAudience = (aud: unknown): aud is Authorization['aud'] =>
  typeof aud === 'string' || (Array.isArray(aud) && aud.every((resource) => typeof resource === 'string'));

/** When and how the owner signed in, as another server states it. */
export const signInOf = ({
  auth_time,
  acr,
}: Readonly<Record<string, unknown>>): Pick<Authorization, 'auth_time' | 'acr'> => ({
  ...(typeof auth_time === 'number' && { auth_time }),
  ...(typeof acr === 'string' && { acr }),
});

/** How a token with this `cnf` is used; `undefined` for a confirmation that is not supported, with which it must not be accepted. */
export const usageOf = (cnf: unknown): Pick<Authorization, 'token_type' | 'cnf'> | undefined => {
  if (cnf === undefined) return { token_type: 'Bearer' };
  if (typeof cnf !== 'object' || cnf === null || Object.keys(cnf).length !== 1 || !('jkt' in cnf)) return undefined;
  const { jkt } = cnf;
  return typeof jkt === 'string' ? { token_type: 'DPoP', cnf: { jkt } } : undefined;
};

/** Names that a token, a signed one or an introspection response already has, or that a standard defines about the protocol. */
export const RESERVED_CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'client_id',
  'client_generation',
  'scope',
  'username',
  'active',
  'token_type',
  'cnf',
  'act',
  'derived_from',
  'auth_time',
  'acr',
  'amr',
  'azp',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'events',
  'authorization_details',
] as const;

/** A name that no claim may have. */
export type ReservedClaim = (typeof RESERVED_CLAIMS)[number];

const RESERVED: ReadonlySet<string> = new Set(RESERVED_CLAIMS);

/** The claims among the members of a token or an introspection response: those that the protocol does not define. */
export const claimsIn = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined => {
  let claims: Record<string, unknown> | undefined;
  for (const name in members) {
    if (!RESERVED.has(name) && Object.hasOwn(members, name)) (claims ??= {})[name] = members[name];
  }
  return claims;
};
