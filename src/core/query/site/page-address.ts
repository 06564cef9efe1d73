import type { Site } from './site.js';

/** The URL of a page, relative if the server is not known. Colons and slashes are not escaped. */
export const pageAddress = (title: string, { server, articlePath }: Pick<Site, 'server' | 'articlePath'>): string => {
  const name = encodeURIComponent(title.replaceAll(' ', '_')).replaceAll('%3A', ':').replaceAll('%2F', '/');
  return server + articlePath.replace('$1', () => name);
};
