import { isProtected } from '../core/base/addresses/request-addresses.js';
import { parseUrl } from '../core/base/addresses/url.js';
import { UnavailableError } from '../core/base/errors.js';
import type { HttpClient, JsonAnswer } from './http-client.js';

type Metadata = JsonAnswer['body'];

/**
 * Fetches the metadata of an authorization server. The well-known path goes between the host and the path of the issuer;
 * servers that only support OpenID Connect append theirs.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3 | RFC 8414 §3}
 */
export const discover = async (http: HttpClient, issuer: string): Promise<Metadata> => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const find = async (address: string): Promise<Metadata> => {
    const { status, body } = await http.get(new URL(address));
    if (status !== 200) throw new UnavailableError(`${address} answered ${status}.`);
    if (body['issuer'] !== issuer)
      throw new UnavailableError(
        `${address} names ${String(JSON.stringify(body['issuer'])).slice(0, 200)} as its issuer, not ${issuer}.`,
      );
    return body;
  };
  return find(`${origin}/.well-known/oauth-authorization-server${path}`).catch((problem: unknown) =>
    find(`${origin}${path}/.well-known/openid-configuration`).catch(() => {
      throw problem; // Report the problem at the standard location.
    }),
  );
};

/** Fetches the keys of an authorization server. @param jwksUri - Instead of that of its metadata. */
export const fetchKeys = async (http: HttpClient, issuer: string, jwksUri?: URL): Promise<Metadata> => {
  const url = jwksUri ?? endpointOf(await discover(http, issuer), 'jwks_uri', issuer);
  const { status, body } = await http.get(url);
  if (status !== 200) throw new UnavailableError(`${url.origin}${url.pathname} answered ${status}.`);
  return body;
};

/** An endpoint from the metadata. It must be at least as protected in transit as the metadata. */
export const endpointOf = (metadata: Metadata, name: string, issuer: string): URL => {
  const text = metadata[name];
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (url === undefined || !isProtected(url) || (issuer.startsWith('https:') && url.protocol !== 'https:')) {
    throw new UnavailableError(`The metadata of ${issuer} has no usable ${name}.`);
  }
  return url;
};
