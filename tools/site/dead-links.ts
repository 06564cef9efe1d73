import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Links between pages of the built site that lead to no page, or to no part of one. */
export const deadLinks = (site: string): readonly string[] => {
  const pages = new Map(
    readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html') && name !== '404.html')
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(site, name), 'utf8')] as const),
  );
  const partsOf = new Map(
    [...pages].map(([name, text]) => [name, new Set(Array.from(text.matchAll(/\bid="([^"]+)"/g), ([, id]) => id))]),
  );
  return [...pages].flatMap(([name, text]) =>
    Array.from(text.matchAll(/<a[^>]*\shref="([^"]+)"/g), ([, url = '']) => url)
      .filter((url) => !/^[a-z]+:/.test(url))
      .filter((url) => {
        const [path = '', part = ''] = decodeURI(url).split('#');
        const target = path === '' ? name : posix.join(path.startsWith('/') ? '.' : posix.dirname(name), path);
        const below = target.replace(/^\/+/, '');
        const page = [below, `${below}.html`, posix.join(below, 'index.html')].find((one) => pages.has(one));
        if (page === undefined) return !existsSync(join(site, below)) || !/\.\w+$/.test(below);
        return part !== '' && !partsOf.get(page)?.has(part);
      })
      .map((url) => `${name}: ${url}`),
  );
};
