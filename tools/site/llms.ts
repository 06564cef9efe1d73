/** `llms.txt`, an index for language models, and `llms-full.txt`, which contains all guides. */
import type { Chapter, Page } from './pages.js';

export const llmsIndex = (chapters: readonly Chapter[], description: string): string => `# oauth-query

> ${description}

The whole text of all guides: [llms-full.txt](/llms-full.txt)

${chapters
  .map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map((page) => `- [${page.title}](/${page.path}): ${page.about}`).join('\n')}\n`,
  )
  .join('\n')}`;

/** `llms.txt` of the package: the same index, with paths inside of it. */
export const llmsOfPackage = (chapters: readonly Chapter[], description: string): string =>
  llmsIndex(chapters, description)
    .replace('The whole text of all guides: [llms-full.txt](/llms-full.txt)\n\n', '')
    .replace('](/security-policy.md)', '](SECURITY.md)')
    .replace(/\]\(\/([^)]+)\)/g, (_, path: string) => `](${/^[A-Z]+\.md$/.test(path) ? path : `docs/${path}`})`);

/** The guides in the order of the navigation. */
export const llmsFull = (chapters: readonly Chapter[], pages: readonly Page[]): string =>
  chapters
    .filter(({ title }) => title !== 'Project')
    .flatMap((chapter) => chapter.pages.map(({ path }) => pages.find((page) => page.path === path)?.text ?? ''))
    .join('\n\n---\n\n');
