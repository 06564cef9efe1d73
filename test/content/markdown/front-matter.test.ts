import { expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { CALL, pageOf, TestFolder, titlesOf } from './folder.js';

const YAML = `---
Title: "Nine"
tags: ["#boats", 1.10, no, ~, null, ""]
taxonomies: { tags: [zola], other: [x] }
DATE: 2024-01-02
lastmod: 2024-03-04T05:06:07+01:00
description: null
author: "null"
---
`;
const TOML = `+++ \r
# A comment, and all kinds of values.
Title = "Ni\\u006ee"
tags = [ '#boats', "1.10", # one, and two
  """no""", ]
DATE = 2024-01-02
lastmod = 2024-03-04 05:06:07+01:00
author = 'null'
weight = 1_000
ratio = 6.5e-3
draft = false
params.a."b c" = { deep = [[1, 2], [3]] }
text = '''
+++ is no end here: '''
[taxonomies]
tags = ["zola"]
other = ["x"]
[extra]
title = "no title of the page"
[[resources]]
src = "a.png"
[[resources]]
src = "b.png"
+++
`;
const JSON_TEXT = `{
\t"Title": "Nine",
\t"tags": ["#boats", 1.10, "no", null, ""],
\t"taxonomies": { "tags": ["zola"], "other": ["x"] },
\t"DATE": "2024-01-02", "description": null,
\t"lastmod": "2024-03-04T05:06:07+01:00", "author": "null"
}
`;

test('front matter in YAML, TOML and JSON means the same, and is no part of the page', async () => {
  const folder = new TestFolder({
    'a.md': `${YAML}# Body`,
    'b.md': `\ufeff${TOML}# Body`,
    'c.md': `${JSON_TEXT}# Body`,
    'd.md': `${YAML.replace(/---\n$/, '...\r\n')}# Body`,
  });
  const content = await folder.open();
  for (const title of ['A', 'B', 'C', 'D']) {
    const page = await pageOf(content, title);
    expect(page?.links, title).toEqual({
      category: ['1.10', 'Boats', 'No', 'Zola'],
      property: ['displaytitle|Nine'],
    });
    expect(page?.history, title).toMatchObject([{ user: 'Null', timestamp: '2024-03-04T04:06:07Z' }]);
    const text = page?.history[0]?.text ?? '';
    const markup = content.markup!('markdown')!;
    expect([text.slice(markup.bodyAt!(text)), markup.plainText(text)], title).toEqual(['# Body', '= Body =']);
    const rendered = await content.render!(
      { pageid: page!.page.id, ns: 0, title, revid: 1, text, contentmodel: 'markdown' } as never,
      { ...CALL, site: { server: '' } } as never,
    );
    expect(rendered).toMatchObject({ html: '<h1 id="body">Body</h1>\n', displaytitle: 'Nine' });
  }
  expect(folder.problems).toEqual([]);
});

const INVALID = [
  ['---\ntitle: a\ntitle: b\n---\n', '3: The front matter is not valid YAML: duplicated mapping key.'],
  ['---\ntitle: a\nTitle: b\n---\n', '1: The front matter has "Title" twice.'],
  ['+++\ntitle = "a"\ntitle = "b"\n+++\n', '3: The front matter is not valid TOML: "title" is there twice.'],
  ['+++\n[extra]\n[extra]\n+++\n', '3: The front matter is not valid TOML: "extra" is there twice.'],
  ['+++\ntitle = "a"\ntags = [1\n+++\n', '4: The front matter is not valid TOML: expected "]".'],
  ['+++\ntitle = a text\n+++\n', '2: The front matter is not valid TOML: expected a value.'],
  ['+++\n\ntitle = "open\n+++\n', '3: The front matter is not valid TOML: expected a value.'],
  ['+++\ntitle = "\\q"\n+++\n', '2: The front matter is not valid TOML: expected a value.'],
  ['+++\ntitle\n+++\n', '2: The front matter is not valid TOML: expected "=".'],
  ['+++\na = 1 b = 2\n+++\n', '2: The front matter is not valid TOML: expected the end of the line.'],
  [`+++\na = ${'['.repeat(30_000)}\n+++\n`, '2: The front matter is not valid TOML: it is nested too deeply.'],
  ['+++\na = """open\n+++\n', '2: The front matter is not valid TOML: expected the end of the line.'],
  [`+++\n${'# c\n'.repeat(20_000)}+++\n`, '1: The front matter has more than 65536 characters.'],
  ['{\n  "title": "a", "title": "b"\n}\n', '2: The front matter is not valid JSON: duplicated mapping key.'],
  ['{\n  "title": "a"\n  "b": "c"\n}\n', /^3: The front matter is not valid JSON: /],
] as const;

test('front matter that is not valid is reported with its line, and is no part of the page either', () =>
  everyRow(INVALID, async ([matter, problem]) => {
    const folder = new TestFolder({ 'a.md': `${matter}# Body` });
    expect((await pageOf(await folder.open(), 'A'))?.links).toEqual({ property: ['displaytitle|Body'] });
    expect(folder.problems).toEqual([
      typeof problem === 'string' ? `a.md:${problem}` : expect.stringMatching(/^a\.md:3: /),
    ]);
  }));

test('front matter without an end is text, and reported unless it is a line of dashes', async () => {
  const folder = new TestFolder({
    'dashes.md': '---\n[[A]]',
    'json.md': '{\n[[A]]',
    'toml.md': '+++\n[[A]]',
    'plus.md': 'text\n+++\n[[A]]\n+++\n',
  });
  const content = await folder.open();
  for (const title of await titlesOf(content)) expect((await pageOf(content, title))?.links['link']).toEqual(['A']);
  expect(folder.problems).toEqual([
    'json.md:1: The front matter has no end: a line "}". It is shown as text.',
    'toml.md:1: The front matter has no end: a line "+++". It is shown as text.',
  ]);
});

test('the date of a post of Jekyll is in its name; an alias may be a name with a dot; updated and last_modified_at are lastmod', async () => {
  const folder = new TestFolder({
    '_posts/2024-05-06-name.md': '---\naliases: Node.js\nlast_modified_at: 2024-07-08\n---\n',
    'blog/_posts/deep/2023-5-6-name.md': '',
    '_posts/2022-01-01-other.md': '---\ndate: 2021-01-01\n---\n',
    '_posts/2024-13-45-bad.md': '---\nupdated: yesterday\n---\n',
    '2020-01-01-no-post.md': '---\nupdated: 2019-01-01\n---\n',
  });
  const content = await folder.open();
  const timeOf = async (title: string) => (await pageOf(content, title))?.history[0]?.timestamp?.slice(0, 10);
  expect(await timeOf('Posts/2024-05-06-name')).toBe('2024-07-08');
  expect(await timeOf('Blog/ posts/deep/2023-5-6-name')).toBe('2023-05-06');
  expect(await timeOf('Posts/2022-01-01-other')).toBe('2021-01-01');
  expect(await timeOf('2020-01-01-no-post')).toBe('2019-01-01');
  expect((await pageOf(content, 'Node.js'))?.page.redirect).toEqual({ to: 'Posts/2024-05-06-name' });
  expect(folder.problems).toEqual([
    expect.stringContaining('_posts/2024-13-45-bad.md: updated is "yesterday". Write it as 2024-01-31'),
    expect.stringContaining('_posts/2024-13-45-bad.md: The date in the name is "2024-13-45".'),
  ]);
});
