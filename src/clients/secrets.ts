import { randomBytes } from 'node:crypto';
import { sha256 } from '../core/base/secrets.js';
import type { ClientRegistration, ClientSecret } from '../core/oauth/clients/client.js';
import { hashSecret } from '../core/oauth/clients/slow-hash.js';

type Secrets = NonNullable<ClientRegistration['client_secret']>;

/** A secret of 256 random bits, and the hash the server stores. */
export const newSecret = (): { readonly text: string; readonly hash: ClientSecret } => {
  const text = randomBytes(32).toString('base64url');
  return { text, hash: { sha256: sha256(text) } };
};

const listOf = (secrets: Secrets): readonly (string | ClientSecret)[] =>
  // A single secret or a list; `Array.isArray` does not narrow readonly arrays.
  Array.isArray(secrets) ? (secrets as readonly (string | ClientSecret)[]) : [secrets as string | ClientSecret];

const hashed = (secret: string | ClientSecret): ClientSecret => {
  const { value, expiresAt, ...hash } =
    typeof secret === 'string' ? { value: secret } : { expiresAt: undefined, ...secret };
  return {
    ...(value === undefined ? hash : { scrypt: hashSecret(value) }),
    // JSON cannot represent Infinity, which is the meaning of an absent field.
    ...(expiresAt !== undefined && Number.isFinite(expiresAt) && { expiresAt }),
  };
};

/** The same secrets, with plain text replaced by hashes. */
export const hashedSecrets = (secrets: Secrets): readonly ClientSecret[] => listOf(secrets).map(hashed);

/** The older secrets that remain valid after a rotation. */
export const rotatedSecrets = (secrets: Secrets, now: number, until: number): readonly ClientSecret[] =>
  hashedSecrets(secrets)
    .map((secret) => ({ ...secret, expiresAt: Math.min(secret.expiresAt ?? Infinity, until) }))
    .filter(({ expiresAt }) => now < expiresAt);
