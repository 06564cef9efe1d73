import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentLink, contentQuery, memoryContent, type MemoryPage, type VisiblePages } from 'oauth-query/content';
import { type QueryHost, startQuery } from './support/same-pages.js';
import { everyRow } from '../rows.js';

/** Every private page has this in its title, and the mark in its text; nothing public says either. */
const HIDDEN = 'Hidden';
const MARK = 'zanzibar';

const category = (title: string): ContentLink => ({ kind: 'category', ns: 14, title });
const to = (title: string): ContentLink => ({ kind: 'link', ns: 0, title });

/** Hidden pages lie between the others in every order, and lead to them and are led to in every way. */
const PAGES: readonly MemoryPage[] = [
  ...Array.from({ length: 60 }, (_, index): MemoryPage => {
    const isHidden = index % 2 === 1;
    const name = `Page ${String(index).padStart(2, '0')}${isHidden ? ` ${HIDDEN}` : ''}`;
    const next = `Page ${String((index + 1) % 60).padStart(2, '0')}${isHidden ? '' : ` ${HIDDEN}`}`;
    return {
      title: name,
      text: `${isHidden ? MARK : 'open'} word`,
      user: isHidden ? 'Mallory' : 'Alice',
      userid: isHidden ? 2 : 1,
      comment: isHidden ? MARK : 'open',
      timestamp: `2024-01-01T00:00:${String(Math.floor(index / 2)).padStart(2, '0')}Z`,
      links: [
        to(next),
        to('Page 00'),
        category('Mixed'),
        category(isHidden ? `Only ${HIDDEN}` : 'Open'),
        { kind: 'template', ns: 10, title: isHidden ? `${HIDDEN} box` : 'Box' },
        { kind: 'file', ns: 6, title: 'Picture.png' },
        { kind: 'file', ns: 6, title: `${HIDDEN}.png` },
        {
          kind: 'url',
          ns: 0,
          title: `org.example.${isHidden ? HIDDEN : 'open'}./ https`,
          text: `https://${isHidden ? HIDDEN : 'open'}.example.org/`,
        },
        { kind: 'language', ns: 0, title: isHidden ? `de:${HIDDEN}` : 'de:Offen' },
        { kind: 'interwiki', ns: 0, title: isHidden ? `other:${HIDDEN}` : 'other:Open' },
        { kind: 'property', ns: 0, title: isHidden ? `${HIDDEN}prop` : 'openprop' },
      ],
    };
  }),
  {
    title: 'Way',
    text: '',
    redirect: { to: `Page 01 ${HIDDEN}` },
    links: [{ kind: 'redirect', ns: 0, title: `Page 01 ${HIDDEN}` }],
  },
  {
    title: `${HIDDEN} way`,
    text: MARK,
    redirect: { to: 'Page 00' },
    links: [{ kind: 'redirect', ns: 0, title: 'Page 00' }, to('Page 00')],
  },
  { ns: 14, title: 'Mixed', text: '' },
  { ns: 14, title: `Only ${HIDDEN}`, text: MARK },
  { ns: 10, title: `${HIDDEN} box`, text: MARK },
  { ns: 6, title: 'Picture.png', text: '', file: { url: 'https://files.example/1', size: 1, mime: 'image/png' } },
  {
    ns: 6,
    title: `${HIDDEN}.png`,
    text: MARK,
    file: { url: 'https://files.example/Hidden', size: 1, mime: 'image/png' },
  },
  ...Array.from({ length: 3_000 }, (_, index): MemoryPage => ({
    title: `Much ${String(index).padStart(4, '0')}${index % 1_500 === 1_499 ? '' : ` ${HIDDEN}`}`,
    text: index % 1_500 === 1_499 ? 'rare' : `${MARK} rare`,
    timestamp: '2023-01-01T00:00:00Z',
  })),
];

const isOpen = (title: string): boolean => !title.includes(HIDDEN);
const visible: VisiblePages = (pages, { caller }) => (caller ? pages : pages.filter(({ title }) => isOpen(title)));

const site = {
  interwiki: { de: { url: 'https://de.example/$1', language: 'Deutsch' }, other: 'https://other.example/$1' },
  statistics: { pages: 3_067 },
};
let host: QueryHost;
beforeAll(async () => {
  const source = memoryContent(PAGES, { site });
  host = await startQuery(contentQuery({ ...source, modules: { blocks: () => [{ by: HIDDEN }] } }, { visible }));
});
afterAll(() => host.close());

const LISTS: readonly Readonly<Record<string, string>>[] = [
  { list: 'allpages', aplimit: '7' },
  { list: 'allpages', aplimit: '7', apdir: 'descending' },
  { list: 'allpages', aplimit: '3', apprefix: 'Much' },
  { list: 'allcategories', aclimit: '1', acprop: 'hidden' },
  { list: 'alllinks', allimit: '7', alprop: 'ids|title' },
  { list: 'alllinks', allimit: '2', alunique: '' },
  { list: 'alltransclusions', atlimit: '5', atprop: 'ids|title' },
  { list: 'alltransclusions', atlimit: '1', atunique: '' },
  { list: 'allfileusages', aflimit: '5', afprop: 'ids|title' },
  { list: 'allimages', ailimit: '1', aiprop: 'url' },
  { list: 'allredirects', arlimit: '1', arprop: 'ids|title' },
  { list: 'allrevisions', arvlimit: '7', arvprop: 'ids|comment|user|content', arvslots: 'main' },
  { list: 'backlinks', bltitle: 'Page 00', bllimit: '3' },
  { list: 'backlinks', bltitle: 'Page 00', bllimit: '3', blredirect: '' },
  { list: 'backlinks', bltitle: `Page 01 ${HIDDEN}`, bllimit: '3' },
  { list: 'categorymembers', cmtitle: 'Category:Mixed', cmlimit: '3', cmprop: 'ids|title|sortkey|timestamp' },
  { list: 'categorymembers', cmtitle: 'Category:Mixed', cmlimit: '3', cmsort: 'timestamp' },
  { list: 'categorymembers', cmtitle: `Category:Only ${HIDDEN}` },
  { list: 'embeddedin', eititle: `Template:${HIDDEN} box` },
  { list: 'imageusage', iutitle: `File:${HIDDEN}.png` },
  { list: 'imageusage', iutitle: 'File:Picture.png', iulimit: '4' },
  { list: 'exturlusage', eulimit: '4' },
  { list: 'iwbacklinks', iwbllimit: '4', iwblprop: 'iwtitle' },
  { list: 'langbacklinks', lbllimit: '4', lblprop: 'lltitle' },
  { list: 'pagepropnames' },
  { list: 'pageswithprop', pwppropname: `${HIDDEN}prop` },
  { list: 'prefixsearch', pssearch: 'Page', pslimit: '4' },
  { list: 'prefixsearch', pssearch: 'Much', pslimit: '1' },
  { list: 'random', rnlimit: '20' },
  { list: 'recentchanges', rclimit: '7', rcprop: 'ids|title|comment|user|sizes' },
  { list: 'search', srsearch: MARK },
  { list: 'search', srsearch: 'word', srlimit: '4' },
  { list: 'search', srsearch: 'rare', srlimit: '1' },
  { list: 'search', srsearch: `Page 01 ${HIDDEN}`, srwhat: 'nearmatch' },
  { list: 'usercontribs', ucuser: 'Mallory|Alice', uclimit: '7', ucprop: 'ids|title|comment' },
  { prop: 'info|revisions', rvprop: 'content|comment', rvslots: 'main', inprop: 'associatedpage', pageids: '1|2|4|62' },
  { prop: 'revisions', revids: '2|4', rvprop: 'content', rvslots: 'main' },
  {
    prop: 'links|templates|images|categories|extlinks|iwlinks|langlinks|pageprops|linkshere|redirects|extracts',
    titles: 'Page 00|Page 02|Way',
    pllimit: '2',
    lhlimit: '2',
    cllimit: '1',
  },
  { prop: 'fileusage|imageinfo', titles: 'File:Picture.png', fulimit: '5', iiprop: 'url' },
  { generator: 'links', titles: 'Page 00', prop: 'info' },
  { generator: 'backlinks', gbltitle: 'Page 00', prop: 'revisions', rvprop: 'content', rvslots: 'main', gbllimit: '3' },
  { titles: 'Way', redirects: '' },
  { meta: 'siteinfo', siprop: 'statistics' },
];

/** All answers of a walk, without what they repeat of the question. */
async function walk(params: Readonly<Record<string, string>>, token?: string): Promise<readonly string[]> {
  const answers: string[] = [];
  let progress: Readonly<Record<string, string>> = {};
  for (let requests = 0; requests < 3_000; requests += 1) {
    const { json } = await host.query({ ...params, ...progress }, token);
    expect(json['error']).toBeUndefined();
    answers.push(JSON.stringify(json));
    const more = json['continue'] as Readonly<Record<string, unknown>> | undefined;
    if (!more) return answers;
    progress = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)]));
  }
  throw new Error('The walk does not end.');
}

describe('a private page is in no list, search, completion or count', () => {
  test('no module shows it', () =>
    everyRow(LISTS, async (params) => {
      const text = (await walk(params)).join('\n');
      // Titles that were asked for are answered, as missing: nothing else may be said of them.
      const asked = Object.values(params).some((value) => value.includes(HIDDEN));
      const said = asked ? text.replaceAll(/"(?:from|to|title)":"[^"]*Hidden[^"]*"/g, '') : text;
      expect(said).not.toMatch(new RegExp(`${HIDDEN}|${MARK}|Mallory`));
      expect(host.failures).toEqual([]);
    }));

  test('a requested title is missing, as if the page did not exist', async () => {
    const { json } = await host.query({ titles: `Page 01 ${HIDDEN}|Page 00`, prop: 'info' });
    expect((json['query'] as { pages: object[] }).pages).toMatchObject([
      { missing: true },
      { title: 'Page 00', pageid: 1 },
    ]);
  });

  test('walks return every visible page once', async () => {
    const titles = (await walk({ list: 'allpages', aplimit: '3' })).flatMap((text) =>
      [...text.matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title),
    );
    expect(titles).toEqual(
      PAGES.filter(({ ns = 0, title }) => ns === 0 && isOpen(title))
        .map(({ title }) => title)
        .sort((a, b) => (a < b ? -1 : 1)),
    );
    const found = (await walk({ list: 'search', srsearch: 'word', srlimit: '4' })).flatMap((text) =>
      [...text.matchAll(/"title":"([^"]+)"/g)].map(([, title]) => title),
    );
    expect([...found].sort((a, b) => (a! < b! ? -1 : 1))).toEqual(
      Array.from({ length: 30 }, (_, n) => `Page ${String(n * 2).padStart(2, '0')}`),
    );
  });

  test.each([
    ['numbers of members', { prop: 'categoryinfo', titles: 'Category:Mixed' }, 'categoryinfo'],
    ['what the source answers by itself', { list: 'blocks' }, 'blocks'],
  ])('%s is not available, and the response says so', async (_what, params, module) => {
    const { json } = await host.query(params as Readonly<Record<string, string>>);
    expect(JSON.stringify(json['warnings'])).toContain(module);
    expect(JSON.stringify(json)).not.toContain(HIDDEN);
  });

  test('numbers of hits, edits and pages are not revealed', async () => {
    const { json: found } = await host.query({ list: 'search', srsearch: 'word' });
    expect(JSON.stringify(found)).not.toContain('totalhits');
    const { json: users } = await host.query({ list: 'users', ususers: 'Alice', usprop: 'editcount' });
    expect(JSON.stringify(users)).not.toContain('editcount');
    const { json } = await host.query({ meta: 'siteinfo', siprop: 'statistics' });
    expect((json['query'] as { statistics: object }).statistics).toMatchObject({ pages: 0 });
  });
});

test('users with the right see them', async () => {
  const token = await host.token('alice');
  const text = (await walk({ list: 'allpages', aplimit: '500' }, token)).join('');
  expect(text).toContain(`Page 01 ${HIDDEN}`);
  expect((await walk({ list: 'search', srsearch: MARK }, token)).join('')).toContain(HIDDEN);
});

test('a function that fails reveals nothing', async () => {
  const failing = await startQuery(
    contentQuery(memoryContent(PAGES.slice(0, 10)), {
      visible: () => {
        throw new Error('The rights cannot be read.');
      },
    }),
  );
  const { json } = await failing.query({ list: 'allpages' });
  expect(JSON.stringify(json)).not.toContain('Page');
  expect(failing.failures).toHaveLength(1);
  await failing.close();
});
