/** Builds the documentation site in `.docs/site`: `npm run docs`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deadLinks } from './dead-links.js';
import { llmsFull, llmsIndex } from './llms.js';
import { chaptersOf, isSearched, pagesOf, ROOT } from './pages.js';

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly repository?: { readonly url: string };
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const out = join(ROOT, '.docs');
const folder = join(out, 'pages');
rmSync(folder, { recursive: true, force: true });

const pages = pagesOf(join(out, 'reference'));
const chapters = chaptersOf(pages);
for (const page of pages) {
  mkdirSync(dirname(join(folder, page.path)), { recursive: true });
  writeFileSync(join(folder, page.path), `${isSearched(page) ? '' : '---\nsearch: false\n---\n\n'}${page.text}`);
}

mkdirSync(join(folder, 'public'));
for (const place of [folder, join(folder, 'public')])
  cpSync(join(ROOT, 'docs', 'pictures'), join(place, 'pictures'), { recursive: true });
writeFileSync(join(folder, 'public', 'llms.txt'), llmsIndex(chapters, manifest.description));
writeFileSync(join(folder, 'public', 'llms-full.txt'), llmsFull(chapters, pages));
for (const { path, text } of pages) {
  mkdirSync(dirname(join(folder, 'public', path)), { recursive: true });
  writeFileSync(join(folder, 'public', path), text);
}

const link = (path: string): string => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
const repository = manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
const reference = pages.filter(({ path }) => path.startsWith('reference/'));
const config = {
  title: 'oauth-query',
  description: manifest.description,
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['public/**'],
  outDir: join(out, 'site'),
  cacheDir: join(out, 'cache'),
  // The index of the search is one large file, which only a search loads.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: chapters.map(({ title, pages: [first] }) => ({ text: title, link: link(first?.path ?? 'index.md') })),
    sidebar: [
      ...chapters.map(({ title, pages: all }) => ({
        text: title,
        items: all.map((page) => ({ text: page.title, link: link(page.path) })),
      })),
      {
        text: 'API',
        collapsed: true,
        items: reference.map(({ title, path }) => ({ text: title, link: link(path) })),
      },
    ],
    ...(repository !== undefined && {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: { pattern: `${repository}/edit/main/docs/:path` },
    }),
  },
};
mkdirSync(join(folder, '.vitepress'));
// Anchors are those of GitHub, which `test/docs/links.test.ts` checks.
writeFileSync(
  join(folder, '.vitepress', 'config.mjs'),
  `import { slug } from 'github-slugger';
export default { ...${JSON.stringify(config, undefined, 2)}, markdown: { anchor: { slugify: (text) => slug(text) } } };
`,
);

const vitepress = join(
  dirname(createRequire(import.meta.url).resolve('vitepress/package.json')),
  'bin',
  'vitepress.js',
);
const { status } = spawnSync(process.execPath, [vitepress, 'build', folder], { cwd: ROOT, stdio: 'inherit' });
const dead = status === 0 ? deadLinks(config.outDir) : [];
if (dead.length > 0) console.error(`Links that lead nowhere:\n${dead.join('\n')}`);
process.exitCode = dead.length > 0 ? 1 : (status ?? 1);
