import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';
import { CLIENTS, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE, WEB } from './setting.js';

/**
 * The least with the same guarantees, hand-written for these clients only: secrets compared in constant time, codes and
 * tokens stored as hashes, PKCE (S256), codes that work once, refresh tokens that rotate, and a grant that is revoked with all its
 * tokens when a code or refresh token is used twice. It has Maps that grow, and no store, no limits for guesses, no
 * pages and no options. Not for production.
 */
export interface MinimumAnswer {
  readonly status: number;
  readonly body: string;
}

/** A protocol that a server with the routes of the benchmark serves. */
export interface Protocol {
  /** Answers a POST to the token or the introspection endpoint. */
  readonly post: (
    path: string,
    authorization: string | undefined,
    body: string,
  ) => MinimumAnswer | Promise<MinimumAnswer>;
  /** The redirect that answers an authorization request. */
  readonly authorize: (url: string) => string | Promise<string>;
  /** Whether a request may pass the guard. */
  readonly isAllowed: (authorization: string | undefined) => boolean | Promise<boolean>;
}

/** What an owner allowed. Its tokens are valid only as long as it exists. */
interface Grant {
  readonly client_id: string;
  readonly sub: string;
  readonly scope: string;
}

interface CodeRecord extends Grant {
  readonly grant: string;
  readonly redirect_uri: string;
  readonly challenge: string;
  readonly exp: number;
  isUsed: boolean;
}

interface TokenRecord extends Grant {
  /** Absent for a client's own token. */
  readonly grant: string | undefined;
  readonly iat: number;
  readonly exp: number;
}

interface RefreshRecord {
  readonly grant: string;
  readonly exp: number;
  isUsed: boolean;
}

const secrets = new Map(CLIENTS.map((client) => [client.client_id, hash('sha256', client.client_secret, 'buffer')]));
/** Pairs of an owner and a client that the owner has allowed. */
const approved = new Set([`${OWNER} ${WEB.client_id}`]);
const grants = new Map<string, Grant>();
const codes = new Map<string, CodeRecord>();
const accessTokens = new Map<string, TokenRecord>();
const refreshTokens = new Map<string, RefreshRecord>();

const pool = Buffer.alloc(4096);
let used = pool.length;

export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('base64url', used - bytes, used);
}

export const keyOf = (token: string): string => hash('sha256', token, 'base64url');
export const refused = (error: string): MinimumAnswer => ({ status: 400, body: JSON.stringify({ error }) });
export const now = (): number => Math.floor(Date.now() / 1000);

export function fieldsOf(form: string): ReadonlyMap<string, string> {
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

export function clientOf(authorization: string | undefined): string | undefined {
  const credentials = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const colon = credentials.indexOf(':');
  const client_id = credentials.slice(0, colon);
  const known = secrets.get(client_id);
  return known !== undefined && timingSafeEqual(hash('sha256', credentials.slice(colon + 1), 'buffer'), known)
    ? client_id
    : undefined;
}

/** @param grant - Absent for a client's own token, which has no refresh token. */
function issue({ client_id, sub, scope }: Grant, grant?: string): MinimumAnswer {
  const access_token = randomText(32);
  const iat = now();
  accessTokens.set(keyOf(access_token), { client_id, sub, scope, grant, iat, exp: iat + LIFETIMES.access });
  const answer = { access_token, token_type: 'Bearer', expires_in: LIFETIMES.access, scope };
  if (grant === undefined) return { status: 200, body: JSON.stringify(answer) };
  const refresh_token = randomText(32);
  refreshTokens.set(keyOf(refresh_token), { grant, exp: iat + LIFETIMES.refresh, isUsed: false });
  return { status: 200, body: JSON.stringify({ ...answer, refresh_token }) };
}

function redeem(client_id: string, form: ReadonlyMap<string, string>): MinimumAnswer {
  const code = codes.get(keyOf(form.get('code') ?? ''));
  if (code === undefined || code.client_id !== client_id || code.redirect_uri !== form.get('redirect_uri')) {
    return refused('invalid_grant');
  }
  const challenge = Buffer.from(hash('sha256', form.get('code_verifier') ?? '', 'base64url'));
  if (!timingSafeEqual(challenge, Buffer.from(code.challenge))) return refused('invalid_grant');
  if (code.isUsed) grants.delete(code.grant);
  if (code.isUsed || code.exp <= now()) return refused('invalid_grant');
  code.isUsed = true;
  return issue(code, code.grant);
}

function refresh(client_id: string, form: ReadonlyMap<string, string>): MinimumAnswer {
  const token = refreshTokens.get(keyOf(form.get('refresh_token') ?? ''));
  const grant = token === undefined ? undefined : grants.get(token.grant);
  if (token === undefined || grant === undefined || grant.client_id !== client_id || token.exp <= now()) {
    return refused('invalid_grant');
  }
  if (token.isUsed) {
    grants.delete(token.grant);
    return refused('invalid_grant');
  }
  token.isUsed = true;
  return issue(grant, token.grant);
}

/** A token that has not expired and whose grant exists. */
function liveToken(token: string): TokenRecord | undefined {
  const record = accessTokens.get(keyOf(token));
  if (record === undefined || record.exp <= now()) return undefined;
  return record.grant === undefined || grants.has(record.grant) ? record : undefined;
}

function introspect(token: string): MinimumAnswer {
  const record = liveToken(token);
  if (record === undefined) return { status: 200, body: '{"active":false}' };
  const { client_id, sub, scope, iat, exp } = record;
  const [aud, iss] = ['http://127.0.0.1', 'http://127.0.0.1'];
  const body = { active: true, sub, client_id, scope, aud, iss, exp, iat, token_type: 'Bearer' };
  return { status: 200, body: JSON.stringify(body) };
}

/** Answers a POST to the token or the introspection endpoint. */
function post(path: string, authorization: string | undefined, body: string): MinimumAnswer {
  const form = fieldsOf(body);
  const client_id = clientOf(authorization);
  if (client_id === undefined) return { status: 401, body: '{"error":"invalid_client"}' };
  if (path === PATHS.introspect) return introspect(form.get('token') ?? '');
  switch (form.get('grant_type') ?? '') {
    case 'client_credentials': {
      const scope = form.get('scope') ?? SCOPE;
      return scope === SCOPE ? issue({ client_id, sub: `client:${client_id}`, scope }) : refused('invalid_scope');
    }
    case 'authorization_code':
      return redeem(client_id, form);
    case 'refresh_token':
      return refresh(client_id, form);
    default:
      return refused('unsupported_grant_type');
  }
}

/** The redirect that answers an authorization request: with a code, because the owner has allowed the client before. */
function authorize(url: string): string {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const client_id = query.get('client_id') ?? '';
  const redirect_uri = query.get('redirect_uri') ?? '';
  if (client_id !== WEB.client_id || redirect_uri !== REDIRECT_URI) return '/error';
  const answer = new URLSearchParams({ state: query.get('state') ?? '' });
  const challenge = query.get('code_challenge') ?? '';
  const scope = query.get('scope') ?? SCOPE;
  const isRight = query.get('response_type') === 'code' && scope === SCOPE && challenge.length === 43;
  if (!isRight || query.get('code_challenge_method') !== 'S256' || !approved.has(`${OWNER} ${client_id}`)) {
    answer.set('error', 'invalid_request');
    return `${redirect_uri}?${answer.toString()}`;
  }
  const grant = randomText(16);
  const code = randomText(32);
  const exp = now() + LIFETIMES.code;
  grants.set(grant, { client_id, sub: OWNER, scope });
  codes.set(keyOf(code), { client_id, sub: OWNER, scope, grant, redirect_uri, challenge, exp, isUsed: false });
  answer.set('code', code);
  return `${redirect_uri}?${answer.toString()}`;
}

/** Whether a request has a live token with the scope of the guarded route. */
function isAllowed(authorization: string | undefined): boolean {
  if (authorization?.startsWith('Bearer ') !== true) return false;
  return liveToken(authorization.slice('Bearer '.length))?.scope.split(' ').includes(SCOPE) === true;
}

export const minimumProtocol: Protocol = { post, authorize, isAllowed };
