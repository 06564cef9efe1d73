/** How fast an export of many pages is read, and in how much memory: `npx tsx bench/site-import.ts [pages]`. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Database } from '../examples/site/database.js';
import { importExport } from '../examples/site/import.js';

const WORDS =
  'anchor boat compass deck engine fender galley harbour island jetty keel line mast navigator oar pier'.split(' ');

const textOf = (id: number): string => {
  const words = Array.from({ length: 150 }, (_, index) => WORDS[(id * 31 + index * 7) % WORDS.length]).join(' ');
  return `'''Page ${id}''' ${words}. See [[Page ${id + 1}]], [[Page ${(id * 17) % 10_000}]] and {{Box|${id}}}.
== More ==
${words} [https://example.org/${id} an address] [[Category:Group ${id % 50}]]`;
};

const writeExport = async (file: string, pages: number): Promise<void> => {
  const out = createWriteStream(file);
  out.write('<mediawiki xml:lang="en"><siteinfo><sitename>Big</sitename></siteinfo>\n');
  for (let id = 1; id <= pages; id += 1) {
    const room = out.write(`<page><title>Page ${id}</title><ns>0</ns><id>${id}</id><revision><id>${id}</id>
<timestamp>2024-01-01T00:00:00Z</timestamp><contributor><username>User ${id % 100}</username><id>${(id % 100) + 1}</id></contributor>
<model>wikitext</model><format>text/x-wiki</format><text>${textOf(id)}</text></revision></page>\n`);
    if (!room) await once(out, 'drain');
  }
  out.end('</mediawiki>\n');
  await finished(out);
};

const measure = async (folder: string, pages: number): Promise<void> => {
  const file = join(folder, `${pages}.xml`);
  await writeExport(file, pages);
  const database = new Database(join(folder, `${pages}.db`));
  let highest = 0;
  const started = process.hrtime.bigint();
  await importExport(database, file, {
    onProgress: () => {
      highest = Math.max(highest, process.memoryUsage().rss);
    },
  });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  database.close();
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  console.log(
    `${pages} pages, ${megabytes(statSync(file).size)} MB: ${seconds.toFixed(2)} s, ` +
      `${Math.round(pages / seconds)} pages/s, at most ${megabytes(highest)} MB of memory`,
  );
};

const folder = mkdtempSync(join(tmpdir(), 'site-import-'));
try {
  const pages = Number(process.argv[2] ?? 10_000);
  for (const count of [pages, pages * 4]) await measure(folder, count);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
