/** The pages of the documentation site: the documents that tests execute, without what only tests read. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A page of the site. */
export interface Page {
  /** Below the root of the repository, such as `docs/guard.md`. */
  readonly source: string;
  /** Below the root of the site, such as `guard.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** An entry of the site's navigation. */
export interface Chapter {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string; readonly about: string }[];
}

const markdownBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .sort();

/** `docs/README.md` is the first page of the site; the changelog and its like are pages next to the guides. */
const pathOf = (source: string): string =>
  // VitePress does not tell `SECURITY.md` from `security.md`.
  source === 'SECURITY.md'
    ? 'security-policy.md'
    : source.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, (_, folder: string) => `${folder}index.md`);

/** Pages about the project itself: a search for a task would find them first, because they name everything. */
const ABOUT_THE_PROJECT = /^(?:CHANGELOG|CONTRIBUTING|adr\/.*|audit)\.md$/;

/** Whether the search finds a page. Of the API reference it finds the index by name, because guides explain the rest. */
export const isSearched = ({ path }: Pick<Page, 'path'>): boolean =>
  !ABOUT_THE_PROJECT.test(path) && (!path.startsWith('reference/') || path === 'reference/names.md');

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** Declarations for the compiler, and the words behind the language of a block, which say how it is tested. */
const withoutTests = (text: string): string =>
  text.replace(/^<!--given:\w+-->\n*/gm, '').replace(/^(\s*```[a-z]+) .*$/gm, '$1');

/** Text between two angle brackets would be an element of the page. Code is left alone. */
const withoutElements = (text: string): string =>
  text
    .split(/(^\s*```[^]*?^\s*```$|`[^`\n]*`)/gm)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/<(?!\/?a[ >]|!--|https?:)/g, '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('');

/** A link to a page of the site, or, for any other file, its name as code. */
const withLinks = (text: string, source: string, known: ReadonlySet<string>): string =>
  text.replace(
    /\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)\s]+)\)/g,
    (whole, label: string, url: string) => {
      const [file = '', anchor] = url.split('#');
      const target = posix.join(posix.dirname(source), decodeURI(file)).replace(/\/$/, '');
      const page = [target, `${target}/README.md`].find((name) => known.has(name));
      if (page === undefined) return target.startsWith('docs/pictures/') ? whole : label;
      return `[${label}](/${pathOf(page)}${anchor === undefined ? '' : `#${anchor}`})`;
    },
  );

/** All pages. `reference` is the folder that `npm run reference` writes. */
export const pagesOf = (reference?: string): readonly Page[] => {
  const sources = ['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', ...markdownBelow('docs')];
  const known = new Set(sources);
  const written = sources.map((source) => {
    const text = withLinks(withoutElements(withoutTests(readFileSync(join(ROOT, source), 'utf8'))), source, known);
    return { source, path: pathOf(source), title: titleOf(text), text };
  });
  return reference === undefined ? written : [...written, ...referencePages(reference)];
};

/** A page with pages below it is the first one of their folder: no address is a file and a folder at once. */
const referencePath = (name: string, names: readonly string[]): string => {
  const folder = name.replace(/\.md$/, '/');
  const path = names.some((other) => other.startsWith(folder)) ? `${folder}index.md` : name;
  return posix.join('reference', path.replace(/README\.md$/, 'index.md'));
};

const referencePages = (folder: string): readonly Page[] => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'));
  const pages = names.map((name) => {
    const written = readFileSync(join(folder, name), 'utf8').replace(
      /\]\((?!https?:)([^)#\s]+\.md)/g,
      (_, to: string) => `](/${referencePath(posix.join(posix.dirname(name), to), names)}`,
    );
    const text = withoutElements(written);
    return { source: '', path: referencePath(name, names), title: titleOf(text), text };
  });
  return [...pages, indexByName(pages)];
};

/** Every exported name, in one list: headings of the second level, methods with parentheses. */
const indexByName = (pages: readonly Page[]): Page => {
  const rows = pages.flatMap(({ path, title, text }) =>
    Array.from(text.matchAll(/^## (?:Abstract )?([\w$]+)/gm), ([heading, name = '']) => {
      const line = text.split('\n').find((one) => one.startsWith(heading)) ?? '';
      const anchor = line
        .slice(3)
        .replace(/&lt;|[^\w$ -]/g, '')
        .trim()
        .replaceAll(' ', '-')
        .toLowerCase();
      return [name, `- [\`${name}\`](/${path}#${anchor}) of \`${title}\``] as const;
    }),
  );
  const lines = rows.toSorted(([a], [b]) => a.localeCompare(b)).map(([, line]) => line);
  return {
    source: '',
    path: 'reference/names.md',
    title: 'Index by name',
    text: `# Index by name\n\n${lines.join('\n')}\n`,
  };
};

const textOf = (node: Nodes): string =>
  'children' in node ? (node.children as readonly Nodes[]).map(textOf).join('') : 'value' in node ? node.value : '';

/** The navigation: the sections of `docs/README.md`, with the page that each item of their lists begins with. */
export const chaptersOf = (pages: readonly Page[]): readonly Chapter[] => {
  const index = pages.find(({ path }) => path === 'index.md')?.text ?? '';
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const rows = section.split('\n').flatMap((line) => {
        const [, path = '', about = ''] = /^- \[[^\]]*\]\(\/([^)#]+)\): (.*)$/.exec(line) ?? [];
        return path === '' ? [] : [{ path, title: titles.get(path) ?? path, about: textOf(fromMarkdown(about)) }];
      });
      return { title: section.split('\n', 1)[0] ?? '', pages: rows };
    })
    .filter(({ pages: listed }) => listed.length > 0);
};
