/** Schemes that run code or read files when a browser is sent to them. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'about',
  'view-source',
  'filesystem',
]);

/** Answers of ours that a registered query must not already hold, or a client could read the wrong one. */
const RESPONSE_PARAMETERS = ['code', 'state', 'error', 'error_description', 'error_uri', 'iss'];

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;

/** A loopback address without its port, or `undefined` for every other address. */
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
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'has characters that a URI must not have; percent-encode them';
  if (FORBIDDEN_SCHEMES.has(scheme)) return `has the scheme ${scheme}, which must never be redirected to`;
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard; register each address';
  if (scheme === 'http' || scheme === 'https') {
    if (!URL.canParse(uri)) return 'cannot be parsed';
    const url = new URL(uri);
    if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?]*@/i.test(uri))
      return 'has a user name or password';
    if (scheme === 'http' && !['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)) {
      return 'has the scheme http; only loopback addresses may, use https';
    }
  }
  const query = uri.includes('?') ? new URLSearchParams(uri.slice(uri.indexOf('?') + 1)) : new URLSearchParams();
  const taken = RESPONSE_PARAMETERS.find((name) => query.has(name));
  return taken === undefined ? undefined : `has the query parameter ${taken}, which the response itself must set`;
};

/**
 * Whether a requested redirect URI is this registered one: the same string, or, on a loopback address, the same but
 * for the port (RFC 8252 §7.3).
 */
export const redirectUriMatches = (requested: string, registered: string, allowLocalhost: boolean): boolean => {
  if (requested === registered) return true;
  const loopback = withoutPort(registered, allowLocalhost);
  return loopback !== undefined && !requested.includes('#') && withoutPort(requested, allowLocalhost) === loopback;
};

/** Whether any program on the device could listen there, so that the address proves nothing about the client. */
export const isUnprovenRedirect = (uri: string): boolean => !/^https:/i.test(uri);

/** The registered text stays as it is; the response goes behind it as a query (RFC 6749 §3.1.2). */
export const withQuery = (uri: string, parameters: URLSearchParams): string =>
  `${uri}${uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'}${parameters.toString()}`;

/** The response goes into the fragment (RFC 6749 §4.2.2). */
export const withFragment = (uri: string, parameters: URLSearchParams): string => `${uri}#${parameters.toString()}`;

/** Where a redirect URI leads, as people read it: the host, or the scheme by which an app is called. */
export const redirectHost = (uri: string): string =>
  /^https?:/i.test(uri) && URL.canParse(uri) ? new URL(uri).host : uri.slice(0, uri.indexOf(':') + 1);
