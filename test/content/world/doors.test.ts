import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { memoryContent } from 'oauth-query/content';
import { markdownFolder } from 'oauth-query/content/markdown';
import { ContentDatabase, exportContent, importExport } from 'oauth-query/content/mediawiki-export';
import { afterAll, expect, test } from 'vitest';
import { ContentDatabase as Database } from '../../../src/content/sqlite/database.js';
import { sql } from '../../../src/content/sqlite/sql.js';
import { everyRow } from '../../rows.js';
import { type Answer, exportOf, type WorldPage, type WorldServer, worldServer } from './sites.js';

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-doors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const imported = async (language: string, pages: readonly WorldPage[], namespaces = ''): Promise<WorldServer> => {
  const database = new ContentDatabase(':memory:');
  await importExport(database, Readable.from([exportOf(language, pages, namespaces)]));
  return worldServer(exportContent(database));
};

let folders = 0;

/** A folder of files by path, and what was reported about it. */
const opened = async (
  language: string,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly server: WorldServer; readonly problems: readonly string[] }> => {
  folders += 1;
  const path = join(folder, String(folders));
  const problems: string[] = [];
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const onProblem = (sentence: string): void => void problems.push(sentence);
  return { server: worldServer(await markdownFolder(path, { watch: false, site: { language }, onProblem })), problems };
};

const titlesIn = (items: readonly Answer[] = []): readonly string[] => items.map(({ title }) => title);

const queried = async (server: WorldServer, form: Readonly<Record<string, string>>): Promise<Answer> =>
  (await server.api({ action: 'query', ...form })).query;

test('a link in a text leads to the title of the language, in an export and in a folder', async () => {
  const servers = [
    await imported('tr', [['A', '[[istanbul|şehir]]'], ['İstanbul', 'x']]), // prettier-ignore
    (await opened('tr', { 'A.md': '[[istanbul|şehir]]', 'İstanbul.md': 'x' })).server,
    (await opened('tr', { 'A.md': '[şehir](istanbul.md)', 'İstanbul.md': 'x' })).server,
  ];
  for (const server of servers) {
    const { pages } = await queried(server, { titles: 'A', prop: 'links' });
    expect(titlesIn(pages[0].links)).toEqual(['İstanbul']);
    const { pages: linked } = await queried(server, { titles: 'A', generator: 'links' });
    expect(linked[0].missing).toBe(undefined);
    expect(titlesIn((await queried(server, { list: 'backlinks', bltitle: 'istanbul' })).backlinks)).toEqual(['A']);
  }
});

test('a user is found in the spelling of the language', async () => {
  const server = await imported('tr', [['X', 'x']]);
  const { usercontribs, users, allusers } = await queried(server, {
    list: 'usercontribs|users|allusers',
    ucuser: 'ismail',
    ususers: 'ismail',
    auprefix: 'ism',
  });
  for (const [{ name, user, missing }] of [usercontribs, users, allusers])
    expect([name ?? user, missing]).toEqual(['İsmail', undefined]);
});

test('a file whose name is in NFD has a title in NFC; two whose titles are equal are one page, and the other is reported', async () => {
  const { server, problems } = await opened('tr', {
    '\u1109\u1165\u110b\u116e\u11af.md': 'x',
    'izmir.md': 'small',
    'İzmir.md': 'large',
    'o\u0308n.md': 'NFD',
    'ön.md': 'NFC',
  });
  const { pages, normalized } = await queried(server, { titles: '서울', prop: 'info' });
  expect(pages[0]).toMatchObject({ title: '서울', length: 1 });
  expect(normalized).toBe(undefined);
  const { pages: both } = await queried(server, {
    titles: 'İzmir|Ön',
    prop: 'revisions',
    rvprop: 'content',
    rvslots: 'main',
  });
  // The first paths in the order of bytes.
  expect(both.map((page: Answer) => page.revisions[0].slots.main.content).sort()).toEqual(['NFD', 'small']);
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(problem).toContain('already has the title');
});

test('the address of a file has the bytes of its name on the disk', async () => {
  const { server } = await opened('en', {
    'B.md': '![](Zu\u0308rich.png)',
    'C.md': '![](Zürich.png)',
    'Zu\u0308rich.png': 'x',
  });
  const { pages } = await queried(server, { titles: 'File:Zürich.png', prop: 'imageinfo', iiprop: 'url' });
  expect(pages[0].imageinfo[0].url).toMatch(/\/files\/Zu%CC%88rich\.png$/);
  for (const titles of ['B', 'C']) {
    const { pages: using } = await queried(server, { titles, prop: 'images' });
    expect(titlesIn(using[0].images)).toEqual(['File:Zürich.png']);
  }
});

test('images are named in the namespace of the site', async () => {
  const server = await imported(
    'de',
    [['B', '[[Datei:köln.jpg]] [[file:ähre.png]]']],
    '<namespace key="6" case="first-letter">Datei</namespace>',
  );
  const { pages } = await queried(server, { titles: 'B', prop: 'images' });
  expect(titlesIn(pages[0].images)).toEqual(['Datei:Köln.jpg', 'Datei:Ähre.png']);
});

test('categories are in upper case of English, titles in the order of code points', async () => {
  const server = await imported(
    'tr',
    ['Ankara', 'İzmir', 'Ilgaz', 'Ünye', 'Ａ', '𐐀', 'Z'].map((title) => [title, '[[Category:K]]']),
  );
  const { categorymembers, allpages } = await queried(server, {
    list: 'categorymembers|allpages',
    cmtitle: 'Category:K',
    aplimit: 'max',
  });
  expect(titlesIn(categorymembers)).toEqual(['Ankara', 'Ilgaz', 'Z', 'Ünye', 'İzmir', 'Ａ', '𐐀']);
  expect(titlesIn(allpages)).toEqual(['Ankara', 'Ilgaz', 'Z', 'Ünye', 'İzmir', 'Ａ', '𐐀']);
  const { query } = await server.api({
    action: 'query',
    list: 'categorymembers',
    cmtitle: 'Category:K',
    cmstartsortkeyprefix: 'ünye',
  });
  expect(titlesIn(query.categorymembers)).toEqual(['Ünye', 'İzmir', 'Ａ', '𐐀']);
});

test('the direction is that of the language and of its script', () =>
  everyRow(
    [
      ...'ar arc arz ckb dv fa glk he khw ks lrc mzn pnb ps sd ug ur yi uz-arab kk-arab jrb-hebr ff-adlm'
        .split(' ')
        .map((code) => [code, true] as const),
      ...'en ku tr zh-hant sd-deva ks-deva ug-latn ug-cyrl zh-classical ff'
        .split(' ')
        .map((code) => [code, false] as const),
    ],
    async ([language, rtl]) => {
      const server = worldServer(memoryContent([{ title: 'X', text: 'x' }], { site: { language } }));
      const { general, pages } = await queried(server, { meta: 'siteinfo', titles: 'X', prop: 'info' });
      expect([general.rtl, pages[0].pagelanguagedir]).toEqual([rtl, rtl ? 'rtl' : 'ltr']);
    },
  ));

test('numbers of the API have ASCII digits', async () => {
  const server = worldServer(memoryContent([{ title: 'X', text: 'x' }]));
  for (const aplimit of ['٥', '５', '५']) {
    const { error } = await server.api({ action: 'query', list: 'allpages', aplimit });
    expect(error.code).toBe('badinteger');
  }
});

test('a passage of a text without spaces is bounded, and cuts no letter', () =>
  everyRow(
    [
      ['的', '首都', '是'],
      ['น้ำ', 'เมือง', 'ปี่'],
      ['𠮷', '𠀋野', '𠮷'],
      ['か\u3099', '日本', 'ｶﾞ'],
      ['👩\u200d🚀', 'sea', '👍🏽'],
      ['🏴\u200d☠\ufe0f', 'sea', '👨\u200d👩\u200d👧'],
    ],
    async ([before, wanted, after]) => {
      const text = before.repeat(3000) + wanted + after.repeat(3000);
      const server = worldServer(memoryContent([{ title: 'X', text }]));
      const { search } = await queried(server, { list: 'search', srsearch: wanted });
      const { snippet } = search[0];
      const [start, end] = snippet.split(`<span class="searchmatch">${wanted}</span>`);
      const whole = new RegExp(`^…(?:${before.normalize('NFC')})+$`, 'u');
      expect(start).toMatch(whole);
      expect(end).toMatch(new RegExp(`^(?:${after.normalize('NFC')})+…$`, 'u'));
      expect([...snippet.replace(/<[^>]*>/g, '')].length).toBeLessThanOrEqual(470);
      expect(start.split(before.normalize('NFC')).length).toBeLessThanOrEqual(before.length === 1 ? 77 : 152);
    },
  ));

test('an extract ends between words, or between letters where there are no spaces', () =>
  everyRow(
    [
      ['One two three', 5, 'One two...'],
      ['北京是中华人民共和国的首都', 3, '北京是...'],
      ['น้ำมีมาก', 1, 'น้ำ...'],
      ['ab𠮷野', 3, 'ab𠮷...'],
      ['Ein Zu\u0308rich ist', 6, 'Ein Zürich...'],
    ] as const,
    async ([text, chars, extract]) => {
      const server = worldServer(memoryContent([{ title: 'X', text }]));
      const form = { titles: 'X', prop: 'extracts', exchars: String(chars), explaintext: '1' };
      expect((await queried(server, form)).pages[0].extract.normalize('NFC')).toBe(extract);
    },
  ));

test('sentences end with the signs of their script', async () => {
  const text = '北京是首都。位于华北。人多。';
  const server = worldServer(memoryContent([{ title: 'X', text }]));
  const { pages } = await queried(server, { titles: 'X', prop: 'extracts', exsentences: '2', explaintext: '1' });
  expect(pages[0].extract).toBe('北京是首都。位于华北。');
});

test('a database whose index was written by other rules is refused', async () => {
  const file = join(folder, 'old.db');
  const database = new ContentDatabase(file);
  await importExport(database, Readable.from([exportOf('en', [['X', 'x']])]));
  const { user_version: version = 0 } =
    (database as Database).first<{ user_version: number }>(sql`PRAGMA user_version`) ?? {};
  (database as Database).exec(`PRAGMA user_version = ${version + 1}`);
  database.close();
  expect(() => new ContentDatabase(file)).toThrow(/import again/i);
});

test('titles, links and users of content in memory are found in their normal form', async () => {
  const pages = [
    { title: 'na\u0308ive', text: 'x', user: 'ismail', redirect: { to: 'zu\u0308rich' } },
    {
      ns: 4,
      title: '\u200eistanbul_x',
      text: 'y',
      links: [
        { kind: 'link', ns: 0, title: 'na\u0308ive' },
        { kind: 'language', ns: 0, title: 'de:ismail' },
      ],
      history: [{ text: 'y', user: '2001:DB8::1' }],
    },
  ] as const;
  const server = worldServer(memoryContent(pages, { site: { language: 'tr', name: 'W' } }));
  const { pages: found } = await queried(server, { titles: 'Näive', prop: 'revisions', rvprop: 'user' });
  expect(found[0]).toMatchObject({ pageid: 1, revisions: [{ user: 'İsmail' }] });
  const { redirects } = await queried(server, { titles: 'Na\u0308ive', redirects: '1' });
  expect(redirects).toEqual([{ from: 'Näive', to: 'Zürich' }]);
  const { pages: linking } = await queried(server, { titles: 'Project:istanbul x', prop: 'links|langlinks' });
  expect(linking[0]).toMatchObject({
    pageid: 2,
    links: [{ title: 'Näive' }],
    langlinks: [{ lang: 'de', title: 'ismail' }],
  });
  expect((await queried(server, { list: 'usercontribs', ucuser: 'ismail' })).usercontribs).toHaveLength(1);
  expect((await queried(server, { list: 'usercontribs', ucuser: '2001:db8:0::1' })).usercontribs).toHaveLength(1);
  expect(() => memoryContent([{ title: 'a', text: '' }, { title: 'A', text: '' }])).toThrow('two pages have the id 2 or the title "A"'); // prettier-ignore
});

test('the places of sections count code points', async () => {
  const source = memoryContent([{ title: 'X', text: 'äöü😀\n== Zwei ==\nb' }], { site: { language: 'de' } });
  const { parse } = await worldServer({
    ...source,
    render: ({ text }) => ({
      html: '',
      sections: [{ level: 2, line: 'Zwei', anchor: 'Zwei', offset: text.indexOf('==') }],
    }),
  }).api({ action: 'parse', page: 'X', prop: 'sections' });
  expect(parse.sections[0].byteoffset).toBe(5);
});
