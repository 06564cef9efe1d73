/** The type of a member, in the order of categories: 0 page, 1 subcategory, 2 file. */
export const memberType = (ns: number): 0 | 1 | 2 => (ns === 14 ? 1 : ns === 6 ? 2 : 0);

/** The sort key of a member of a category: its own sort key prefix, if it has one, and its title, in upper case. */
export const sortkeyOf = (prefix: string, title: string): string =>
  (prefix === '' ? title : `${prefix}\n${title}`).toUpperCase();

/**
 * A URL as the target of a link: with the host reversed, so that subdomains sort together, and the protocol at the end.
 * `undefined` without a host.
 */
export const urlTarget = (url: string): string | undefined => {
  const [, protocol, host, rest] = /^([a-z][a-z+.-]*):\/\/([^/?#\s]+)(\S*)$/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return undefined;
  return `${hostKey(host)}${rest || '/'} ${protocol.toLowerCase()}`;
};

/** `www.example.org` as `org.example.www.` */
export const hostKey = (host: string): string => `${host.toLowerCase().split('.').reverse().join('.')}.`;
