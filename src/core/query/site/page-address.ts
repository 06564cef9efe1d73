import type { Interwiki, Site } from './site.js';

/** A title in a URL, as MediaWiki writes it: some signs are not escaped, an apostrophe is. */
export const titleInUrl = (title: string): string =>
  encodeURIComponent(title.replaceAll(' ', '_'))
    .replace(/%(?:24|2C|2F|3A|3B|40)/g, decodeURIComponent)
    .replaceAll("'", '%27');

/** The URL of a page, relative if the server is not known. */
export const pageAddress = (title: string, { server, articlePath }: Pick<Site, 'server' | 'articlePath'>): string =>
  server + articlePath.replace('$1', () => titleInUrl(title));

/** The URL of a page on another site. */
export const foreignAddress = (title: string, { url }: Interwiki): string => url.replace('$1', () => titleInUrl(title));
