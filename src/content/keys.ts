/** Which sort of member a page is, as categories are ordered: 0 page, 1 subcategory, 2 file. */
export const memberType = (ns: number): 0 | 1 | 2 => (ns === 14 ? 1 : ns === 6 ? 2 : 0);

/** What a member of a category is sorted by: its own sort key, if it has one, and its title, in capitals. */
export const sortkeyOf = (prefix: string, title: string): string =>
  (prefix === '' ? title : `${prefix}\n${title}`).toUpperCase();

/**
 * An address as the target of a link: its host turned round, so that a host and all below it stand together, and its protocol
 * at the end. `undefined` for what has no host.
 */
export const urlTarget = (url: string): string | undefined => {
  const [, protocol, host, rest] = /^([a-z][a-z+.-]*):\/\/([^/?#\s]+)(\S*)$/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return undefined;
  return `${hostKey(host)}${rest || '/'} ${protocol.toLowerCase()}`;
};

/** `www.example.org` as `org.example.www.` */
export const hostKey = (host: string): string => `${host.toLowerCase().split('.').reverse().join('.')}.`;
