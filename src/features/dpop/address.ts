/** Characters whose percent-encoding means the same (RFC 3986 §2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** An address without its query and fragment, in one spelling (RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3); `undefined` if it is none. */
export const normalAddress = (address: string): string | undefined => {
  // The parser writes scheme and host in lower case, and removes default ports and dot segments.
  const url = parseUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
  return url.origin + path;
};

/** Whether two addresses are the same for a proof. */
export const isSameAddress = (named: string, expected: string): boolean =>
  named === expected || (normalAddress(named) ?? '') === normalAddress(expected);

/** A URL under which clients know a part of this process. */
export interface PublicAddress {
  /** The URL, without a slash at its end. */
  readonly from: string;
  /** The path of this process that it leads to, without a slash at its end. */
  readonly to: string;
}

const withoutSlash = (text: string): string => text.replace(/\/$/, '');

export const publicAddress = (from: string, to: string): PublicAddress => ({
  from: withoutSlash(from),
  to: withoutSlash(to),
});

/** The URL of a path of this process, if it is below that address. */
export const addressAt = ({ from, to }: PublicAddress, path: string): readonly string[] =>
  path === to || path.startsWith(`${to}/`) ? [from + path.slice(to.length)] : [];
