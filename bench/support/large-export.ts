import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export const WORDS: readonly string[] =
  'anchor boat compass deck engine fender galley harbour island jetty keel line mast navigator oar pier'.split(' ');

/** The author of a page. */
export const userName = (id: number): string => `User ${id % 100}`;

const textOf = (id: number): string => {
  const words = Array.from({ length: 150 }, (_, index) => WORDS[(id * 31 + index * 7) % WORDS.length]).join(' ');
  return `'''Page ${id}''' ${words}. See [[Page ${id + 1}]], [[Page ${(id * 17) % 10_000}]] and {{Box|${id}}}.
== More ==
${words} [https://example.org/${id} an address] [[Category:Group ${id % 50}]]`;
};

/** Writes an export with this many pages of about two kilobytes each. */
export const writeExport = async (file: string, pages: number): Promise<void> => {
  const out = createWriteStream(file);
  out.write('<mediawiki xml:lang="en"><siteinfo><sitename>Big</sitename></siteinfo>\n');
  for (let id = 1; id <= pages; id += 1) {
    const room = out.write(`<page><title>Page ${id}</title><ns>0</ns><id>${id}</id><revision><id>${id}</id>
<timestamp>${new Date(Date.UTC(2024, 0, 1) + id * 1000).toISOString().replace('.000', '')}</timestamp><contributor><username>${userName(id)}</username><id>${(id % 100) + 1}</id></contributor>
<model>wikitext</model><format>text/x-wiki</format><text>${textOf(id)}</text></revision></page>\n`);
    if (!room) await once(out, 'drain');
  }
  out.end('</mediawiki>\n');
  await finished(out);
};
