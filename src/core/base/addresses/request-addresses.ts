import { isLoopbackHost } from './loopback.js';
import { parseUrl } from './url.js';

/** Schemes that run code or read files when a browser is redirected to them. */
export const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'about',
  'view-source',
  'filesystem',
]);

/** Whether data sent to a URL is encrypted in transit or never leaves the machine. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));

/** Scheme, host and port, as browsers write them in `Origin`. */
export const isOrigin = (text: unknown): boolean => typeof text === 'string' && parseUrl(text)?.origin === text;

/** The authority of an http(s) URL as it is written, in lower case. The rest has no white space and no control characters. */
const WRITTEN = /^https?:\/\/([^\s\p{Cc}/?#\\]+)(?:[/?#\\][^\s\p{Cc}]*)?$/u;

/**
 * Whether the host is written as it is read. Otherwise a browser that follows the text from a page of another host, or a program with its
 * own parser, could contact a host that is not the one shown to people.
 */
const isWrittenAsRead = (text: string, { host, protocol }: URL): boolean => {
  const authority = WRITTEN.exec(text.toLowerCase())?.[1];
  if (authority === undefined) return false;
  const isInternational = /[^\0-\x7f]/.test(authority); // Every parser reads it as Punycode.
  return isInternational || authority === host || authority === `${host}:${protocol === 'https:' ? 443 : 80}`;
};

/**
 * Printable characters that no URI has (RFC 3986 §2), and a percent sign without two hexadecimal digits (§2.1): programs disagree about where a
 * host before them ends, and about what they mean.
 */
const NO_URI = /["<>\\^`{|}]|%(?![\dA-Fa-f]{2})/;

/** Whether text has a character that must be percent-encoded in every URI. */
export const hasForbiddenCharacter = (uri: string): boolean => NO_URI.test(uri);

/** Why a URL must neither be contacted nor shown, as the end of a sentence; `undefined` if it may be. */
export const urlProblem = (text: unknown): string | undefined => {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (url === undefined) return 'must be an absolute URL such as https://example.org';
  if (!isProtected(url)) return 'must begin with https://; http:// is only for loopback addresses';
  if (url.username !== '' || url.password !== '') return 'must have neither a user name nor a password';
  if (hasForbiddenCharacter(String(text)))
    return 'must have none of the characters " < > \\ ^ ` { | }, and no % without two hexadecimal digits, which no URI has; percent-encode them';
  return isWrittenAsRead(String(text), url) ? undefined : `must begin with ${url.origin}, and have no white space`;
};

/** Whether text is a path of this host, which no browser takes for an address elsewhere. */
export const isPath = (given: unknown): given is string =>
  typeof given === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(given);

/** Whether text is the http(s) URL of a page, or its path on this host. */
export const isPageAddress = (given: unknown): boolean =>
  isPath(given) || (typeof given === 'string' && /^https?:\/\//.test(given) && parseUrl(given) !== undefined);

const MAX_PICTURE_LENGTH = 65_536;

/** Whether a URL contains the image itself: a `data:` URL, which is displayed without a request. */
export const isPicture = (given: unknown): given is string =>
  typeof given === 'string' &&
  given.length <= MAX_PICTURE_LENGTH &&
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,][\x21-\x7e]+$/.test(given);
