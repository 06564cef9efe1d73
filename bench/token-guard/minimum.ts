import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

/**
 * What a client_credentials request costs whatever one does: split the form, decode Basic, one constant-time compare
 * of SHA-256, 32 random bytes from a pool, one SHA-256, one Map write, one JSON string. No rule of the protocol beyond
 * that: nobody should use this as a server.
 */
export const CLIENT_ID = 'service';
export const CLIENT_SECRET = 'service-secret';

const SECRET_HASH = hash('sha256', CLIENT_SECRET, 'buffer');
const tokens = new Map<string, object>();
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomToken(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 32;
  return pool.toString('base64url', used - 32, used);
}

/** The answer's body, or `undefined` for a client or a grant that is not known. */
export function minimumToken(authorization: string | undefined, body: string): string | undefined {
  const form = new Map<string, string>();
  for (const field of body.split('&')) {
    const equals = field.indexOf('=');
    form.set(
      decodeURIComponent(field.slice(0, equals)),
      decodeURIComponent(field.slice(equals + 1).replaceAll('+', ' ')),
    );
  }
  const basic = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const colon = basic.indexOf(':');
  const secret = hash('sha256', basic.slice(colon + 1), 'buffer');
  if (basic.slice(0, colon) !== CLIENT_ID || !timingSafeEqual(secret, SECRET_HASH)) return undefined;
  if (form.get('grant_type') !== 'client_credentials') return undefined;
  const scope = form.get('scope') ?? '';
  const token = randomToken();
  const iat = Math.floor(Date.now() / 1000);
  tokens.set(hash('sha256', token, 'base64url'), { client_id: CLIENT_ID, scope, iat, exp: iat + 3600 });
  return JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600, scope });
}
