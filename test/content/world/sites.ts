import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ContentSource, contentQuery, memoryContent } from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { ContentDatabase, exportContent, importExport } from 'oauth-query/content/mediawiki-export';
import { mcp } from 'oauth-query/mcp';
import { query } from 'oauth-query/query';
import { PAGE_TEMPLATE } from '../../../src/mcp/resources.js';
import { contentServer } from '../support/content-server.js';

/** A page of a site: a title of namespace 0 and a text. */
export type WorldPage = readonly [title: string, text: string];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** An export of pages by İsmail; `namespaces` are elements of its site. */
export const exportOf = (language: string, pages: readonly WorldPage[], namespaces = ''): string =>
  `<mediawiki xml:lang="${language}"><siteinfo><sitename>World</sitename><base>https://w.example/wiki/Main</base>
  <namespaces>${namespaces}</namespaces></siteinfo>${pages
    .map(
      ([title, text], index) =>
        `<page><title>${escaped(title)}</title><ns>0</ns><id>${index + 1}</id><revision><id>${index + 1}</id>
        <timestamp>2024-01-01T00:00:00Z</timestamp><contributor><username>İsmail</username><id>7</id></contributor>
        <model>wikitext</model><format>text/x-wiki</format><text>${escaped(text)}</text></revision></page>`,
    )
    .join('\n')}</mediawiki>`;

/** The pages as an export, in memory, and as a folder of Markdown files. */
export const sourcesOf = (folder: string) => ({
  export: async (language: string, pages: readonly WorldPage[]): Promise<ContentSource> => {
    const database = new ContentDatabase(':memory:');
    await importExport(database, Readable.from([exportOf(language, pages)]));
    return exportContent(database);
  },
  memory: (language: string, pages: readonly WorldPage[]): Promise<ContentSource> =>
    Promise.resolve(
      memoryContent(
        pages.map(([title, text]) => ({ title, text })),
        { site: { language } },
      ),
    ),
  folder: (language: string, pages: readonly WorldPage[]): Promise<ContentSource> => {
    const path = join(folder, language);
    mkdirSync(path, { recursive: true });
    for (const [title, text] of pages) {
      const file = join(path, `${title}.md`);
      writeFileSync(file, text);
      // Whenever a test writes them.
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    }
    return markdownFolder(path, { watch: false, site: { language } });
  },
});

/** JSON of a response; what it contains is for a test to check. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

/** A server of a source with tools. */
export const worldServer = (source: ContentSource) => {
  const { send, call, message } = contentServer({
    issuer: 'https://wiki.example',
    secret: 'a secret of the test that has 32 characters',
    scopes: { read: 'Read' },
    clients: [],
    runtime: { clock: () => Date.parse('2025-06-02T00:00:00Z') },
    onWarning: () => undefined,
    features: [query(contentQuery(source)), mcp()],
  });
  const ask = (form: Readonly<Record<string, string>>): Promise<string> =>
    send('/api', { format: 'json', formatversion: '2', ...form });
  return {
    ask,
    api: async (form: Readonly<Record<string, string>>): Promise<Answer> => JSON.parse(await ask(form)),
    /** The structured content of a tool's result. */
    tool: async (name: string, args: object): Promise<Answer> =>
      JSON.parse(await call(name, args)).result.structuredContent,
    /** The titles that a client of MCP offers for the beginning of one. */
    complete: async (start: string): Promise<readonly string[]> => {
      const ref = { type: 'ref/resource', uri: PAGE_TEMPLATE.uriTemplate };
      const text = await message('completion/complete', { ref, argument: { name: 'title', value: start } });
      return JSON.parse(text).result.completion.values;
    },
  };
};

export type WorldServer = ReturnType<typeof worldServer>;
