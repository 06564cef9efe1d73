/** `llms.txt`, an index for language models, and `llms-full.txt`, which contains all guides. */
import type { Chapter, Page } from './pages.js';

export const llmsIndex = (chapters: readonly Chapter[], description: string): string => `# oauth-query

> ${description}

The whole text of all guides: [llms-full.txt](/llms-full.txt)

${chapters
  .filter(({ pages }) => pages.length > 0)
  .map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map((page) => `- [${page.title}](/${page.path}): ${page.about}`).join('\n')}\n`,
  )
  .join('\n')}`;

/** The guides in the order of the navigation. */
export const llmsFull = (chapters: readonly Chapter[], pages: readonly Page[]): string =>
  chapters
    .filter(({ title }) => title !== 'Project')
    .flatMap((chapter) => chapter.pages.map(({ path }) => pages.find((page) => page.path === path)?.text ?? ''))
    .join('\n\n---\n\n');
