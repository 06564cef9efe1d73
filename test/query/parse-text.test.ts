import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { markdownFolder } from '../../src/content/markdown/index.js';
import type { Render, RenderPage } from '../../src/core/query/index.js';
import { everyRow } from '../rows.js';
import { type Json, type QueryHost, startQuery } from './fixture.js';

const rendered: RenderPage[] = [];
const render: Render = (page) => {
  rendered.push(page);
  return {
    html: `<h2 id="a">A</h2><p onclick="x">${page.text}</p><script>alert(1)</script>`,
    sections: [{ level: 2, line: 'A', anchor: 'a' }],
    links: ['Rope', 'nowhere', '['],
    categories: ['Gear'],
    templates: ['Template:Box'],
    images: ['Red rope.png'],
    externallinks: ['https://example.org/'],
  };
};

const PAGES = [
  {
    title: 'Rope',
    text: 'A rope.',
    links: [
      { kind: 'link', ns: 0, title: 'Sail' },
      { kind: 'template', ns: 10, title: 'Stub' },
      { kind: 'file', ns: 6, title: 'Knot.png' },
      { kind: 'url', ns: 0, title: '', text: 'https://ropes.example/' },
      { kind: 'language', ns: 0, title: 'de:Seil' },
    ],
  },
  { title: 'Sail', text: 'A sail.' },
] as never;

const options = { site: { language: 'en', interwiki: { de: { url: 'https://de.example/$1', language: 'de' } } } };
let host: QueryHost;
let plain: QueryHost;
beforeAll(async () => {
  host = await startQuery(contentQuery(memoryContent(PAGES), { ...options, render }));
  plain = await startQuery(contentQuery(memoryContent(PAGES), options));
});
afterAll(async () => {
  expect([...host.errors, ...plain.errors]).toEqual([]);
  await host.close();
  await plain.close();
});

const ask = async (params: Readonly<Record<string, string>>, site = host): Promise<Json> =>
  (await site.get({ action: 'parse', formatversion: '2', ...params })).json;

const LISTS = 'links|categories|templates|images|langlinks|externallinks';

describe('action=parse of a text', () => {
  test('renders it, sanitised, as if it were the text of the title', async () => {
    const { parse } = await ask({
      text: 'One <b>two</b>',
      title: 'talk:rope',
      contentmodel: 'markdown',
      prop: 'text|sections|wikitext|revid',
    });
    expect(parse).toMatchObject({
      title: 'Talk:Rope',
      pageid: 0,
      text: '<h2 id="a">A</h2><p>One <b>two</b></p>',
      sections: [{ line: 'A', index: '1' }],
      wikitext: 'One <b>two</b>',
    });
    expect(parse).not.toHaveProperty('revid');
    expect(rendered.at(-1)).toEqual({
      ...{ pageid: 0, ns: 1, title: 'Talk:Rope', revid: undefined },
      ...{ text: 'One <b>two</b>', model: 'markdown', section: undefined },
    });
    expect((await ask({ text: '' })).parse).toMatchObject({ title: 'API', pageid: 0 });
  });

  test('its lists come from the renderer', async () => {
    expect((await ask({ text: 'x', prop: LISTS })).parse).toEqual({
      ...{ title: 'API', pageid: 0, langlinks: [] },
      categories: [{ sortkey: '', category: 'Gear', missing: true }],
      links: [
        { ns: 0, title: 'Nowhere', exists: false },
        { ns: 0, title: 'Rope', exists: true },
      ],
      templates: [{ ns: 10, title: 'Template:Box', exists: false }],
      ...{ images: ['Red_rope.png'], externallinks: ['https://example.org/'] },
    });
  });

  test('in formatversion 1 and as XML', async () => {
    const { parse } = await ask({ text: 'x', prop: 'text|templates|images', formatversion: '1' });
    expect([parse?.['text'], parse?.['templates'], parse?.['images']]).toEqual([
      { '*': '<h2 id="a">A</h2><p>x</p>' },
      [{ ns: 10, '*': 'Template:Box' }],
      ['Red_rope.png'],
    ]);
    const { text } = await host.get({ action: 'parse', text: 'x', prop: 'templates|images', format: 'xml' });
    expect(text).toContain(
      '<templates><tl ns="10" xml:space="preserve">Template:Box</tl></templates><images><img>Red_rope.png</img></images>',
    );
  });

  test('errors name what is missing or wrong', () =>
    everyRow(
      [
        [{}, 'missingparam'],
        [{ title: 'Rope' }, 'missingparam'],
        [{ text: 'x', page: 'Rope' }, 'invalidparammix'],
        [{ text: 'x', section: '1' }, 'invalidparammix'],
        [{ text: 'x', title: '[' }, 'invalidtitle'],
        [{ text: 'x', title: 'de:Seil' }, 'invalidtitle'],
      ] as const,
      async ([params, code]) => {
        expect((await ask(params)).error).toMatchObject({ code });
      },
    ));

  test('at most 20,000 characters, and only where pages are rendered', async () => {
    const post = (site: QueryHost, text: string) =>
      site.raw('action=parse&format=json', { method: 'POST', body: new URLSearchParams({ text }) });
    expect((await post(host, 'x'.repeat(20_001))).json['error']).toMatchObject({ code: 'parsetoolarge' });
    expect((await post(host, 'x'.repeat(20_000))).json['parse']).toBeDefined();
    expect((await post(plain, 'x')).json['error']).toMatchObject({ code: 'norenderer' });
  });
});

test('the lists of a page come from the modules of that name', async () => {
  for (const site of [host, plain]) {
    expect((await ask({ page: 'Rope', prop: LISTS }, site)).parse).toEqual({
      ...{ title: 'Rope', pageid: 1, categories: [] },
      langlinks: [{ lang: 'de', url: 'https://de.example/Seil', title: 'Seil' }],
      links: [{ ns: 0, title: 'Sail', exists: true }],
      templates: [{ ns: 10, title: 'Template:Stub', exists: false }],
      ...{ images: ['Knot.png'], externallinks: ['https://ropes.example/'] },
    });
  }
});

test('hostile Markdown costs less than 100 ms of processor time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parse-'));
  writeFileSync(join(folder, 'one.md'), '# One\n');
  const docs = await markdownFolder(folder);
  const site = await startQuery(contentQuery(docs));
  const parse = async (text: string): Promise<number> => {
    const start = process.cpuUsage();
    const { json } = await site.raw('action=parse&format=json&prop=text', {
      method: 'POST',
      body: new URLSearchParams({ text }),
    });
    expect(json['parse']).toBeDefined();
    return process.cpuUsage(start).user / 1000;
  };
  await parse('# Warm *up* [[One]]\n'.repeat(100));
  await everyRow(
    ['[', '![', '*a **b ', '`', '> ', '- ', '[a](', '<a', '| a | b |\n', '[[a|', '\\[', '&amp', 'https://a.', '~~'].map(
      (part) => [part],
    ),
    async ([part = '']) => {
      const text = part.repeat(Math.floor(20_000 / part.length));
      // On a busy machine a thread of the collector can need as much again.
      let least = Infinity;
      for (let times = 0; least >= 100 && times < 10; times += 1) least = Math.min(least, await parse(text));
      expect(least, part).toBeLessThan(100);
    },
  );
  await docs.close();
  rmSync(folder, { recursive: true });
});
