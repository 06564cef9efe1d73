import { LIFETIMES, SCOPE } from '../servers/setting.js';
import type { Answer } from './load.js';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string | undefined;
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    // The fields of an object by name; each is checked before use.
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a response has an ID token: three parts with dots. */
export const hasIdToken = ({ body }: Answer): boolean => /"id_token":"[\w-]+\.[\w-]+\.[\w-]+"/.test(body);

/** The tokens in a response of the token endpoint; `undefined` if it has none. */
export function tokensOf(body: string): Tokens | undefined {
  const { access_token, refresh_token } = fieldsOf(body) ?? {};
  if (typeof access_token !== 'string' || access_token === '') return undefined;
  return { access_token, refresh_token: typeof refresh_token === 'string' ? refresh_token : undefined };
}

/**
 * What is wrong with a response of the token endpoint, which must be successful (RFC 6749 §5.1).
 *
 * @param withRefresh - Whether it must have a refresh token.
 * @param wantedScope - The scope that was asked for.
 */
export function tokenProblem(
  { status, body }: Answer,
  withRefresh: boolean,
  wantedScope: string = SCOPE,
): string | undefined {
  const received = `status ${status}: ${body.slice(0, 200)}`;
  if (status !== 200) return received;
  const fields = fieldsOf(body) ?? {};
  const tokens = tokensOf(body);
  // 32 random bytes in base64url are 43 characters; 20 bytes in hexadecimal, as in one peer, are 40.
  if (tokens === undefined || tokens.access_token.length < 40) return `no sufficiently long token, ${received}`;
  if (withRefresh && tokens.refresh_token === undefined) return `no refresh token, ${received}`;
  const { token_type, expires_in, scope } = fields;
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer') return `no token_type, ${received}`;
  // Some candidates round the remaining time down.
  if (expires_in !== LIFETIMES.access && expires_in !== LIFETIMES.access - 1) return `a wrong expires_in, ${received}`;
  return scope === wantedScope ? undefined : `a wrong scope, ${received}`;
}
