import { parseUrl } from '../../core/base/addresses/url.js';

const MAX_LENGTH = 512;

/** A name with a top-level domain. IP addresses, `localhost` and single-label names lead into the operator's own network. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d])?\.)+[a-z](?:[a-z\d-]*[a-z\d])?$/;

/**
 * Why a URL cannot be that of a document, as the end of a sentence; `undefined` if it can. Each document has a single valid spelling of its URL, because
 * the URL identifies the client.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ | Client ID Metadata Document §3}
 */
export const documentAddressProblem = (text: string): string | undefined => {
  if (text.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`;
  const url = text.startsWith('https://') ? parseUrl(text) : undefined;
  if (url === undefined) return 'is not an https URL';
  if (text.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name or password';
  if (url.port !== '') return 'has a port; only 443 is allowed';
  // Dot segments, capital letters in the host, other notations of an IP address: parsing changes all of them.
  if (url.href !== text) return `must be spelled ${url.href}`;
  if (url.pathname === '/') return 'has no path';
  if (!HOST_NAME.test(url.hostname)) return 'has a host that is not a public name';
  return undefined;
};

/** Whether a `client_id` is the URL of a document. */
export const isDocumentAddress = (client_id: string): boolean =>
  client_id.startsWith('https://') && documentAddressProblem(client_id) === undefined;
