import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ContentSource } from 'oauth-query/content';
import { markdownFolder, type MarkdownFolder, type MarkdownOptions } from 'oauth-query/content/markdown';
import { onTestFinished } from 'vitest';

export const CALL = { signal: new AbortController().signal };

/** A folder of files by their paths, which is gone behind the test. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'oauth-query-markdown-'));
  /** Sentences about files. */
  readonly problems: string[] = [];

  /** @param atEnd - What calls a function when the folder is no longer needed. */
  constructor(
    files: Readonly<Record<string, string | Uint8Array>> = {},
    atEnd: (end: () => void) => void = onTestFinished,
  ) {
    this.write(files);
    atEnd(() => rmSync(this.path, { recursive: true, force: true }));
  }

  at(path: string): string {
    return join(this.path, path);
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.at(path)), { recursive: true });
      writeFileSync(this.at(path), text);
    }
  }

  /** Opens it, without watching unless told. */
  async open(options: MarkdownOptions = {}): Promise<MarkdownFolder> {
    const content = await markdownFolder(this.path, {
      watch: false,
      onProblem: (sentence) => this.problems.push(sentence),
      ...options,
    });
    onTestFinished(() => content.close());
    return content;
  }
}

type Having = MarkdownFolder & Required<ContentSource>;

/** The titles of a namespace. */
export const titlesOf = async (content: MarkdownFolder, ns = 0): Promise<readonly string[]> => {
  const pages = await (content as Having).pageRange({ ns, descending: false, limit: 10_000 }, CALL);
  return pages.map(({ title }) => title);
};

/** A page of the main namespace with its latest text, and where it leads. */
export const pageOf = async (content: MarkdownFolder, title: string, ns = 0) => {
  const all = content as Having;
  const [page] = await all.pages({ titles: [{ ns, title }], ids: [], revids: [] }, CALL);
  if (!page) return undefined;
  const kinds = ['link', 'file', 'redirect', 'category', 'url', 'property'] as const;
  const links: Record<string, readonly string[]> = {};
  for (const kind of kinds) {
    const rows = await all.links({ kind, pages: [page.id], descending: false, limit: 1_000 }, CALL);
    if (rows.length > 0)
      links[kind] = rows.map(({ title: target, text = '' }) => (text === '' ? target : `${target}|${text}`));
  }
  const range = { page: page.id, text: true, descending: true, limit: 100 } as const;
  return { page, links, history: await all.history(range, CALL) };
};
