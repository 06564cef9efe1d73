import { urlProblem } from './request-addresses.js';

/** The parts of a web address: scheme, authority, and the rest. */
const HTTP = /^(https?):\/\/([^/?#]*)([^]*)$/i;

const DEFAULT_PORT = { http: /:(?:80)?$/, https: /:(?:443)?$/ } as const;

/**
 * The same text for every spelling of a resource: case of scheme and host, the default port, and an
 * empty path or a slash do not matter (RFC 3986 §6.2.2.1, §6.2.3). Paths must match exactly.
 */
export const resourceKey = (resource: string): string => {
  const [, scheme, authority = '', rest = ''] = HTTP.exec(resource) ?? [];
  if (scheme === undefined) return resource;
  const protocol = scheme.toLowerCase() === 'http' ? 'http' : 'https';
  const host = authority.toLowerCase().replace(DEFAULT_PORT[protocol], '');
  return `${protocol}://${host}${rest.startsWith('/') ? '' : '/'}${rest}`;
};

/** The spelling of a resource in a list, if the list contains it in any spelling. */
export const findResource = (resources: readonly string[], wanted: string): string | undefined => {
  if (resources.includes(wanted)) return wanted;
  const key = resourceKey(wanted);
  return resources.find((resource) => resourceKey(resource) === key);
};

/** A path that every framework matches as it is written. */
const PLAIN_PATH = /^\/[A-Za-z0-9\-._~!$&'()+,;=@/]*$/;

/** Why a text cannot be the URL of a protected resource, as the end of a sentence; `undefined` if it can. */
export const resourceProblem = (address: string): string | undefined => {
  const problem = urlProblem(address);
  if (problem !== undefined) return problem;
  if (/[?#]/.test(address)) return 'must have neither a query nor a fragment';
  const { origin, pathname } = new URL(address);
  if (!PLAIN_PATH.test(pathname)) return 'must have a path without placeholders and percent escapes';
  const usual = pathname === '/' ? origin : origin + pathname;
  // Some clients write the root with a slash, others without: the application decides.
  return address === usual || address === `${origin}/` ? undefined : `must be written as ${usual}`;
};

/**
 * The URL of a resource's metadata: the well-known path goes between host and path.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3.1 | RFC 9728 §3.1}
 */
export const resourceMetadataAddress = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
};
