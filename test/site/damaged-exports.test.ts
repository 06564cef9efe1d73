import { Readable } from 'node:stream';
import { BrokenExport, ContentDatabase, importExport } from 'oauth-query/content/mediawiki-export';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/content/sqlite/sql.js';
import { everyRow } from '../rows.js';
import { exportOfVersion, PAGES, pageElement, SITE_ELEMENT, type Version, VERSIONS } from './support/exports.js';

let database: ContentDatabase;
beforeEach(() => {
  database = new ContentDatabase(':memory:');
});
afterEach(() => database.close());

/** Imports a text: its reports, and the error that ended it. */
const importing = async (text: string | Buffer): Promise<{ readonly reports: string; readonly error: unknown }> => {
  const reports: string[] = [];
  database.exec(
    'DELETE FROM revision; DELETE FROM page; DELETE FROM link; DELETE FROM user; DELETE FROM site; DELETE FROM edit_count',
  );
  database.exec('DELETE FROM file; DELETE FROM category_member');
  const error = await importExport(database, Readable.from([Buffer.from(text)]), {
    onProblem: (sentence) => reports.push(sentence),
  }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { reports: reports.join('\n'), error };
};

interface Row {
  readonly title: string;
  readonly ns: number;
  readonly id: number;
  readonly revision: number;
  readonly parent: number;
  readonly timestamp: string;
  readonly user: string | null;
  readonly user_id: number;
  readonly minor: number;
  readonly comment: string | null;
  readonly text: string | null;
  readonly model: string;
}

const rows = (): readonly Row[] =>
  database.all<Row>(sql`
    SELECT title, page.ns, page.id, revision.id AS revision, parent, timestamp, user, user_id, minor, comment, text, revision.model
    FROM revision JOIN page ON page.id = revision.page ORDER BY page.id, revision.id`);

/** Whether a number is that of another page in the file, or of a revision of it. */
const isOfAnother = (number: number, letter: string): boolean =>
  PAGES.some((title, index) => {
    const own = index + 1;
    return title.slice(-1) !== letter && [own * 10, own * 100 + 1, own * 100 + 2].includes(number);
  });

/** Pages with content of another page, and pages that are lost and not named. */
const wrongIn = (reports: string): readonly string[] => {
  const found = rows();
  const mixed = found.filter(({ title, id, revision, user, comment, text }) => {
    const letter = title.slice(-1);
    return (
      (text !== null && text !== '' && !text.startsWith(`Text ${letter}`)) ||
      (user !== null && user !== 'Unknown user' && !user.endsWith(letter)) ||
      (comment !== null && comment !== '' && !comment.endsWith(letter)) ||
      isOfAnother(id, letter) ||
      isOfAnother(revision, letter)
    );
  });
  const unnamed = PAGES.filter(
    (title) =>
      !found.some((row) => row.title === title) &&
      !reports.includes(title) &&
      !/no title|without a title|its prefix|<title>/.test(reports),
  );
  return [...mixed.map((row) => JSON.stringify(row)), ...unnamed];
};

/** Every element of a page, with its parent and a text. */
const ELEMENTS = [
  ...['title', 'ns', 'id', 'redirect', 'revision'].map((name) => ['page', name] as const),
  ...['id', 'parentid', 'timestamp', 'contributor', 'minor', 'comment', 'model', 'format', 'text', 'sha1'].map(
    (name) => ['revision', name] as const,
  ),
  ...['username', 'id'].map((name) => ['contributor', name] as const),
];
const PARENTS = ['mediawiki', 'siteinfo', 'page', 'revision', 'contributor', 'upload', 'content'];

/** The element of the page B. */
const elementIn = (page: string, parent: string, name: string): { readonly at: number; readonly text: string } => {
  const from = Math.max(0, page.indexOf(`<${parent}>`));
  const inner = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>[^]*?</${name}>)`).exec(page.slice(from + 1));
  return { at: from + 1 + (inner?.index ?? 0), text: inner?.[0] ?? '' };
};

const faults = (): readonly (readonly [name: string, page: string])[] => {
  const page = pageElement('Page B', '0.11');
  return ELEMENTS.flatMap(([parent, name]) => {
    const { at, text } = elementIn(page, parent, name);
    const replaced = (by: string): string => page.slice(0, at) + by + page.slice(at + text.length);
    const what = `<${name}> in <${parent}>`;
    return [
      [`${what} missing`, replaced('')] as const,
      [`${what} twice`, replaced(text + text)] as const,
      [`${what} empty`, replaced(`<${name}/>`)] as const,
      [`${what} not begun`, replaced(text.replace(/^<[^>]*>/, ''))] as const,
      [`${what} not ended`, replaced(text.replace(/<[^<]*$/, ''))] as const,
      ...PARENTS.filter(
        (other) => other !== parent && !(name === 'id' && ['page', 'revision', 'contributor'].includes(other)),
      ).map((other) => [`${what} in <${other}>`, replaced(`<${other}>${text}</${other}>`)] as const),
    ];
  });
};

const whole = (...pages: readonly string[]): string =>
  `<mediawiki xml:lang="en">${SITE_ELEMENT}${pages.join('\n')}</mediawiki>`;

test('an element that is missing, repeated, empty or elsewhere costs its page at most, which is named', async () => {
  const table = faults();
  expect(table.length).toBeGreaterThan(150);
  await everyRow(table, async ([name, page]) => {
    const { reports, error } = await importing(
      whole(pageElement('Page A', '0.11'), page, pageElement('Page C', '0.11')),
    );
    expect(error, name).toBeUndefined();
    // What the schema allows to be absent loses nothing.
    expect(wrongIn(reports), `${name}: ${reports}`).toEqual([]);
    for (const title of ['Page A', 'Page C'])
      expect(
        rows().filter((row) => row.title === title),
        name,
      ).toHaveLength(2);
  });
});

test('a file cut at any byte, alone and before another, has no content under another page', async () => {
  const good = Buffer.from(exportOfVersion('0.11'));
  const other = whole(...['Page D', 'Page E'].map((title) => pageElement(title, '0.11')));
  const cuts = Number(process.env['CUTS'] ?? 60);
  for (let n = 0; n < cuts; n += 1) {
    const at = 1 + Math.floor(((n * 0.618_034) % 1) * (good.length - 1));
    const start = good.subarray(0, at);
    const alone = await importing(start);
    if (alone.error !== undefined) expect(alone.error, String(at)).toBeInstanceOf(BrokenExport);
    expect(wrongIn(`${alone.reports} ${PAGES.join()}`), `alone, ${at}`).toEqual([]);
    const both = await importing(Buffer.concat([start, Buffer.from(other)]));
    const found = rows().map(({ title }) => title);
    // Without a whole tag before it, the cut leaves something that is not XML, or a tag with the next one in it.
    if (both.error !== undefined) expect(both.error, String(at)).toBeInstanceOf(BrokenExport);
    else
      expect(
        found.filter((title) => title === 'Page E'),
        String(at),
      ).toHaveLength(2);
    expect(wrongIn(`${both.reports} ${PAGES.join()}`), `both, ${at}`).toEqual([]);
  }
});

test('every version of the format, 0.3 to 0.11, has the same content', async () => {
  const seen = new Map<Version, readonly Row[]>();
  for (const version of VERSIONS) {
    const { error, reports } = await importing(exportOfVersion(version));
    expect([error, reports], version).toEqual([
      undefined,
      version === '0.11' ? expect.stringContaining('slot "aux"') : '',
    ]);
    seen.set(version, rows());
  }
  const newest = seen.get('0.11') ?? [];
  expect(newest).toHaveLength(PAGES.length * 2 + 2);
  expect(newest.filter(({ title }) => title === 'Head B')).toMatchObject([{ ns: 10 }, { ns: 10 }]);
  for (const [version, found] of seen) expect(found, version).toEqual(newest);
});

test('what is between the lines: dates, bytes, entities, stubs, people, namespaces', async () => {
  const revision = (id: number, more: string, time = '2024-01-02T03:04:05Z'): string =>
    `<revision><id>${id}</id><timestamp>${time}</timestamp>${more}</revision>`;
  const page = (title: string, ns: string, ...revisions: readonly string[]): string =>
    `<page><title>${title}</title>${ns}<id>0</id>${revisions.join('')}</page>`;
  const user = (inner: string): string => `<contributor>${inner}</contributor><text>x</text>`;
  const one = async (text: string | Buffer) => {
    const result = await importing(text);
    return { ...result, row: rows()[0] };
  };
  const times = [
    ['2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05Z'],
    [' 2024-01-02 03:04:05+02 ', '2024-01-02T01:04:05Z'],
    ['2024-01-02T24:00:00-0130', '2024-01-03T01:30:00Z'],
    ['20240102030405', '2024-01-02T03:04:05Z'],
    ['2024-02-30T00:00:00Z', undefined],
    ['2024-01-02T03:04:60Z', undefined],
    ['0000-01-01T00:00:00Z', undefined],
    ['1704164645', undefined],
  ] as const;
  await everyRow(times, async ([given, expected]) => {
    const { row } = await one(whole(page('A', '', revision(1, '<text>x</text>', given))));
    expect(row?.timestamp).toBe(expected);
  });
  const texts = [
    ['<text> a\r\n&#13;<![CDATA[<b>]]> </text>', ' a\n\r<b> '],
    ['<text bytes="9" id="4"/>', null],
    ['<text location="tt:4"/>', null],
    ['<text bytes="0" id="4"/>', ''],
    ['<text deleted="deleted"/>', null],
    ['<text>&nbsp;</text>', undefined],
    ['<text>&#x1;</text>', undefined],
    ['', undefined],
    ['<comment>c</comment>', undefined],
    [Buffer.from('3c746578743ec328efbfbd3c2f746578743e', 'hex'), undefined],
    [Buffer.from('<text>\ufffd</text>'), '\ufffd'],
  ] as const;
  await everyRow(texts, async ([given, expected]) => {
    const [start = '', end = ''] = whole(page('A', '', revision(1, '|'))).split('|');
    const { row, reports } = await one(Buffer.concat([Buffer.from(start), Buffer.from(given), Buffer.from(end)]));
    expect(row?.text, reports).toBe(expected);
    if (expected === undefined) expect(reports).toContain('A revision of "A" is skipped');
  });
  const people = [
    [user('<username>foo_bar</username><id>7</id>'), 'Foo bar', 7],
    [user('<username>2001:db8::1</username><id>0</id>'), '2001:DB8:0:0:0:0:0:1', 0],
    [user('<username>Ann</username><ip>192.0.2.1</ip><id>7</id>'), 'Ann', 7],
    [user('<username/>'), 'Unknown user', 0],
    [user('<username>a&gt;b</username><id>7</id>'), 'a>b', 7],
    ['<contributor deleted="deleted"/><text>x</text>', null, 0],
    ['<text>x</text>', 'Unknown user', 0],
  ] as const;
  await everyRow(people, async ([given, name, id]) => {
    const { row } = await one(whole(page('A', '', revision(1, given))));
    expect(row).toMatchObject({ user: name, user_id: id });
  });
  const titles = [
    ['template:x', '', 10, 'X'],
    ['Template:X', '<ns>0</ns>', 10, 'X'],
    ['X', '<ns>10</ns>', 10, 'X'],
    ['User:X', '<ns>10</ns>', 10, 'User:X'],
    ['Portal:X', '<ns>100</ns>', 100, 'X'],
    ['X', '<ns>100</ns>', 100, 'X'],
    ['MediaWiki:x.css', '<ns>8</ns>', 8, 'X.css', 'css'],
    ['X.css', '', 0, 'X.css', 'wikitext'],
    ['A#b', '<ns>0</ns>', undefined, undefined],
    ['Zu\u0308rich', '', 0, 'Zürich'],
  ] as const;
  await everyRow(titles, async ([given, number, ns, title, model]) => {
    const { row } = await one(whole(page(given, number, revision(1, '<text>x</text>'))));
    expect([row?.ns, row?.title]).toEqual([ns, title]);
    if (model) expect(row?.model).toBe(model);
  });
});

test('a text, a tag or a nesting without bounds costs its page; a page or a number that comes twice is reported', async () => {
  const [a, b, c] = ['Page A', 'Page B', 'Page C'].map((title) => pageElement(title, '0.11'));
  const long = b!.replace('Text B', `Text B ${'x'.repeat(2 ** 24)}`);
  const tag = b!.replace('<text ', `<text x="${'x'.repeat(70_000)}" `);
  const deep = b!.replace('<comment>', `${'<x>'.repeat(70)}<comment>`);
  await everyRow(
    [
      [long, 'a text has more than 16777216 characters'],
      [tag, ''],
      [deep, 'nested more than 64 deep'],
      [a!, 'There is a second page'],
      [b!.replaceAll('<id>201</id>', '<id>101</id>'), '101 is that of another revision'],
      [`${b!}<page><title>Page C`, 'A page without a title is broken off'],
    ],
    async ([page, report]) => {
      const { error, reports } = await importing(whole(a!, page!, c!));
      expect(error).toBeUndefined();
      expect(reports).toContain(report);
      expect(
        rows()
          .filter(({ title }) => title !== 'Page B')
          .map(({ title }) => title),
      ).toEqual(['Page A', 'Page A', 'Page C', 'Page C']);
    },
  );
});

test('other encodings, UTF-16 with its mark, and what is no export', async () => {
  const good = whole(pageElement('Page A', '0.11'));
  const utf16 = Buffer.from(`\ufeff${good}`, 'utf16le');
  await everyRow(
    [
      [utf16, undefined],
      [Buffer.from(utf16).swap16(), undefined],
      [Buffer.from(`\ufeff${good}`), undefined],
      [utf16.subarray(2), /is in UTF-16LE\. Convert it to UTF-8: iconv/],
      [Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${good}`), /is in ISO-8859-1/],
      [Buffer.from('600:12:Page'), /index of a multistream dump/],
      [Buffer.from('page_title\nA'), /list of titles/],
      [Buffer.from('-- MySQL dump'), /it is SQL/],
      [Buffer.from('{"a": 1}'), /it is JSON/],
      [Buffer.from(`<!DOCTYPE mediawiki [<!ENTITY a "b">]>${good}`), /document type/],
    ] as const,
    async ([text, sentence]) => {
      const { error } = await importing(text as Buffer);
      if (sentence === undefined) expect([error, rows().length]).toEqual([undefined, 2]);
      else expect(String(error)).toMatch(sentence);
    },
  );
});
