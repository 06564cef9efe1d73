import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { markdownFolder, TooManyFiles } from 'oauth-query/content/markdown';
import { describe, expect, test } from 'vitest';
import { searchFor } from '../support/search-for.js';
import { CALL, pageOf, TestFolder, titlesOf } from './folder.js';

describe('a folder of Markdown files', () => {
  test('turns paths into titles; index and README are the page of their folder', async () => {
    const folder = new TestFolder({
      'index.md': 'home',
      'guides/README.md': 'guides',
      'guides/getting_started.markdown': 'start',
      'guides/deep/index.md': 'deep',
      'Category/Fruit.md': 'All fruit.',
      'nai\u0308ve.md': 'a name as macOS writes it',
      'notes.txt': 'no page',
    });
    const content = await folder.open();
    expect(await titlesOf(content)).toEqual([
      'Guides',
      'Guides/deep',
      'Guides/getting started',
      'Main Page',
      'Na\u00efve',
    ]);
    expect(await titlesOf(content, 14)).toEqual(['Fruit']);
    expect(folder.problems).toEqual([]);
  });

  test('reads the targets of links in every notation', async () => {
    const folder = new TestFolder({
      'a/page.md': `[up](../index.md#top "Title") [same](page.md) [ref] [folder](sub/) [root](/b/c.html?x=1) [[Wiki link#part|label]]
[no extension](other%20page) [out](../../x.md) [file](x.pdf) [mail](mailto:a@example.org) [js](javascript:alert) [[File:x]]
![picture](../img/boat.png) ![remote](https://example.org/p.png) <https://example.com/> https://example.net/bare readme.md
\`[code](code.md)\`

    [indented](indented.md)

[ref]: ref.md
`,
    });
    expect((await pageOf(await folder.open(), 'A/page'))?.links).toEqual({
      link: ['A/other page', 'A/page', 'A/ref', 'A/sub', 'B/c', 'Main Page', 'Wiki link', 'X'],
      file: ['Img/boat.png'],
      url: [
        'com.example./ https|https://example.com/',
        'net.example./bare https|https://example.net/bare',
        'org.example./p.png https|https://example.org/p.png',
      ],
    });
  });

  test('a wiki link leads to the page of its title, else to the only one of its name, also after the folder has changed', async () => {
    const folder = new TestFolder({
      'a.md': '[[boat]] [[boat#Oars|oars]] [[Missing^block]] [[twice]] [[Page#^block]] ![[boat]] ![[sail.png|300]]',
      'deep/boat.md': '',
      'x/twice.md': '',
      'y/twice.md': '',
      'img/sail.png': '',
    });
    const content = await folder.open();
    const links = async () => (await pageOf(content, 'A'))?.links;
    expect(await links()).toEqual({ link: ['Deep/boat', 'Missing', 'Page'], file: ['Img/sail.png'] });
    expect(folder.problems).toEqual([
      'a.md: [[twice]] is no link, because 2 have this name: X/twice, Y/twice. Write the whole path.',
    ]);
    folder.write({ 'boat.md': '', 'new/Missing.md': '', 'other/sail.png': '' });
    execFileSync('rm', [folder.at('x/twice.md')]);
    expect(await content.refresh()).toMatchObject({ written: 4, removed: 1 });
    expect(await links()).toEqual({ link: ['Boat', 'New/Missing', 'Page', 'Y/twice'] });
    expect((await pageOf(content, 'A'))?.history).toHaveLength(1);
    expect(folder.problems.at(-1)).toContain('[[sail.png]] is no link, because 2 have this name: File:Img/sail.png');
  });

  test('index, _index and README are the page of their folder, in this order', async () => {
    const folder = new TestFolder({
      'a/README.md': '3',
      'a/_index.md': '2',
      'a/index.md': '1',
      'b/README.md': '3',
      'b/_index.md': '2',
      'c.mdx': '',
      'd/e.mdx': '',
    });
    const content = await folder.open();
    expect((await pageOf(content, 'A'))?.history[0]?.text).toBe('1');
    expect((await pageOf(content, 'B'))?.history[0]?.text).toBe('2');
    expect(folder.problems).toEqual([
      `${folder.path}: Files in MDX are skipped, because they contain code: 2.`,
      'a/README.md: The file is skipped, because a/_index.md already has the title "A". Rename one of them.',
      'a/_index.md: The file is skipped, because a/index.md already has the title "A". Rename one of them.',
      'b/README.md: The file is skipped, because b/_index.md already has the title "B". Rename one of them.',
    ]);
  });

  test('a name as macOS writes it leads to its page, in links, wiki links, images and tags', async () => {
    const folder = new TestFolder({
      'nai\u0308ve.png': '',
      'a.md': '---\ntags: nai\u0308ve\n---\n[a](nai\u0308ve.md) ![b](nai\u0308ve.png)',
      'b.md': '[[nai\u0308ve]]',
    });
    const content = await folder.open();
    const title = 'Na\u00efve';
    expect(await titlesOf(content, 6)).toEqual([`${title}.png`]);
    expect((await pageOf(content, 'A'))?.links).toEqual({ category: [title], link: [title], file: [`${title}.png`] });
    expect((await pageOf(content, 'B'))?.links).toEqual({ link: [title] });
  });

  test('reads front matter: title, tags, author, date, redirects', async () => {
    const folder = new TestFolder({
      'new.md': `---
title: "Fish & <chips>"
tags: [food, 1.10]
categories: a, b
author: ann
date: 2024-05-06
description: What it is.
redirect_from: [/old/name.html, former]
draft: { nested: [1] }
---
# Another heading
`,
      'moved.md': '---\nredirect_to: new.md#part\n---\n',
      'deep/moved.md': '---\nredirect_to: deep/other\n---\n',
      'deep/near.md': '---\nredirect_to: ./other.md\n---\n',
      'plain.md': '\ufeff# The *first* heading\n\n# Second\n',
      'rule.md': '---\nno front matter\n---\n# Rule\n',
    });
    const content = await folder.open();
    const page = await pageOf(content, 'New');
    expect(page?.links).toEqual({
      category: ['1.10', 'A', 'B', 'Food'],
      property: ['description|What it is.', 'displaytitle|Fish &amp; &lt;chips&gt;'],
    });
    expect(page?.history).toMatchObject([
      { user: 'Ann', userid: 1, timestamp: '2024-05-06T00:00:00Z', model: 'markdown', format: 'text/markdown' },
    ]);
    expect((await pageOf(content, 'Moved'))?.page.redirect).toEqual({ to: 'New', fragment: 'part' });
    for (const title of ['Deep/moved', 'Deep/near']) {
      expect((await pageOf(content, title))?.page.redirect, title).toEqual({ to: 'Deep/other' });
    }
    expect((await pageOf(content, 'Plain'))?.history).toMatchObject([{ user: 'Unknown user', userid: 0 }]);
    for (const title of ['Old/name', 'Former']) {
      const { page: alias, links, history } = (await pageOf(content, title))!;
      expect([alias.redirect, links, history[0]?.text]).toEqual([
        { to: 'New' },
        { link: ['New'], redirect: ['New'] },
        '#REDIRECT [[New]]',
      ]);
    }
    expect((await pageOf(content, 'Plain'))?.links).toEqual({ property: ['displaytitle|The first heading'] });
    expect((await pageOf(content, 'Rule'))?.links).toEqual({ property: ['displaytitle|Rule'] });
    expect(folder.problems).toEqual([]);
  });

  test('a problem names a file without characters that a terminal would obey', async () => {
    const folder = new TestFolder({ 'bad\n\u001b[2J\u009b\u202e.md': 'text' });
    await folder.open();
    expect(folder.problems).toEqual([
      expect.stringContaining(String.raw`bad\u000a\u001b[2J\u009b\u202e.md: The file is skipped`),
    ]);
  });

  test('keeps earlier texts and ids when it is refreshed', async () => {
    const folder = new TestFolder({ 'a.md': 'one', 'b.md': 'two' });
    const content = await folder.open();
    const before = (await pageOf(content, 'A'))!;
    folder.write({ 'a.md': 'three' });
    expect(await content.refresh()).toEqual({ written: 1, removed: 0 });
    expect(await content.refresh()).toEqual({ written: 0, removed: 0 });
    const { page, history } = (await pageOf(content, 'A'))!;
    expect(page.id).toBe(before.page.id);
    expect(history.map(({ text, parent }) => [text, parent])).toEqual([
      ['three', before.page.revid],
      ['one', 0],
    ]);
    const search = (word: string) => content.search!(searchFor({ words: [word] }), CALL);
    expect((await search('one')).rows).toEqual([]);
    expect((await search('three')).rows).toMatchObject([{ page: { title: 'A' } }]);
  });

  test('ids of pages and revisions are in the order of dates, redirects included', async () => {
    const dated = (date: string, more = ''): string => `---\ndate: ${date}\n${more}---\n`;
    const folder = new TestFolder({
      'c.md': dated('2020-01-01'),
      'a.md': dated('2022-01-01'),
      'b.md': dated('2021-01-01', 'aliases: [old]\n'),
    });
    const content = await folder.open();
    const ids = await Promise.all(['C', 'B', 'Old', 'A'].map(async (title) => (await pageOf(content, title))!.page));
    expect(ids.map(({ id, revid }) => [id, revid])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
  });

  test('never reuses an id, and a restored page has its own', async () => {
    const folder = new TestFolder({ 'a.md': 'a', 'b.md': 'b' });
    const content = await folder.open();
    const old = (await pageOf(content, 'B'))!;
    execFileSync('rm', [folder.at('b.md')]);
    expect(await content.refresh()).toEqual({ written: 0, removed: 1 });
    expect(await pageOf(content, 'B')).toBeUndefined();
    folder.write({ 'c.md': 'c' });
    await content.refresh();
    const other = (await pageOf(content, 'C'))!;
    expect(other.page.id).toBeGreaterThan(old.page.id);
    expect(other.page.revid).toBeGreaterThan(old.page.revid!);
    folder.write({ 'b.md': 'b' });
    await content.refresh();
    expect((await pageOf(content, 'B'))?.page.id).toBe(old.page.id);
  });

  test('history does not go backwards if an older file is restored', async () => {
    const folder = new TestFolder({ 'a.md': 'one' });
    const content = await folder.open();
    folder.write({ 'a.md': 'two' });
    utimesSync(folder.at('a.md'), new Date('2001-01-01'), new Date('2001-01-01'));
    await content.refresh();
    const { page, history } = (await pageOf(content, 'A'))!;
    expect(history.map(({ id, text }) => [id, text])).toEqual([
      [page.revid, 'two'],
      [history[1]!.id, 'one'],
    ]);
    expect(history[0]!.timestamp).toBe(history[1]!.timestamp);
  });
});

describe('an invalid file is reported, and the others are served', () => {
  test('broken front matter, with its line', async () => {
    const folder = new TestFolder({ 'a.md': '---\ntitle: A\ntags: [b\nx: y\n---\n[[B]]' });
    expect((await pageOf(await folder.open(), 'A'))?.links).toEqual({ link: ['B'] });
    expect(folder.problems).toEqual(['a.md:4: The front matter is not valid YAML: deficient indentation.']);
  });

  test('front matter that is nested too deeply, or too long', async () => {
    const folder = new TestFolder({
      'deep.md': `---\na: ${'['.repeat(30_000)}\n---\n[[B]]`,
      'long.md': `---\n${'a: b # c\n'.repeat(10_000)}---\n[[B]]`,
    });
    const content = await folder.open();
    for (const title of ['Deep', 'Long']) expect((await pageOf(content, title))?.links).toEqual({ link: ['B'] });
    expect(folder.problems).toEqual([
      'deep.md:2: The front matter is not valid YAML: nesting exceeded maxDepth (20).',
      'long.md:1: The front matter has more than 65536 characters.',
    ]);
  });

  test('tags and redirects that are not valid titles', async () => {
    const folder = new TestFolder({
      'a.md':
        '---\ntags: [C#, ok]\nauthor: a|b\nredirect_from: [../../out, b]\nredirect_to: https://example.org/\n---\n',
      'b.md': '',
      'c.md': '---\naliases: [d]\n---\n',
      'e.md': '---\naliases: [d]\n---\n',
    });
    const content = await folder.open();
    expect((await pageOf(content, 'A'))?.links).toEqual({ category: ['Ok'] });
    expect((await pageOf(content, 'D'))?.page.redirect).toEqual({ to: 'C' });
    expect(folder.problems).toEqual([
      'a.md: The front matter contains "C#", which is not a valid title.',
      'a.md: redirect_to is "https://example.org/", which is not a page of this folder.',
      'a.md: redirect_from contains "../../out", which is not a page of this folder.',
      'a.md: The front matter contains "a|b", which is not a valid title.',
      'a.md: "B" cannot be an alias of this page: it is the title of b.md.',
      'e.md: "D" cannot be an alias of this page: it is the title of c.md.',
    ]);
  });

  test('half a character', async () => {
    const folder = new TestFolder({
      'a.md': String.raw`---
tags: "\ud800"
title: "\ud800"
redirect_to: "\ud800"
---
[[B]] [c](%ED%A0%80)`,
      'b.md': '',
    });
    expect(await titlesOf(await folder.open())).toEqual(['A', 'B']);
    expect(folder.problems.join('')).toContain('redirect_to is');
  });

  test('names that are not valid titles, or are the same', async () => {
    const folder = new TestFolder({
      'a[b].md': '',
      'c#d.md': '',
      'Talk:e.md': '',
      'Apple.md': 'the first',
      'apple.md': 'the second',
      'guides.md': '',
      'guides/index.md': '',
    });
    const content = await folder.open();
    expect(await titlesOf(content)).toEqual(['Apple', 'Guides']);
    expect(folder.problems).toEqual([
      'Talk:e.md: The file is skipped, because its name is not a valid title. The title would be in another namespace: "Talk:E".',
      'a[b].md: The file is skipped, because its name is not a valid title. The requested page title contains invalid characters: "[".',
      'apple.md: The file is skipped, because Apple.md already has the title "Apple". Rename one of them.',
      'c#d.md: The file is skipped, because its name is not a valid title. The requested page title contains invalid characters: "#".',
      'guides/index.md: The file is skipped, because guides.md already has the title "Guides". Rename one of them.',
    ]);
    await content.refresh();
    expect(folder.problems).toHaveLength(5);
  });

  test('text that is not UTF-8, and NUL', async () => {
    const valid = 'valid \ufffd\n'.repeat(50);
    const utf16 = Buffer.from('\ufeff# Größe 😀\n[[B]]', 'utf16le');
    const folder = new TestFolder({
      'few.md': Buffer.concat([Buffer.from(`\ufeff${valid}a`), Buffer.from([0xff, 0xe4]), Buffer.from('b\n')]),
      'latin.md': Buffer.from('Größe und Länge', 'latin1'),
      'little.md': utf16,
      'big.md': Buffer.from(utf16).swap16(),
      'nul.md': 'a\0b',
      'wide.md': Buffer.from('\ufeffa\0b', 'utf16le'),
      'fine.md': '\ufeff# Heading\r\n[[B]]\r\n',
    });
    const content = await folder.open();
    expect(await titlesOf(content)).toEqual(['Big', 'Few', 'Fine', 'Little']);
    expect((await pageOf(content, 'Few'))?.history[0]?.text).toBe(`${valid}a\ufffd\ufffdb\n`);
    expect((await pageOf(content, 'Fine'))?.history[0]?.text).toBe('# Heading\r\n[[B]]\r\n');
    for (const title of ['Big', 'Little']) {
      expect((await pageOf(content, title))?.links).toEqual({ link: ['B'], property: ['displaytitle|Größe 😀'] });
    }
    expect(folder.problems.sort()).toEqual([
      'big.md: The file is UTF-16. Save it as UTF-8.',
      'few.md:51: The file is not valid UTF-8. Invalid bytes are replaced with U+FFFD.',
      'latin.md: Skipped: the file is not UTF-8. Save it as UTF-8.',
      'little.md: The file is UTF-16. Save it as UTF-8.',
      'nul.md: Skipped: the file contains NUL, so it is not a text.',
      'wide.md: Skipped: the file contains NUL, so it is not a text.',
    ]);
  });

  test('a file that is too large', async () => {
    const folder = new TestFolder({ 'a.md': 'x'.repeat(101), 'b.md': 'x'.repeat(100) });
    expect(await titlesOf(await folder.open({ maxFileBytes: 100 }))).toEqual(['B']);
    expect(folder.problems).toEqual([
      'a.md: Skipped: the file has 101 bytes, more than 100. Split it, or raise maxFileBytes.',
    ]);
  });
});

describe('files that are not served', () => {
  test('links, hidden files, packages, pipes', async () => {
    const outside = new TestFolder({ 'secret.md': 'secret', 'in/secret.md': 'secret' });
    const folder = new TestFolder({
      'a.md': 'a',
      '.env.md': 'secret',
      '.git/x.md': 'secret',
      'node_modules/x/README.md': 'secret',
    });
    symlinkSync(outside.at('secret.md'), folder.at('link.md'));
    symlinkSync(outside.at('in'), folder.at('linked'));
    symlinkSync(folder.path, folder.at('round'));
    execFileSync('mkfifo', [folder.at('pipe.md')]);
    mkdirSync(folder.at('folder.md'));
    expect(await titlesOf(await folder.open())).toEqual(['A']);
    const reason = 'Skipped: symbolic links are not followed.';
    expect(folder.problems.sort()).toEqual([`link.md: ${reason}`, `linked: ${reason}`, `round: ${reason}`]);
  });

  test('a folder with more files than allowed is rejected', async () => {
    const folder = new TestFolder({ 'a/b/c.md': '', 'd.md': '' });
    await expect(folder.open({ maxFiles: 3 })).rejects.toThrow(TooManyFiles);
    await expect(folder.open({ maxFiles: 3 })).rejects.toThrow(
      'has more than 3 files and folders. Use a smaller folder, or raise maxFiles.',
    );
  });

  test('a path that is not a folder is rejected', async () => {
    const folder = new TestFolder({ 'a.md': '' });
    await expect(markdownFolder(folder.at('nowhere'))).rejects.toThrow(/ENOENT/);
    await expect(markdownFolder(folder.at('a.md'))).rejects.toThrow('a.md is a file, not a folder.');
  });
});
