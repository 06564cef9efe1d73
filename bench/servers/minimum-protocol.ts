import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';
import { CLIENTS, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE } from './setting.js';

/**
 * What the protocol costs whatever one does: split the form, decode Basic, one constant-time compare of SHA-256, 32
 * random bytes from a pool for each token, one SHA-256 for each token that is made or shown, Maps, one JSON string. No
 * rule of the protocol beyond that, no replay detection, no expiry of its Maps: nobody should use this as a server.
 */
export interface MinimumAnswer {
  readonly status: number;
  readonly body: string;
}

interface TokenRecord {
  readonly client_id: string;
  readonly sub: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
}

interface CodeRecord {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly challenge: string;
}

const secrets = new Map(CLIENTS.map((client) => [client.client_id, hash('sha256', client.client_secret, 'buffer')]));
const codes = new Map<string, CodeRecord>();
const accessTokens = new Map<string, TokenRecord>();
const refreshTokens = new Map<string, TokenRecord>();

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

const keyOf = (token: string): string => hash('sha256', token, 'base64url');
const refused = (error: string): MinimumAnswer => ({ status: 400, body: JSON.stringify({ error }) });
const now = (): number => Math.floor(Date.now() / 1000);

function fieldsOf(form: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const field of form.split('&')) {
    const equals = field.indexOf('=');
    fields.set(
      decodeURIComponent(field.slice(0, equals)),
      decodeURIComponent(field.slice(equals + 1).replaceAll('+', ' ')),
    );
  }
  return fields;
}

function clientOf(authorization: string | undefined): string | undefined {
  const credentials = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const colon = credentials.indexOf(':');
  const client_id = credentials.slice(0, colon);
  const known = secrets.get(client_id);
  return known !== undefined && timingSafeEqual(hash('sha256', credentials.slice(colon + 1), 'buffer'), known)
    ? client_id
    : undefined;
}

function issue(client_id: string, sub: string, scope: string, withRefresh: boolean): MinimumAnswer {
  const access_token = randomToken();
  const iat = now();
  accessTokens.set(keyOf(access_token), { client_id, sub, scope, iat, exp: iat + LIFETIMES.access });
  const answer = { access_token, token_type: 'Bearer', expires_in: LIFETIMES.access, scope };
  if (!withRefresh) return { status: 200, body: JSON.stringify(answer) };
  const refresh_token = randomToken();
  refreshTokens.set(keyOf(refresh_token), { client_id, sub, scope, iat, exp: iat + LIFETIMES.refresh });
  return { status: 200, body: JSON.stringify({ ...answer, refresh_token }) };
}

function redeem(client_id: string, form: ReadonlyMap<string, string>): MinimumAnswer {
  const key = keyOf(form.get('code') ?? '');
  const code = codes.get(key);
  if (code === undefined || code.client_id !== client_id || code.redirect_uri !== form.get('redirect_uri')) {
    return refused('invalid_grant');
  }
  const challenge = Buffer.from(hash('sha256', form.get('code_verifier') ?? '', 'base64url'));
  if (!timingSafeEqual(challenge, Buffer.from(code.challenge))) return refused('invalid_grant');
  codes.delete(key);
  return issue(client_id, OWNER, SCOPE, true);
}

function refresh(client_id: string, form: ReadonlyMap<string, string>): MinimumAnswer {
  const key = keyOf(form.get('refresh_token') ?? '');
  const token = refreshTokens.get(key);
  if (token === undefined || token.client_id !== client_id || token.exp <= now()) return refused('invalid_grant');
  refreshTokens.delete(key);
  return issue(client_id, token.sub, token.scope, true);
}

function introspect(token: string): MinimumAnswer {
  const record = accessTokens.get(keyOf(token));
  const live = record !== undefined && record.exp > now();
  const body = live
    ? { active: true, ...record, token_type: 'Bearer', aud: 'http://127.0.0.1', iss: 'http://127.0.0.1' }
    : { active: false };
  return { status: 200, body: JSON.stringify(body) };
}

/** Answers a POST to the token or the introspection endpoint. */
export function post(path: string, authorization: string | undefined, body: string): MinimumAnswer {
  const form = fieldsOf(body);
  const client_id = clientOf(authorization);
  if (client_id === undefined) return { status: 401, body: '{"error":"invalid_client"}' };
  if (path === PATHS.introspect) return introspect(form.get('token') ?? '');
  switch (form.get('grant_type') ?? '') {
    case 'client_credentials':
      return issue(client_id, `client:${client_id}`, form.get('scope') ?? '', false);
    case 'authorization_code':
      return redeem(client_id, form);
    case 'refresh_token':
      return refresh(client_id, form);
    default:
      return refused('unsupported_grant_type');
  }
}

/** Where an authorization request is sent back to, with a code: its owner has always agreed. */
export function authorize(url: string): string {
  const query = new URL(url, 'http://127.0.0.1').searchParams;
  const code = randomToken();
  codes.set(keyOf(code), {
    client_id: query.get('client_id') ?? '',
    redirect_uri: query.get('redirect_uri') ?? '',
    challenge: query.get('code_challenge') ?? '',
  });
  return `${REDIRECT_URI}?code=${code}`;
}

/** Whether a request brings a live token of the scope that the guarded route wants. */
export function isAllowed(authorization: string | undefined): boolean {
  if (authorization?.startsWith('Bearer ') !== true) return false;
  const record = accessTokens.get(keyOf(authorization.slice('Bearer '.length)));
  return record !== undefined && record.exp > now() && record.scope.split(' ').includes(SCOPE);
}
