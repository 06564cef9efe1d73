import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BrokenExport, Database, importExport } from '../../examples/site/index.js';
import { sql } from '../../examples/site/sql.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let database: Database;
beforeEach(() => {
  database = new Database(':memory:');
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

const mediawiki = (...parts: string[]): string => `<mediawiki xml:lang="en">${parts.join('\n')}</mediawiki>`;

const TIME = '2024-01-01T00:00:00Z';
const titles = (): readonly string[] =>
  database.all<{ title: string }>(sql`SELECT title FROM page ORDER BY id`).map(({ title }) => title);
const importing = (path: string): Promise<unknown> => importExport(database, path, { clock: () => 0 });

describe('a file that cannot be used is refused with one sentence', () => {
  const good = mediawiki(page('One', 1, revision(1, TIME, 'text')), page('Two', 2, revision(2, TIME, 'text')));
  test.each([
    ['absent.xml', undefined, /absent\.xml cannot be read: there is no such file\.$/],
    ['empty.xml', '', /empty\.xml is empty\.$/],
    ['page.html', '<html><body></body></html>', /is not a MediaWiki export: it begins with <html>\.$/],
    ['text.xml', 'Hello', /text\.xml is not XML\.$/],
    ['cut.xml', good.slice(0, good.indexOf('Two') + 20), /cut\.xml ends too early, at line \d+, column \d+/],
    ['tag.xml', good.replace('</title>', '</tilte>'), /tag\.xml is not well-formed XML at line 1, column \d+/],
    ['number.xml', good.replace('<id>2</id>', '<id>two</id>'), /number\.xml is damaged: "two" is no number/],
    ['time.xml', good.replace(TIME, 'yesterday'), /time\.xml is damaged: the time of a revision is "yesterday"/],
    ['untitled.xml', good.replace('<title>One</title>', ''), /untitled\.xml is damaged: a page has no title/],
    ['dump.bz2', Buffer.from('BZh91AY'), /dump\.bz2 is packed\. Unpack it first, with bunzip2\.$/],
    ['dump.7z', Buffer.from('377abcaf271c', 'hex'), /is packed\. Unpack it first, with 7z x\.$/],
    [
      'cut.xml.gz',
      gzipSync(good).subarray(0, 60),
      /cut\.xml\.gz cannot be unpacked: it is damaged or was cut short\.$/,
    ],
  ])('%s', async (name, content, sentence) => {
    const path = content === undefined ? join(folder, name) : file(name, content);
    const failure = await importing(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BrokenExport);
    expect((failure as Error).message).toMatch(sentence);
    expect((failure as Error).message.split('\n')).toHaveLength(1);
  });

  test('a directory', async () => {
    await expect(importing(folder)).rejects.toThrow(/is a directory\. Name the XML file in it\.$/);
  });

  test('the pages before the damage are kept, and the one that was cut short is not', async () => {
    await expect(importing(file('half.xml', good.slice(0, good.indexOf('Two') + 120)))).rejects.toThrow(BrokenExport);
    expect(titles()).toEqual(['One']);
  });
});

test('a file packed with gzip is read as it is', async () => {
  await importing(file('good.xml.gz', gzipSync(mediawiki(page('One', 1, revision(1, TIME, 'text'))))));
  expect(titles()).toEqual(['One']);
});

test('a letter of several bytes may lie across two pieces of the file', async () => {
  const text = 'ä€😀'.repeat(60_000);
  await importing(file('letters.xml', mediawiki(page('One', 1, revision(1, TIME, text)))));
  expect(database.first(sql`SELECT text FROM revision`)).toMatchObject({ text });
});

test('an export read again adds nothing; a newer one adds what is new, and keeps what was there', async () => {
  const first = page('One', 1, revision(1, TIME, '[[Old]] [[Category:A]]'));
  await importing(file('first.xml', mediawiki(first)));
  expect(await importing(join(folder, 'first.xml'))).toEqual({ pages: 1, revisions: 0 });
  const second = page(
    'One',
    1,
    revision(1, TIME, '[[Old]] [[Category:A]]'),
    revision(2, '2024-02-01T00:00:00Z', '[[New]] [[Category:B]]'),
  );
  expect(await importing(file('second.xml', mediawiki(second)))).toEqual({ pages: 1, revisions: 1 });
  expect(database.all(sql`SELECT title FROM link`)).toMatchObject([{ title: 'New' }]);
  expect(database.all(sql`SELECT category FROM category_member`)).toMatchObject([{ category: 'B' }]);
  expect(database.all(sql`SELECT rowid FROM page_text WHERE page_text MATCH 'old'`)).toEqual([]);
  expect(database.all(sql`SELECT id FROM log`)).toHaveLength(2);
});

test('two revisions of one second that leave the text as it was are two: a page that was created and protected', async () => {
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

test('what is hidden stays hidden', async () => {
  const hidden = `<page><title>One</title><ns>0</ns><id>1</id><revision><id>1</id><timestamp>${TIME}</timestamp>
    <contributor deleted="deleted" /><comment deleted="deleted" /><text deleted="deleted" /></revision></page>`;
  await importing(file('hidden.xml', mediawiki(hidden)));
  expect(database.first(sql`SELECT user, comment, text FROM revision`)).toMatchObject({
    user: null,
    comment: null,
    text: null,
  });
});

test('a page with a history longer than a batch keeps all of it, and its latest text', async () => {
  const revisions = Array.from({ length: 12 }, (_, n) =>
    revision(n + 1, `2024-01-${String(n + 1).padStart(2, '0')}T00:00:00Z`, `${'x'.repeat(1_000_000)} [[Target ${n}]]`),
  );
  await importing(
    file('long.xml', mediawiki(page('One', 1, ...revisions), page('Two', 2, revision(20, TIME, 'text')))),
  );
  expect(database.first(sql`SELECT count(*) AS n FROM revision`)).toMatchObject({ n: 13 });
  expect(database.first(sql`SELECT latest FROM page WHERE id = 1`)).toMatchObject({ latest: 12 });
  expect(database.all(sql`SELECT title FROM link`)).toMatchObject([{ title: 'Target_11' }]);
  expect(titles()).toEqual(['One', 'Two']);
});
