import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { contentQuery } from 'oauth-query/content';
import { exportContent } from 'oauth-query/content/mediawiki-export';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BrokenExport, ContentDatabase, importExport } from '../../examples/site/index.js';
import { sql } from '../../src/content/sqlite/sql.js';
import { startQuery } from '../content/support/same-pages.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let database: ContentDatabase;
beforeEach(() => {
  database = new ContentDatabase(':memory:');
});
afterEach(() => database.close());

const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const revision = (id: number, time: string, text: string, more = ''): string => `<revision><id>${id}</id>
<timestamp>${time}</timestamp><contributor><username>Alice</username><id>1</id></contributor>${more}
<model>wikitext</model><format>text/x-wiki</format><text>${text}</text></revision>`;

const page = (title: string, id: number, ...revisions: string[]): string =>
  `<page><title>${title}</title><ns>0</ns><id>${id}</id>${revisions.join('')}</page>`;

const mediawiki = (...parts: string[]): string => `<mediawiki xml:lang="en"><siteinfo/>${parts.join('\n')}</mediawiki>`;

const TIME = '2024-01-01T00:00:00Z';
const titles = (): readonly string[] =>
  database.all<{ title: string }>(sql`SELECT title FROM page ORDER BY id`).map(({ title }) => title);
const importing = (path: string): Promise<unknown> => importExport(database, path);

describe('an unusable file is rejected with one sentence', () => {
  const good = mediawiki(page('One', 1, revision(1, TIME, 'text')), page('Two', 2, revision(2, TIME, 'text')));
  test.each([
    ['absent.xml', undefined, /absent\.xml cannot be read: the file does not exist\.$/],
    ['empty.xml', '', /empty\.xml is empty\.$/],
    ['page.html', '<html><body></body></html>', /is not a MediaWiki export: it is HTML\.$/],
    ['text.xml', 'Hello', /text\.xml is not XML\.$/],
    ['cut.xml', good.slice(0, good.indexOf('Two') + 20), /cut\.xml is incomplete: it ends at line \d+, column \d+/],
    ['rss.xml', '<rss/>', /is not a MediaWiki export: its root element is <rss>\.$/],
    ['dump.bz2', Buffer.from('BZh91AY'), /dump\.bz2 is compressed\. Decompress it first, with bzcat\.$/],
    ['dump.7z', Buffer.from('377abcaf271c', 'hex'), /is compressed\. Decompress it first, with 7z x\.$/],
    [
      'cut.xml.gz',
      gzipSync(good).subarray(0, 60),
      /cut\.xml\.gz cannot be decompressed: it is damaged or incomplete\.$/,
    ],
  ])('%s', async (name, content, sentence) => {
    const path = content === undefined ? join(folder, name) : file(name, content);
    const failure = await importing(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BrokenExport);
    expect((failure as Error).message).toMatch(sentence);
    expect((failure as Error).message.split('\n')).toHaveLength(1);
  });

  test('a directory', async () => {
    await expect(importing(folder)).rejects.toThrow(/is a directory\. Specify the XML file in it\.$/);
  });

  test('the pages before the damage are imported, the truncated one is not', async () => {
    await expect(importing(file('half.xml', good.slice(0, good.indexOf('Two') + 120)))).rejects.toThrow(BrokenExport);
    expect(titles()).toEqual(['One']);
  });
});

test('character data is read in linear time, in pieces of any length', async () => {
  const piece = `${'x'.repeat(32_767)}]`;
  const [start = '', end = ''] = mediawiki(page('Long', 1, revision(1, TIME, '<![CDATA[…]]>'))).split('…]]>');
  const pieces = [start, ...Array.from({ length: 500 }, () => piece), ...']]>', end];
  const before = process.cpuUsage();
  await importExport(database, Readable.from(pieces));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3_000);
  const [stored] = database.all<{ size: number; end: string }>(sql`SELECT size, substr(text, -3) AS end FROM revision`);
  expect(stored).toEqual({ size: 500 * piece.length, end: 'xx]' });
});

test('a page or revision with an unusable value is skipped and reported, and all others are imported', async () => {
  const sentences: string[] = [];
  const odd = mediawiki(
    page('One', 1, revision(1, TIME, 'text')),
    page('Untitled', 2, revision(2, TIME, 'text')).replace('<title>Untitled</title>', ''),
    page('Late', 3, revision(3, 'yesterday', 'text'), revision(4, TIME, 'kept')),
    page('Timeless', 4, revision(5, TIME, 'text').replace(/<timestamp>.*<\/timestamp>/, '')),
    page('Impossible', 5, revision(6, '2024-13-01T00:00:00Z', 'text')),
    page('[[bad]]', 6, revision(7, TIME, 'text')),
    page('Numbers', 7, revision(8, TIME, 'text')).replace('<id>8</id>', '<id>eight</id>'),
    page('Ids', 8, revision(9, TIME, 'text')).replace('<id>8</id>', '<id>\u001b[2J</id>'),
    page('Two', 9, revision(10, TIME, 'text')),
  );
  const path = file('odd.xml', odd);
  const imported = await importExport(database, path, { onProblem: (sentence) => sentences.push(sentence) });
  expect(titles()).toEqual(['One', 'Late', 'Numbers', 'Two']);
  expect(imported).toEqual({ pages: 9, revisions: 4, skippedPages: 5, skippedRevisions: 3, changedTitles: 0 });
  expect(database.all(sql`SELECT text FROM revision WHERE page = 3`)).toEqual([{ text: 'kept' }]);
  expect(sentences.map((sentence) => sentence.replace(`${path}:`, ''))).toEqual([
    '6: The page with id 2 is skipped: it has no title.',
    '9: A revision of "Late" is skipped: its time is "yesterday".',
    '14: A revision of "Timeless" is skipped: its time is "".',
    '14: The page "Timeless" is skipped: it has no revision that can be used.',
    '17: A revision of "Impossible" is skipped: its time is "2024-13-01T00:00:00Z".',
    '17: The page "Impossible" is skipped: it has no revision that can be used.',
    '20: The page "[[bad]]" is skipped: The requested page title contains invalid characters: "[".',
    '23: The id of a revision of "Numbers" is not used: it is "eight".',
    '26: The page "Ids" is skipped: its <id> has bytes that are not UTF-8, or characters or entities that XML does not allow.',
  ]);
});

test('statistics count all revisions of a file, also those that are not stored', async () => {
  const many = Array.from({ length: 30 }, (_, n) => revision(n + 1, `2024-01-01T00:00:${10 + n}Z`, `text ${n}`));
  await importing(file('edits.xml', mediawiki(page('One', 1, ...many), page('Two', 2, revision(40, TIME, 'text')))));
  const { statistics } = exportContent(database).site ?? {};
  expect(statistics).toMatchObject({ pages: 2, edits: 31, users: 1, activeusers: 0 });
  await importing(join(folder, 'edits.xml'));
  expect(exportContent(database).site?.statistics).toMatchObject({ edits: 31 });
});

test('the current version of a file is in imageinfo and allimages, and its content is not read', async () => {
  const upload = (name: string, time: string, more: string): string => `<upload><timestamp>${time}</timestamp>
<contributor><username>Bob</username><id>2</id></contributor><comment>c</comment><filename>${name}</filename>${more}
<contents encoding="base64">${'QUJD'.repeat(1_000)}</contents></upload>`;
  const filePage = (title: string, id: number, ...uploads: string[]): string =>
    page(title, id, revision(id, TIME, 'A picture.'), ...uploads).replace('<ns>0</ns>', '<ns>6</ns>');
  const old = upload(
    'Boat.png',
    TIME,
    '<archivename>1!Boat.png</archivename><src>https://x.example/1</src><size>1</size>',
  );
  const boat = (size: number, time: string): string =>
    upload(
      'Boat.png',
      time,
      `<src>https://x.example/a/ab/Boat.png</src><size>${size}</size><sha1base36>phoiac9h4m842xq45sp7s6u21eteeq1</sha1base36>`,
    );
  const sentences: string[] = [];
  await importExport(
    database,
    file(
      'files.xml',
      mediawiki(
        filePage('File:Boat.png', 1, old, boat(2_000, '2024-02-01T00:00:00Z')),
        filePage('File:Script.png', 2, upload('Script.png', TIME, '<src>javascript:alert(1)</src><size>5</size>')),
        filePage('File:Late.png', 3, upload('Late.png', 'now', '<src>https://x.example/l</src><size>5</size>')),
        page('Boat.png', 4, revision(4, TIME, 'text'), boat(9, TIME)),
        filePage('File:Earlier.svg', 5),
      ),
    ),
    { onProblem: (sentence) => sentences.push(sentence) },
  );
  expect(sentences).toHaveLength(2);
  expect(sentences[0]).toContain('A file of "File:Script.png" is skipped: its address is "javascript:alert(1)".');
  const host = await startQuery(contentQuery(exportContent(database)));
  const ask = async () => {
    const { json } = await host.query({
      ...{ titles: 'File:Boat.png|File:Script.png|File:Earlier.svg', prop: 'imageinfo', list: 'allimages' },
      iiprop: 'url|size|mime|mediatype|sha1|user|timestamp',
      aiprop: 'size',
    });
    return json['query'] as { readonly pages: readonly unknown[]; readonly allimages: readonly unknown[] };
  };
  const boatInfo = {
    timestamp: '2024-02-01T00:00:00Z',
    user: 'Bob',
    size: 2_000,
    url: 'https://x.example/a/ab/Boat.png',
    sha1: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    mime: 'image/png',
    mediatype: 'BITMAP',
  };
  const { pages, allimages } = await ask();
  expect(pages).toMatchObject([{ imageinfo: [boatInfo] }, { imagerepository: '' }, { imagerepository: '' }]);
  expect(allimages).toMatchObject([{ title: 'File:Boat.png', size: 2_000 }]);
  // A later export may bring a new version, or an older one.
  const later = [filePage('File:Boat.png', 1, boat(3_000, '2024-03-01T00:00:00Z'))];
  await importing(file('later.xml', mediawiki(...later, filePage('File:Boat.png', 1, boat(4, TIME)))));
  expect((await ask()).pages).toMatchObject([{ imageinfo: [{ size: 3_000 }] }, {}, {}]);
  await host.close();
});

test('a gzipped file is read directly', async () => {
  await importing(file('good.xml.gz', gzipSync(mediawiki(page('One', 1, revision(1, TIME, 'text'))))));
  expect(titles()).toEqual(['One']);
});

test('a multi-byte character may be split between two chunks of the file', async () => {
  const text = 'ä€😀'.repeat(60_000);
  await importing(file('letters.xml', mediawiki(page('One', 1, revision(1, TIME, text)))));
  expect(database.first(sql`SELECT text FROM revision`)).toMatchObject({ text });
});

test('an export imported again adds nothing; a newer one adds its new revisions', async () => {
  const first = page('One', 1, revision(1, TIME, '[[Old]] [[Category:A]]'));
  await importing(file('first.xml', mediawiki(first)));
  expect(await importing(join(folder, 'first.xml'))).toMatchObject({ pages: 1, revisions: 0 });
  const second = page(
    'One',
    1,
    revision(1, TIME, '[[Old]] [[Category:A]]'),
    revision(2, '2024-02-01T00:00:00Z', '[[New]] [[Category:B]]'),
  );
  expect(await importing(file('second.xml', mediawiki(second)))).toMatchObject({ pages: 1, revisions: 1 });
  expect(database.all(sql`SELECT title FROM link WHERE kind = 'link'`)).toMatchObject([{ title: 'New' }]);
  expect(database.all(sql`SELECT category FROM category_member`)).toMatchObject([{ category: 'B' }]);
  expect(database.all(sql`SELECT rowid FROM page_text WHERE page_text MATCH 'old'`)).toEqual([]);
});

test('two revisions in one second with the same text are both kept: a page was created and protected', async () => {
  const noted = (id: number, comment: string) => revision(id, TIME, 'text', `<comment>${comment}</comment>`);
  const history = (first: number) => mediawiki(page('One', 1, noted(first, 'Created'), noted(first + 1, 'Protected')));
  const comments = () =>
    database.all<{ comment: string }>(sql`SELECT comment FROM revision ORDER BY id`).map(({ comment }) => comment);
  await importing(file('protected.xml', history(5)));
  expect(comments()).toEqual(['Created', 'Protected']);
  await importing(file('again.xml', history(5)));
  await importing(file('renumbered.xml', history(15)));
  await importing(
    file('hidden.xml', history(5).replace('<comment>Protected</comment>', '<comment deleted="deleted"/>')),
  );
  expect(comments()).toEqual(['Created', 'Protected']);
});

test('another site with the same ids gets free ones', async () => {
  await importing(file('a.xml', mediawiki(page('One', 1, revision(1, TIME, 'one')))));
  await importing(file('b.xml', mediawiki(page('Two', 1, revision(1, TIME, 'two')))));
  expect(titles()).toEqual(['One', 'Two']);
  expect(database.all(sql`SELECT text FROM revision ORDER BY id`)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
});

test('hidden content stays hidden', async () => {
  const hidden = `<page><title>One</title><ns>0</ns><id>1</id><revision><id>1</id><timestamp>${TIME}</timestamp>
    <contributor deleted="deleted" /><comment deleted="deleted" /><text deleted="deleted" /></revision></page>`;
  await importing(file('hidden.xml', mediawiki(hidden)));
  expect(database.first(sql`SELECT user, comment, text FROM revision`)).toMatchObject({
    user: null,
    comment: null,
    text: null,
  });
});

test('a page with a history longer than a batch has all of it, and its latest text', async () => {
  const revisions = Array.from({ length: 12 }, (_, n) =>
    revision(n + 1, `2024-01-${String(n + 1).padStart(2, '0')}T00:00:00Z`, `${'x'.repeat(1_000_000)} [[Target ${n}]]`),
  );
  await importing(
    file('long.xml', mediawiki(page('One', 1, ...revisions), page('Two', 2, revision(20, TIME, 'text')))),
  );
  expect(database.first(sql`SELECT count(*) AS n FROM revision`)).toMatchObject({ n: 13 });
  expect(database.first(sql`SELECT latest FROM page WHERE id = 1`)).toMatchObject({ latest: 12 });
  expect(database.all(sql`SELECT title FROM link WHERE kind = 'link'`)).toMatchObject([{ title: 'Target 11' }]);
  expect(titles()).toEqual(['One', 'Two']);
});

describe('an interrupted import', () => {
  const many = (count: number) =>
    mediawiki(
      ...Array.from({ length: count }, (_, n) => page(`Page ${n}`, n + 1, revision(n + 1, TIME, `[[Page ${n + 1}]]`))),
    );

  const breakOff = async (path: string, after: number): Promise<void> => {
    const stop = ({ pages }: { readonly pages: number }): void => {
      if (pages >= after) throw new Error('The power is gone.');
    };
    await expect(importExport(database, path, { onProgress: stop })).rejects.toThrow('The power is gone.');
  };

  test('continues after the last page that was written, and reads nothing twice', async () => {
    const path = file('long-list.xml', many(5_000));
    await breakOff(path, 1_000);
    const before = titles().length;
    expect(before).toBeGreaterThanOrEqual(1_000);
    expect(before).toBeLessThan(5_000);
    // What is taken away behind its back would come again if the page were written again.
    database.exec('DELETE FROM revision WHERE id = 1');
    expect(await importing(path)).toMatchObject({ pages: 5_000, revisions: 5_000 - before });
    expect(database.all(sql`SELECT id FROM revision WHERE id = 1`)).toEqual([]);
    expect(titles()).toEqual(Array.from({ length: 5_000 }, (_, n) => `Page ${n}`));
    expect(await importing(path)).toMatchObject({ pages: 5_000, revisions: 1 });
  });

  test('starts again if the file has changed', async () => {
    const path = file('changed.xml', many(3_000));
    await breakOff(path, 1_000);
    const before = titles().length;
    file('changed.xml', mediawiki(page('Another', 9_999, revision(9_999, TIME, 'text'))));
    expect(await importing(path)).toMatchObject({ pages: 1, revisions: 1 });
    expect(titles()).toHaveLength(before + 1);
  });
});

test('an export may be read from a pipe', async () => {
  const text = mediawiki(page('One', 1, revision(1, TIME, 'ä€😀 [[Two]]')));
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(n * 7, n * 7 + 7));
  expect(await importExport(database, Readable.from(pieces, { objectMode: false }))).toMatchObject({
    pages: 1,
    revisions: 1,
  });
  expect(database.first(sql`SELECT text FROM revision`)).toMatchObject({ text: 'ä€😀 [[Two]]' });
  const failure = importExport(database, Readable.from([Buffer.from(text.slice(0, 80))], { objectMode: false }));
  await expect(failure).rejects.toThrow(/^the standard input is incomplete: it ends at line \d+, column \d+\.$/);
});

test('the latest 21 revisions of a page are stored, in any order', async () => {
  const times = Array.from({ length: 40 }, (_, n) => n).sort((a, b) => ((a * 7) % 40) - ((b * 7) % 40));
  const at = (n: number): string => `2024-01-01T00:00:${String(n).padStart(2, '0')}Z`;
  await importing(
    file('history.xml', mediawiki(page('One', 1, ...times.map((n) => revision(n + 1, at(n), `text ${n}`))))),
  );
  const ids = () => database.all<{ id: number }>(sql`SELECT id FROM revision ORDER BY id`).map(({ id }) => id);
  expect(ids()).toEqual(Array.from({ length: 21 }, (_, n) => n + 20));
  await importing(file('newer.xml', mediawiki(page('One', 1, revision(50, at(50), 'text 50')))));
  expect(ids()).toEqual([...Array.from({ length: 20 }, (_, n) => n + 21), 50]);
  expect(database.first(sql`SELECT latest FROM page`)).toMatchObject({ latest: 50 });
});
