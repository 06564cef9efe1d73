import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** The key of an authorization server as PEM, for guards that cannot fetch it themselves. */
export async function publicKeyOf(issuer: string): Promise<string> {
  const response = await fetch(`${issuer}/oauth/jwks`);
  // RFC 7517 §5; a key that is none is refused by `createPublicKey`.
  const { keys } = (await response.json()) as { keys: JsonWebKey[] };
  const [key] = keys;
  if (key === undefined) throw new Error(`${issuer} publishes no key.`);
  return createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString();
}

/** Whether what a token says in `scope` has this scope, for guards that do not look at it. */
export const hasScope = (claims: unknown, scope: string): boolean =>
  typeof claims === 'object' &&
  claims !== null &&
  'scope' in claims &&
  typeof claims.scope === 'string' &&
  claims.scope.split(' ').includes(scope);
