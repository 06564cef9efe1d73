import { isLoopbackHost } from '../../base/addresses/loopback.js';
import { FORBIDDEN_SCHEMES, hasForbiddenCharacter, urlProblem } from '../../base/addresses/request-addresses.js';
import { parseUrl } from '../../base/addresses/url.js';

const MAX_LENGTH = 1024;

/** Parameters of our responses, which a registered query must not contain, or a client could read the wrong value. */
const RESPONSE_PARAMETERS = ['code', 'state', 'error', 'error_description', 'error_uri', 'iss'];

/** A valid port: not zero, without leading zeros. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?([/?].*)?$/;

/** A loopback URL without its port, or `undefined` for every other URL. */
const withoutPort = (uri: string, allowLocalhost: boolean): string | undefined => {
  const match = LOOPBACK.exec(uri);
  if (match === null) return undefined;
  const [, host, port, rest = ''] = match;
  if (host === 'localhost' && !allowLocalhost) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  return `http://${host}${rest}`;
};

/**
 * Why a client must not register this redirect URI, as the end of a sentence; `undefined` if it may.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-3.1.2 | RFC 6749 §3.1.2}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-2.1 | RFC 9700 §2.1}
 */
export const redirectUriProblem = (uri: string): string | undefined => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'is not an absolute URI';
  if (uri.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || hasForbiddenCharacter(uri))
    return 'has characters that are not allowed in a URI, or a % without two hexadecimal digits; percent-encode them';
  if (FORBIDDEN_SCHEMES.has(scheme)) return `has the scheme ${scheme}, which is not safe to redirect to`;
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard; register each URI';
  if (scheme === 'http' || scheme === 'https') {
    const problem = urlProblem(uri);
    if (problem !== undefined) return problem;
    if (/^https?:\/\/[^/?]*:0(?:[/?]|$)/i.test(uri)) return 'has the port zero';
  }
  const query = uri.includes('?') ? new URLSearchParams(uri.slice(uri.indexOf('?') + 1)) : new URLSearchParams();
  const taken = RESPONSE_PARAMETERS.find((name) => query.has(name));
  return taken === undefined ? undefined : `has the query parameter ${taken}, which the response itself must set`;
};

/**
 * Whether a requested redirect URI matches this registered one: the same string, or, on loopback, the same except
 * for the port (RFC 8252 §7.3).
 */
export const redirectUriMatches = (requested: string, registered: string, allowLocalhost: boolean): boolean => {
  if (requested === registered) return true;
  const loopback = withoutPort(registered, allowLocalhost);
  return loopback !== undefined && !requested.includes('#') && withoutPort(requested, allowLocalhost) === loopback;
};

/** Whether any program on the device could listen there, so that the URI proves nothing about the client. */
export const isUnprovenRedirect = (uri: string): boolean => !/^https:/i.test(uri);

/** Whether the scheme of an app is not a domain name in reverse order, so that another app may have it too (RFC 8252 §7.1). */
export const isSharedScheme = (uri: string): boolean => /^(?!https?:)[^.:]+:/i.test(uri);

/** Whether the URI leads to the owner's own machine, where any program may answer. */
export const isLoopbackRedirect = (uri: string): boolean =>
  /^https?:/i.test(uri) && isLoopbackHost(parseUrl(uri)?.hostname ?? '');

/** The registered text is unchanged; the response is appended as a query (RFC 6749 §3.1.2). */
export const withQuery = (uri: string, parameters: URLSearchParams): string =>
  `${uri}${uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'}${parameters.toString()}`;

/** The response is put into the fragment (RFC 6749 §4.2.2). */
export const withFragment = (uri: string, parameters: URLSearchParams): string => `${uri}#${parameters.toString()}`;

/** The target of a redirect URI, as shown to users: the host, or the scheme of an app. */
export const redirectHost = (uri: string): string =>
  (/^https?:/i.test(uri) ? parseUrl(uri)?.host : undefined) ?? uri.slice(0, uri.indexOf(':') + 1);
