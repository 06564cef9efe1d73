import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/**
 * A site of which everything is known: page `i` of `Page 0000` … links to the next one and to the first, has a template, a
 * category, a file, an address, a language; every seventh has a redirect that leads to it, every third two revisions.
 */
export interface GeneratedSite {
  /** Numbers of the pages. */
  readonly numbers: readonly number[];
  /** Stands behind every title, so that several such sites can lie in each other. */
  readonly suffix: string;
}

export const generatedSite = (count: number, suffix = ''): GeneratedSite => ({
  numbers: Array.from({ length: count }, (_, index) => index),
  suffix,
});

export const USERS = ['Alice', 'Bob', 'Carol'] as const;

export const pageTitle = ({ suffix }: GeneratedSite, number: number): string =>
  `Page ${String(number).padStart(5, '0')}${suffix}`;
export const redirectTitle = (site: GeneratedSite, number: number): string => `To ${pageTitle(site, number)}`;
export const hasRedirect = (number: number): boolean => number % 7 === 0;
export const revisionsOf = (number: number): number => (number % 3 === 0 ? 2 : 1);
export const authorOf = (number: number, revision: number): string => USERS[(number + revision) % 3] ?? '';
/** The page that all link to, whatever stands behind their titles. */
export const HUB = 'Page 00000';
export const linkTargets = (site: GeneratedSite, number: number): readonly string[] => [
  ...new Set([pageTitle(site, (number + 1) % site.numbers.length), HUB]),
];

const textOf = (site: GeneratedSite, number: number, revision: number): string =>
  `Number ${number}, revision ${revision}, about rope. ` +
  `${linkTargets(site, number)
    .map((title) => `[[${title}]]`)
    .join(' ')} {{Box}} {{Kind ${number % 5}}} ` +
  `[[File:Picture ${number % 4}.png|thumb]] [[Category:All]] [[Category:Group ${number % 6}${site.suffix}]] ` +
  `https://host${number % 3}.example.org/${number}${site.suffix.trim()} [[de:Seite ${number}]] [[encyclopedia:Entry ${number}]] ` +
  '{{DISPLAYTITLE:shown}}';

const revisionXml = (id: number, parent: number, time: number, author: string, text: string): string => `<revision>
<id>${id}</id>${parent === 0 ? '' : `<parentid>${parent}</parentid>`}
<timestamp>${new Date(time).toISOString().replace('.000', '')}</timestamp>
<contributor><username>${author}</username><id>${USERS.findIndex((user) => user === author) + 1}</id></contributor>
<comment>c</comment><model>wikitext</model><format>text/x-wiki</format><text>${text}</text></revision>`;

/** Its export; ids begin at `firstId`, and revisions of different pages share their times. */
export async function writeExport(file: string, site: GeneratedSite, firstId = 1): Promise<void> {
  const out = createWriteStream(file);
  out.write(
    '<mediawiki xml:lang="en"><siteinfo><sitename>Generated</sitename><base>https://x.example/wiki/Hub</base></siteinfo>',
  );
  let id = firstId;
  for (const number of site.numbers) {
    const revisions = Array.from({ length: revisionsOf(number) }, (_, revision) => {
      const time = Date.UTC(2024, 0, 1 + revision) + Math.floor(number / 10) * 1000;
      id += 1;
      return revisionXml(
        id,
        revision === 0 ? 0 : id - 1,
        time,
        authorOf(number, revision),
        textOf(site, number, revision),
      );
    });
    const title = pageTitle(site, number);
    let xml = `<page><title>${title}</title><ns>0</ns><id>${id}</id>${revisions.join('')}</page>`;
    if (hasRedirect(number)) {
      id += 1;
      const redirect = revisionXml(id, 0, Date.UTC(2024, 1, 1), 'Bob', `#REDIRECT [[${title}]]`);
      xml += `<page><title>${redirectTitle(site, number)}</title><ns>0</ns><id>${id}</id>${redirect}</page>`;
    }
    if (!out.write(xml)) await once(out, 'drain');
  }
  out.end('</mediawiki>');
  await finished(out);
}
