import { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { afterAll, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { ContentDatabase, exportContent, importExport } from '../../src/content/mediawiki-export/index.js';
import { useStarted } from '../hosts/listen.js';
import { type Answered, type Json, type QueryHost, startQuery } from './fixture.js';

const PAGES = [
  {
    title: 'Main Page',
    text: 'Welcome to <b>"R&D"</b>.\r\nNext\tline [[Rope]]',
    user: 'Ann & Co',
    userid: 5,
    comment: 'One <two>',
  },
  { title: 'Rope', text: '== Uses ==\nKnots. [[Category:Gear]]', user: '192.0.2.7' },
  { title: 'Cord', text: '#REDIRECT [[Rope]]', redirect: { to: 'Rope' } },
  { title: 'Talk:Rope', ns: 1, text: '' },
];

const host = useStarted(() =>
  startQuery(contentQuery(memoryContent(PAGES), { site: { name: 'Fruit', language: 'en' } })),
);
afterAll(() => expect(host.errors).toEqual([]));

const ask = (params: Readonly<Record<string, string>>): Promise<Answered> =>
  host.get({ action: 'query', formatversion: '2', export: '', ...params });

const exportOf = async (params: Readonly<Record<string, string>>): Promise<string> => {
  const { text } = await ask({ exportnowrap: '', ...params });
  new SaxesParser().write(text).close();
  return text;
};

/** A site with the pages of an export. */
const imported = async (xml: string): Promise<{ readonly site: QueryHost; close(): Promise<void> }> => {
  const database = new ContentDatabase(':memory:');
  await importExport(database, Readable.from([Buffer.from(xml)]));
  const site = await startQuery(contentQuery(exportContent(database)));
  const close = async () => {
    await site.close();
    database.close();
  };
  return { site, close };
};

test('an export can be imported, and the copy exports the same', async () => {
  const xml = await exportOf({ generator: 'allpages', gaplimit: 'max' });
  const { site, close } = await imported(xml);
  const all = { action: 'query', generator: 'allpages', gaplimit: 'max', formatversion: '2' } as const;
  const rvprop = 'ids|timestamp|user|comment|flags|content|sha1';
  const revisions = { ...all, prop: 'revisions|info', rvslots: 'main', rvprop };
  const [original, copy] = [await host.get(revisions), await site.get(revisions)];
  const facts = ({ json }: Answered): unknown =>
    (json['query']!['pages'] as unknown as Json[]).map(({ pageid, title, redirect, revisions }) => {
      const { size: _size, sha1: _sha1, parentid: _parent, ...revision } = revisions?.[0] ?? {};
      return { pageid, title, redirect, revision };
    });
  expect(facts(original)).toHaveLength(3);
  expect(facts(copy)).toEqual(facts(original));
  const again = await site.get({ ...all, export: '', exportnowrap: '' });
  expect(pagesOf(again.text)).toBe(pagesOf(xml));
  await close();
});

const pagesOf = (xml: string): string => xml.slice(xml.indexOf('<page>'));

test('the elements of a page, a redirect and a user without an account', async () => {
  const xml = await exportOf({ titles: 'Cord|Rope|Nowhere' });
  expect(xml).toMatch(
    /^<mediawiki xmlns="http:\/\/www\.mediawiki\.org\/xml\/export-0\.11\/" [^>]* version="0\.11" xml:lang="en">/,
  );
  expect(xml).toContain('<sitename>Fruit</sitename>');
  expect(xml).toContain(
    '<namespace key="0" case="first-letter" />\n      <namespace key="1" case="first-letter">Talk</namespace>',
  );
  expect(xml).toContain('<redirect title="Rope" />');
  expect(xml).toContain('<contributor>\n        <ip>192.0.2.7</ip>\n      </contributor>');
  expect(await exportOf({ titles: 'Main Page' })).toContain('<username>Ann &amp; Co</username>\n        <id>5</id>');
  expect(xml.match(/<page>/g)).toHaveLength(2);
  expect(await exportOf({ titles: 'Rope', exportschema: '0.10' })).not.toContain('<origin>');
});

test('exportnowrap returns the document itself', async () => {
  const { headers } = await ask({ titles: 'Rope', exportnowrap: '', origin: '*' });
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'text/xml; charset=utf-8',
    'inline; filename=export.xml',
  ]);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  const { json } = await host.get({ action: 'query', exportnowrap: '', titles: 'Rope' });
  expect(json['query']?.['pages']).toBeDefined();
});

test('export adds the document to the result, in both versions', async () => {
  const xml = await exportOf({ titles: 'Rope' });
  const { json } = await ask({ titles: 'Rope', list: 'allpages' });
  expect(json['query']).toMatchObject({ pages: [{ title: 'Rope' }], allpages: expect.anything(), export: xml });
  expect((await ask({ titles: 'Rope', formatversion: '1' })).json['query']?.['export']).toEqual({ '*': xml });
  expect((await ask({ list: 'allpages' })).json['query']?.['export']).not.toContain('<page>');
  const wrapped = (await ask({ titles: 'Rope', format: 'xml' })).text;
  new SaxesParser().write(wrapped).close();
  expect(wrapped).toContain('<export xml:space="preserve">&lt;mediawiki');
});

test('an unknown schema is an error', async () => {
  expect((await ask({ titles: 'Rope', exportschema: '9' })).json['error']).toMatchObject({ code: 'badvalue' });
});

test('texts longer than 512 KiB are an error, whether or not the site returns sizes', async () => {
  const pages = Array.from({ length: 5 }, (_, index) => ({ title: `Page ${index}`, text: 'x'.repeat(125_000) }));
  const query = contentQuery(memoryContent(pages));
  const revisions: NonNullable<typeof query.modules>['revisions'] = async (request) => {
    const { pages: found, ...more } = await query.modules!.revisions!(request);
    return JSON.parse(
      JSON.stringify({ pages: Object.fromEntries(found as never), ...more }).replace(/"size":\d+,?/g, ''),
    );
  };
  const withoutSizes = { ...query, modules: { ...query.modules, revisions } };
  for (const options of [query, withoutSizes]) {
    const site = await startQuery(options);
    const get = (gaplimit: string) =>
      site.get({ action: 'query', generator: 'allpages', gaplimit, export: '', exportnowrap: '' });
    expect((await get('5')).json['error']).toMatchObject({ code: 'exporttoolarge' });
    expect((await get('4')).text).toContain('<title>Page 3</title>');
  }
});

test('hidden texts, comments and users stay hidden', async () => {
  const hidden = { userhidden: true, commenthidden: true, slots: { main: { texthidden: true } } };
  const revision = { revid: 2, timestamp: '2024-01-01T00:00:00Z', minor: true, ...hidden };
  const site = await startQuery({
    resolvePages: () => [{ pageid: 1, ns: 0, title: 'Rope' }],
    modules: { revisions: () => ({ pages: { 1: [revision] } }) },
  });
  const { text } = await site.get({ action: 'query', titles: 'Rope', export: '', exportnowrap: '' });
  expect(text).toContain('<contributor deleted="deleted" />\n      <minor/>\n      <comment deleted="deleted" />');
  expect(text).toContain('<text deleted="deleted" />');
});
