import { looksLikeAddress } from './ip-address.js';
import type { Site } from './site.js';
import { parseTitle } from './title.js';

const USER_NAMESPACE = 2;
const FORBIDDEN = /[/#<>|[\]{}\u0080-\u009f\u00a0\u2000-\u200f\u2028-\u202f\u3000\ue000-\uf8ff]/;

/** The canonical form of a user name; `undefined` if it is invalid. */
export const canonicalUserName = (text: string, site: Site): string | undefined => {
  if (text.includes('#')) return undefined;
  const title = parseTitle(text, site, USER_NAMESPACE);
  if (title.kind !== 'local' || title.ns !== USER_NAMESPACE || title.text === '') return undefined;
  const name = title.text;
  // A name that looks like an IP address is not a user name.
  return FORBIDDEN.test(name) || looksLikeAddress(name) ? undefined : name;
};

/** Names of temporary accounts begin with this, as in MediaWiki, whose clients know them by it. */
export const TEMPORARY = '~';

/** Whether a canonical name is that of a temporary account. */
export const isTemporaryName = (name: string): boolean => name.length > TEMPORARY.length && name.startsWith(TEMPORARY);

/** The text without the prefix `User:` in any of its local forms. */
export const withoutUserPrefix = (text: string, site: Site): string => {
  const colon = text.indexOf(':');
  return colon > 0 && site.namespaceId(text.slice(0, colon)) === USER_NAMESPACE ? text.slice(colon + 1) : text;
};
