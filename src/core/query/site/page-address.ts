import type { Site } from './site.js';

/** The full address of a page, as far as the server is known; colons and slashes stay readable. */
export const pageAddress = (title: string, { server, articlePath }: Pick<Site, 'server' | 'articlePath'>): string => {
  const name = encodeURIComponent(title.replaceAll(' ', '_')).replaceAll('%3A', ':').replaceAll('%2F', '/');
  return server + articlePath.replace('$1', () => name);
};
