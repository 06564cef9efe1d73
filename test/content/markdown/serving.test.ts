import { contentQuery } from 'oauth-query/content';
import type { MarkdownOptions } from 'oauth-query/content/markdown';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startQuery } from '../support/same-pages.js';
import { TestFolder } from './folder.js';

type Json = Readonly<Record<string, unknown>>;

const served = async (files: Readonly<Record<string, string>>, options: MarkdownOptions = {}) => {
  const folder = new TestFolder(files);
  const host = await startQuery(contentQuery(await folder.open(options)));
  onTestFinished(() => host.close());
  const ask = async (parameters: Readonly<Record<string, string>>): Promise<Json> => {
    const { json } = await host.query(parameters);
    expect({ error: json['error'], warnings: json['warnings'] }).toEqual({});
    return json;
  };
  const parse = async (page: string, more: Readonly<Record<string, string>> = {}) =>
    (await ask({ action: 'parse', page, ...more }))['parse'] as Json;
  const pageOf = async (titles: string, more: Readonly<Record<string, string>>) => {
    const { pages } = (await ask({ titles, ...more }))['query'] as { readonly pages: readonly Json[] };
    return pages[0]!;
  };
  const hits = async (srsearch: string): Promise<readonly unknown[]> => {
    const { search } = (await ask({ list: 'search', srsearch }))['query'] as { readonly search: readonly Json[] };
    return search.map(({ snippet }) => snippet);
  };
  return { parse, pageOf, hits, base: host.base };
};

const PAGE = `---
title: Tom & Jerry
tags: [Cartoon]
---
The **lead** with ![alt](x.png).

# One

See [two](two.md#a-part), [[Main Page|home]], [mail](mailto:a@example.org), [bad]([x).

Part
----

- item \`code\`

# One
`;

describe('Markdown over HTTP', () => {
  test('action=parse returns HTML with links to pages, and sections', async () => {
    const { parse, base } = await served({ 'guide/page.md': PAGE, 'index.md': '' });
    const { text, sections, displaytitle, categories, links } = await parse('Guide/page');
    expect(String(text)).toContain('<p>The <strong>lead</strong> with');
    expect(String(text)).toContain(`<a href="${base}/wiki/Guide/two#a-part">two</a>`);
    expect(String(text)).toContain(`<a href="${base}/wiki/Main_Page">home</a>`);
    expect(String(text)).toContain('<h2 id="part">Part</h2>');
    expect(sections).toMatchObject([
      { line: 'One', number: '1', anchor: 'one', byteoffset: PAGE.indexOf('# One') },
      { line: 'Part', number: '1.1', anchor: 'part', byteoffset: PAGE.indexOf('Part\n---') },
      { line: 'One', number: '2', anchor: 'one-1' },
    ]);
    expect([displaytitle, categories, links]).toMatchObject([
      'Tom &amp; Jerry',
      [{ category: 'Cartoon' }],
      [
        { title: 'Guide/two', exists: false },
        { title: 'Main Page', exists: true },
      ],
    ]);
  });

  test('sections and extracts are those of the Markdown', async () => {
    const { parse, pageOf } = await served({ 'page.md': PAGE });
    const section = { prop: 'revisions', rvprop: 'content', rvslots: 'main', rvsection: '2' };
    expect(await pageOf('Page', section)).toMatchObject({
      revisions: [{ slots: { main: { contentmodel: 'markdown', content: 'Part\n----\n\n- item `code`' } } }],
    });
    expect((await parse('Page', { section: '2', prop: 'text' }))['text']).toMatch(/^<h2 id="part">/);
    const extract = { prop: 'extracts', explaintext: '' };
    expect((await pageOf('Page', { ...extract, exintro: '' }))['extract']).toBe('The lead with .');
    expect((await pageOf('Page', { ...extract, exsectionformat: 'wiki' }))['extract']).toMatch(
      /== Part ==\s+item code/,
    );
  });

  test('an introduction may follow the title as the first heading', async () => {
    const { pageOf } = await served({
      'titled.md': '---\ntags: [A]\n---\n# Titled\n\nThe lead.\n\nIts end.\n\n## Part\n\nText.\n\n# Other\n',
      'alone.md': '# Alone\n\nAll.\n',
      'parts.md': '## Part\n\nText.\n',
    });
    const extract = async (title: string) =>
      (await pageOf(title, { prop: 'extracts', explaintext: '', exintro: '' }))['extract'];
    expect(await extract('Titled')).toBe('The lead.\n\nIts end.');
    expect(await extract('Alone')).toBe('All.');
    expect(await extract('Parts')).toBe('');
  });

  test('images, sounds and documents of the folder are files, at the URL where the server serves them', async () => {
    const files = {
      'a/page.md': '![b](../img/boat%20one.png) ![c](https://example.org/c.png) ![](/x.png?y)',
      'img/boat one.png': 'PNG',
      'img/note.txt': '',
    };
    for (const [fileUrl, start] of [
      [undefined, ''],
      ['/docs', ''],
      ['https://cdn.example/docs/', 'https://cdn.example'],
    ] as const) {
      const { parse, pageOf, base } = await served(files, fileUrl === undefined ? {} : { fileUrl });
      const folder = `${start || base}${fileUrl === undefined ? '/files' : '/docs'}`;
      const { text } = await parse('A/page', { prop: 'text' });
      expect([...String(text).matchAll(/src="([^"]*)"/g)].map(([, src]) => src)).toEqual([
        `${folder}/img/boat%20one.png`,
        'https://example.org/c.png',
        `${folder}/x.png`,
      ]);
      const about = { prop: 'imageinfo', iiprop: 'url|size|mime' };
      expect(await pageOf('File:Img/boat one.png', about)).toMatchObject({
        pageid: expect.any(Number),
        imagerepository: 'local',
        imageinfo: [
          {
            url: `${folder}/img/boat%20one.png`,
            descriptionurl: `${base}/wiki/File:Img/boat_one.png`,
            size: 3,
            mime: 'image/png',
          },
        ],
      });
      expect(await pageOf('File:X.png', about)).toEqual({
        ns: 6,
        title: 'File:X.png',
        missing: true,
        imagerepository: '',
      });
    }
  });

  test('the language of the site is an option, and otherwise English whatever the machine', async () => {
    for (const [site, language] of [
      [{}, 'en'],
      [{ language: 'ps' }, 'ps'],
    ] as const) {
      const { pageOf } = await served({ 'page.md': '' }, { site });
      expect(await pageOf('Page', { prop: 'info' })).toMatchObject({ pagelanguage: language });
    }
  });

  test('git-remote-mediawiki gets every page: with the oldest revision as the start of each history', async () => {
    const { pageOf } = await served({
      'new.md': '---\ndate: 2024-01-01\n---\n',
      'old.md': '---\ndate: 2020-01-01\n---\n',
      'middle.md': '---\ndate: 2022-01-01\n---\n',
    });
    for (const title of ['New', 'Old', 'Middle']) {
      const rvprop = 'content|timestamp|comment|user|ids';
      const params = { prop: 'revisions', rvprop, rvstartid: '1', rvslots: 'main', rvdir: 'newer' };
      const { revisions } = (await pageOf(title, params)) as { readonly revisions?: readonly Json[] };
      expect(revisions, title).toMatchObject([{ user: 'Unknown user' }]);
      expect(revisions?.[0], title).not.toHaveProperty('userhidden');
    }
  });

  test('no text of a page runs as a script in a browser', async () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[a](data:text/html,<script>)',
      '[a](vbscript:x)',
      '[a](x" onmouseover="alert(1))',
      '![a](javascript:alert(1))',
      '[[javascript:alert(1)|a]]',
      '[[javascript:{}|a]]',
      '[["onmouseover=alert(1)|a]]',
      '[a](\ufffdwiki:javascript:alert)',
      '![["onerror=alert(1) .png|300]]',
      '![[javascript:alert(1).png|300x200]]',
      '```"><script>\nx\n```',
      '# "><script>alert(1)</script>',
      '<javascript:alert(1)>',
    ];
    const { parse } = await served({ 'page.md': `---\ntitle: <script>\n---\n${hostile.join('\n\n')}` });
    const { text, displaytitle, sections } = await parse('Page');
    const tags = [...String(text).matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    expect(
      tags.filter((tag) => !/^<\/?(?:p|code|pre|h1|a|img)(?: (?:href|src|alt|id|class|width)="[^"<>]*")*>$/.test(tag)),
    ).toEqual([]);
    expect(tags.filter((tag) => /(?:href|src)="(?!http:\/\/127\.0\.0\.1|x|%EF)/.test(tag))).toEqual([]);
    expect(JSON.stringify([displaytitle, sections])).not.toMatch(/<script/);
  });

  test('snippets of a search are from the text after the front matter, which is searched too', async () => {
    const words = (count: number): string => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
    const { hits } = await served({
      'orange.md': '---\ntitle: Oranges\ntags: [Citrus]\n---\n# Oranges\n\nThey <grow> on trees.\n',
      'lemon.md': `---\ntitle: Lemon\n---\n${words(60)} a lemon, yellow ${words(60)}`,
      'lime.md': '---\ntitle: Green\n---\nlime is sour',
      'dashes.md': '---\nA plum\n---\nand more',
      'long.md': `---\ntitle: Long\n---\nmelon${'x'.repeat(5000)} melon`,
    });
    const match = (text: string): string => `<span class="searchmatch">${text}</span>`;
    expect(await hits('oranges')).toEqual([`# ${match('Oranges')}\n\nThey &lt;grow&gt; on trees.`]);
    expect(await hits('citrus'), 'only in the front matter').toEqual(['# Oranges\n\nThey &lt;grow&gt; on trees.']);
    expect(await hits('intitle:orange')).toEqual(['# Oranges\n\nThey &lt;grow&gt; on trees.']);
    expect(await hits('lemon')).toEqual([`…w55 w56 w57 w58 w59 a ${match('lemon')}, yellow ${words(17)}…`]);
    expect(await hits('"green lime is"'), 'a phrase that begins in the front matter').toEqual(['lime is sour']);
    expect(await hits('plum'), 'no front matter').toEqual([`---\nA ${match('plum')}\n---\nand more`]);
    expect(String((await hits('melon'))[0]).length).toBeLessThan(900);
  });
});

describe('Markdown that takes long to parse', () => {
  const CELLS = `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(40_000)}`;
  const files = {
    'long.md': 'Long. '.repeat(45_000),
    'cells.md': CELLS,
    'addresses.md': '<https://a.example/x> '.repeat(5_001),
    'bare.md': 'https://a.example/x '.repeat(5_001),
    'wide.md': `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n${'|x|\n'.repeat(40)}`,
    'tables.md': `|${'a|'.repeat(40)}\n|${'-|'.repeat(40)}\n${'|x|\n'.repeat(40)}\n`.repeat(10),
    'short.md': 'A few words.',
    'prose.md': `# A\n\n${'Prose, of several words in a line of text, and *long*.\n\n'.repeat(4_000)}`,
  };
  const error = { code: 'markuptoolarge', info: expect.stringContaining('prop=revisions') };

  test('is refused by requests that parse it, and its text is served', async () => {
    const host = await startQuery(contentQuery(await new TestFolder(files).open()));
    onTestFinished(() => host.close());
    const rows = (titles: string) => ({ titles, prop: 'revisions', rvprop: 'content', rvslots: 'main' });
    for (const page of ['Addresses', 'Bare', 'Wide']) {
      expect((await host.query({ action: 'parse', page })).json, page).toMatchObject({ error });
    }
    expect((await host.query({ ...rows('Wide'), rvsection: '0' })).json).toMatchObject({ error });
    expect((await host.query({ ...rows('Bare'), rvsection: '0' })).text).toContain('https://a.example/x');
    expect((await host.query({ action: 'parse', page: 'Tables' })).text).toContain('<td>x</td>');
    for (const page of ['Long', 'Cells']) {
      expect((await host.query(rows(page))).text).toContain(page === 'Long' ? 'Long. Long.' : '|x|y|');
    }
    const extracts = { titles: 'Cells|Short', prop: 'extracts', exintro: '1', exlimit: '2', errorformat: 'plaintext' };
    const { json } = await host.query(extracts);
    expect(json).toMatchObject({
      warnings: [{ code: 'markuptoolarge', module: 'query+extracts' }],
      query: { pages: [{ title: 'Cells' }, { title: 'Short', extract: expect.stringContaining('A few words.') }] },
    });
    expect(json).not.toHaveProperty('query.pages.0.extract');
    expect((await host.query({ action: 'parse', page: 'Prose' })).text).toContain('<em>long</em>');
    expect((await host.query({ ...rows('Prose'), rvsection: '1' })).text).toContain('# A');
  });
});
