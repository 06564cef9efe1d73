import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** The public key of an authorization server as PEM, for guards that cannot fetch it. */
export async function publicKeyOf(issuer: string): Promise<string> {
  const response = await fetch(`${issuer}/oauth/jwks`);
  // RFC 7517 §5; `createPublicKey` rejects an invalid key.
  const { keys } = (await response.json()) as { keys: JsonWebKey[] };
  const [key] = keys;
  if (key === undefined) throw new Error(`${issuer} publishes no key.`);
  return createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString();
}

/** Whether the claim `scope` contains this scope, for guards that do not check it. */
export const hasScope = (claims: unknown, scope: string): boolean =>
  typeof claims === 'object' &&
  claims !== null &&
  'scope' in claims &&
  typeof claims.scope === 'string' &&
  claims.scope.split(' ').includes(scope);
