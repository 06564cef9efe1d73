import { isLoopbackHost } from '../../base/addresses/loopback.js';
import { PROOF_RESPONSE_HEADERS } from '../../base/http/cors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { escapePattern } from '../../base/text.js';
import { type Headers, VARY } from '../answer/print.js';
import { words } from '../site/words.js';
import type { MainTexts } from './main-parameters.js';

/** How the origin of a request affects its response. */
export interface OriginDecision {
  /** Headers of every response to the request. */
  readonly headers?: Headers;
  /** Ignore the caller's identity: any site may have sent the request and may read the response. */
  readonly anonymous: boolean;
  /** The response to a rejected request or a preflight; the request is not processed further. */
  readonly response?: HttpResponse;
}

/** What scripts of other origins may do. */
interface CorsRules {
  /** Whether scripts of an origin may act for the signed-in user. */
  readonly isAllowed: (origin: string) => boolean;
  /** Whether they may send proofs (RFC 9449 §8). */
  readonly bindsTokens: boolean;
}

/** The decision for a request without CORS parameters. */
const NO_ORIGIN: OriginDecision = { anonymous: false };

const EXPOSED = 'MediaWiki-API-Error, Retry-After, X-Database-Lag, MediaWiki-Login-Suppressed';
const METHODS = 'POST, GET, HEAD';
const VARY_BY_ORIGIN = `${VARY}, Origin`;
const REJECTION = 'mediawiki-cors-rejection';

/** Headers that scripts of other origins may send. */
const ALLOWED_HEADERS: ReadonlySet<string> = new Set(
  words(
    'accept accept-encoding accept-language api-user-agent authorization cache-control content-language content-type dnt',
    'keep-alive origin promise-non-write-api-action treat-as-untrusted user-agent x-requested-with',
  ),
);

/** Applies the parameters `origin` and `crossorigin`. */
export const decideOrigin = (request: HttpRequest, texts: MainTexts, rules: CorsRules): OriginDecision => {
  const origin = texts.get('origin');
  const crossorigin = texts.get('crossorigin') !== undefined;
  if (origin === undefined && !crossorigin && request.method !== 'OPTIONS') return NO_ORIGIN;
  if (origin !== undefined && crossorigin) {
    return refuse("'origin' and 'crossorigin' parameters cannot be used together");
  }
  if (origin === '*' || crossorigin) {
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'false' };
    return decided(request, headers, rules, origin === '*');
  }
  if (origin === undefined) return decided(request, {}, rules);
  const sent = (request.header('origin') ?? '').split(' ');
  if (origin === '' || !sent.includes(origin)) return refuse("'origin' parameter does not match Origin header");
  if (!rules.isAllowed(origin)) {
    return decided(request, { [REJECTION]: 'Origin mismatch', vary: VARY_BY_ORIGIN }, rules);
  }
  const headers = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'timing-allow-origin': origin,
    vary: VARY_BY_ORIGIN,
  };
  return decided(request, headers, rules);
};

const decided = (request: HttpRequest, base: Headers, rules: CorsRules, anonymous = false): OriginDecision => {
  const answered = base['access-control-allow-origin'] === undefined ? {} : answerTo(request, rules);
  // The response to a rejected request has no CORS headers.
  const allowed = answered[REJECTION] === undefined ? base : base['vary'] === undefined ? {} : { vary: base['vary'] };
  const headers = { ...allowed, ...(anonymous && { 'mediawiki-login-suppressed': 'true' }), ...answered };
  if (request.method !== 'OPTIONS') return { headers, anonymous };
  const response = { status: 200, headers: { ...headers, 'content-type': 'text/html; charset=UTF-8' }, body: '' };
  return { headers, anonymous, response };
};

/** The headers of the response to a preflight, or to another request that an origin may send. */
const answerTo = (request: HttpRequest, { bindsTokens }: CorsRules): Headers => {
  const method = request.header('access-control-request-method');
  if (request.method !== 'OPTIONS' || method === undefined) {
    return { 'access-control-expose-headers': bindsTokens ? `${EXPOSED}, ${PROOF_RESPONSE_HEADERS}` : EXPOSED };
  }
  if (!METHODS.split(', ').includes(method)) return { [REJECTION]: 'Unsupported method requested in preflight' };
  const headers = request.header('access-control-request-headers') ?? '';
  const names = headers
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  if (!names.every((name) => ALLOWED_HEADERS.has(name) || (bindsTokens && name === 'dpop'))) {
    return { [REJECTION]: 'Unsupported header requested in preflight' };
  }
  return {
    'access-control-allow-methods': METHODS,
    ...(names.length > 0 && { 'access-control-allow-headers': headers }),
  };
};

const refuse = (reason: string): OriginDecision => {
  const headers = {
    'content-type': 'text/html; charset=UTF-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return { anonymous: true, response: { status: 403, headers, body: `${reason}\n` } };
};

/**
 * A host name has at most 253 characters (RFC 1035 §2.3.4). The limit bounds the backtracking of patterns with several
 * `*`.
 */
const MAX_ORIGIN_LENGTH = 300;

/**
 * Compiles the option `cors`.
 *
 * @param origins - Complete origins such as `https://app.example`, or hosts with `*` for any part: `*.app.example`. A
 * host includes its https origins, and its http origins only if it is a loopback address.
 */
export const originCheck = (origins: readonly string[]): ((origin: string) => boolean) => {
  const exact = new Set(origins.filter((origin) => origin.includes('://')));
  const hosts = origins.filter((origin) => !origin.includes('://')).map(hostPattern);
  return (origin) =>
    exact.has(origin) || (origin.length <= MAX_ORIGIN_LENGTH && hosts.some((host) => host.test(origin)));
};

const hostPattern = (pattern: string): RegExp => {
  const scheme = isLoopbackHost(pattern.replace(/:[\d*]+$/, '')) ? 'https?' : 'https';
  return new RegExp(`^${scheme}://${pattern.split('*').map(escapePattern).join('[^/:]*')}$`);
};
