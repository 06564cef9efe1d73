/** The setup of every candidate: the same addresses, clients, scopes and lifetimes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Framework } from '../candidates.js';

/** What a candidate gets in addition to its framework. */
export interface Setup {
  /** The authorization server of another process; empty for candidates that need none. */
  readonly issuer: string;
  /** Whether our own server issues signed tokens. */
  readonly signed: boolean;
  /** The URL of our own server's store; memory if absent. */
  readonly store?: string | undefined;
  /** The address that the server has for its clients. */
  readonly origin: string;
}

/** What a server process is started with. */
export interface ServerTask extends Omit<Setup, 'origin'> {
  readonly framework: Framework;
  readonly candidate: string;
  /** By default the address of its plain port. */
  readonly origin?: string | undefined;
  /** If present, the server listens on a second port with TLS. */
  readonly certificate?: Certificate | undefined;
}

/** PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  introspect: '/oauth/introspect',
  content: '/content',
  api: '/api',
} as const;

export const SCOPE = 'content.read';
/** What a client asks for that wants an ID token as well. */
export const OPENID_SCOPE = `openid ${SCOPE}`;
export const REDIRECT_URI = 'https://app.example/cb';
/** The resource owner, who has allowed everything. */
export const OWNER = 'alice';
/** Seconds. */
export const LIFETIMES = { code: 600, access: 3600, refresh: 1_209_600 } as const;

export interface BenchClient {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Acts for itself. */
export const SERVICE: BenchClient = { client_id: 'service', client_secret: 'service-secret-of-the-benchmark-1' };
/** Acts for its owner: codes and refresh tokens. */
export const WEB: BenchClient = { client_id: 'web', client_secret: 'web-secret-of-the-benchmark-of-many-2' };
/** May introspect every token. */
export const API: BenchClient = { client_id: 'api', client_secret: 'api-secret-of-the-benchmark-of-many-3' };

export const CLIENTS: readonly BenchClient[] = [SERVICE, WEB, API];

export const basic = ({ client_id, client_secret }: BenchClient): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;

/** The response of a guarded route. */
export const CONTENT = { ok: true } as const;
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;
export const JSON_TYPE = 'application/json; charset=utf-8';
export const FORM_TYPE = 'application/x-www-form-urlencoded';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const SECRETS: ReadonlyMap<string, Buffer> = new Map(
  CLIENTS.map(({ client_id, client_secret }) => [client_id, digest(client_secret)]),
);

/** Compares secrets in constant time, for candidates that leave this to their users. */
export function isSecretOf(client_id: string, secret: string | null | undefined): boolean {
  const known = SECRETS.get(client_id);
  return known !== undefined && timingSafeEqual(digest(secret ?? ''), known);
}

/** The content of the query API: the first pages of a site. */
export const PAGES = Array.from({ length: 10 }, (_one, index) => ({
  pageid: index + 1,
  ns: 0,
  title: `Page ${index + 1}`,
}));
