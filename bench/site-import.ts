/** Measures the import of an export with many pages, in time and memory: `npx tsx bench/site-import.ts [pages]`. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentDatabase, importExport } from 'oauth-query/content/mediawiki-export';
import { writeExport } from './support/large-export.js';

const measure = async (folder: string, pages: number): Promise<void> => {
  const file = join(folder, `${pages}.xml`);
  await writeExport(file, pages);
  const database = new ContentDatabase(join(folder, `${pages}.db`));
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
