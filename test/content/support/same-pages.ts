import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContentSource, memoryContent, type MemoryPage, type MemoryRevision } from 'oauth-query/content';
import { ContentDatabase, exportContent, importExport } from 'oauth-query/content/mediawiki-export';
import { query, type QueryOptions } from 'oauth-query/query';
import { memoryStore } from 'oauth-query/stores/memory';
import { openExport } from '../../../src/content/mediawiki-export/bytes.js';
import { readExport } from '../../../src/content/mediawiki-export/reader.js';
import { siteOptions } from '../../../src/content/mediawiki-export/site.js';
import { readWikitext } from '../../../src/content/wikitext/wikitext.js';
import { resolveSite } from '../../../src/core/query/site/site.js';
import { parseTitle } from '../../../src/core/query/site/title.js';
import { Client, oneHostEach } from '../../hosts.js';
import { directQueries } from '../../hosts/direct.js';
import { shortTimer } from '../../oauth/support/fixture.js';
import { generatedSite, writeExport } from '../../site/support/generated-site.js';

const SAMPLE = fileURLToPath(new URL('../../../examples/site/sample.xml', import.meta.url));

/** The pages of an export, as they are given to content in memory. */
export async function pagesOf(
  file: string,
): Promise<{ readonly pages: readonly MemoryPage[]; readonly site: ReturnType<typeof siteOptions> }> {
  let site = siteOptions({ name: 'Site', database: 'site', base: '', language: 'en', namespaces: [] });
  const pages: { page: { title: string; ns: number; id: number }; history: MemoryRevision[] }[] = [];
  let history: MemoryRevision[] = [];
  await readExport(await openExport(file), {
    site: (exported) => (site = exported ? siteOptions(exported) : site),
    page: (page) => {
      if (page) pages.push({ page: { ...page, ns: page.ns ?? 0 }, history });
      history = [];
    },
    revision: ({ userId, user, comment, text, parent, model = 'wikitext', format = 'text/x-wiki', ...revision }) => {
      history.push({
        ...revision,
        ...{ userid: userId, parent: parent ?? 0, model, format },
        ...(user === undefined ? {} : { user }),
        ...(comment === undefined ? {} : { comment }),
        text: text ?? '',
      });
    },
    upload: () => undefined,
    problem: () => undefined,
  });
  const resolved = resolveSite(site);
  return {
    site,
    pages: pages.map(({ page: { title, ns, id }, history }): MemoryPage => {
      const text = history.at(-1)?.text ?? '';
      const { links, redirect } = readWikitext(text, resolved);
      const parsed = parseTitle(title, resolved);
      const name = parsed.kind === 'local' ? parsed.text : title;
      return { id, ns, title: name, text, links, history, ...(redirect && { redirect }) };
    }),
  };
}

/** Two hundred pages in every source: what each is called, and the source. */
export async function sourcesOfTheSamePages() {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-sources-'));
  const file = join(folder, 'generated.xml');
  await writeExport(file, generatedSite(142), 1_000);
  const database = new ContentDatabase(':memory:');
  // The site is what the last of them says.
  await importExport(database, file);
  await importExport(database, SAMPLE);
  const [generated, sample] = [await pagesOf(file), await pagesOf(SAMPLE)];
  const stored = exportContent(database);
  const pages = [...generated.pages, ...sample.pages];
  const memory = memoryContent(pages, { site: sample.site });
  return {
    sources: { memory, 'an export in SQLite': stored } satisfies Record<string, ContentSource>,
    pages,
    site: sample.site,
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface QueryHost {
  readonly base: string;
  /** Everything that went wrong and that no client was told. */
  readonly failures: readonly unknown[];
  /** Sends a query in formatversion 2, without a socket. */
  readonly query: ReturnType<typeof directQueries>;
  /** A token of an owner. */
  token(username: string): Promise<string>;
  close(): Promise<void>;
}

/** A server that answers from content. */
export async function startQuery(given: QueryOptions): Promise<QueryHost> {
  const failures: unknown[] = [];
  const store = memoryStore();
  const options = (base: string) => ({
    issuer: base,
    store,
    runtime: { timer: shortTimer },
    grants: ['password'] as const,
    scopes: { read: 'Read' },
    users: [{ username: 'alice', password: 'secret' }],
    clients: [{ client_id: 'test', client_secret: 'test-secret', grant_types: ['password'] as const, scope: 'read' }],
    features: [query({ path: ['/api', '/w/api.php'], ...given })],
    onError: (error: unknown) => void failures.push(error),
    onWarning: () => undefined,
  });
  const host = await oneHostEach[0].start({ options });
  const client = new Client(host.base);
  return {
    base: host.base,
    failures,
    query: directQueries(options(host.base), '/api'),
    token: async (username) => {
      const own = { client_id: 'test', client_secret: 'test-secret' };
      const form = { grant_type: 'password', username, password: 'secret', ...own };
      return String((await client.post('/oauth/token', form)).json['access_token']);
    },
    close: () => host.close(),
  };
}
