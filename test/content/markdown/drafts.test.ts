import { expect, test } from 'vitest';
import { pageOf, TestFolder, titlesOf } from './folder.js';

test('drafts of Hugo, Zola and Jekyll are not served, also if their front matter cannot be read, and counted in one report', async () => {
  const files = {
    'a.md': '---\ndraft: true\n---\nsecret',
    'b.md': '---\nPublished: no\n---\nsecret',
    '_drafts/c.md': 'secret',
    'd.md': '+++\ntitle = "D"\ndraft = true\n+++\nsecret',
    'e.md': '{\n  "title": "E",\n  "draft": true\n}\nsecret',
    'invalid.md': '---\ntitle: "open\ndraft: true\n---\nsecret',
    'long.md': `---\ntitle: ${'x'.repeat(70_000)}\ndraft: true\n---\nsecret`,
    'f.md': '---\ndraft: false\npublished: true\n---\ntext with draft: true',
  };
  const folder = new TestFolder(files);
  expect(await titlesOf(await folder.open())).toEqual(['F']);
  expect(folder.problems.at(-1)).toContain(': 7 drafts are not served.');
  expect(await titlesOf(await new TestFolder(files).open({ drafts: true }))).toHaveLength(8);
});

test('a date without a zone is UTC in every zone of the process; others are reported; the numbers of pages are right', async () => {
  const zone = process.env['TZ'];
  const folder = new TestFolder({
    'local.md': '---\ndate: 2024-1-02 10:30\n---\n',
    'zone.md': '---\ndate: 2024-01-02 10:30:00 +0200\n---\n',
    'british.md': '---\ndate: 31/12/2024\n---\n',
    'month.md': '---\ndate: 2024-13-45\ntitle: "a\\0b"\n---\n',
  });
  try {
    for (const TZ of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env['TZ'] = TZ;
      const content = await folder.open();
      expect(await pageOf(content, 'Local')).toMatchObject({ history: [{ timestamp: '2024-01-02T10:30:00Z' }] });
      expect(await pageOf(content, 'Zone')).toMatchObject({ history: [{ timestamp: '2024-01-02T08:30:00Z' }] });
      expect(content.site?.statistics).toMatchObject({ pages: 4, articles: 4, edits: 4, images: 0 });
    }
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
  expect(folder.problems.slice(0, 2)).toEqual([
    expect.stringContaining('british.md: date is "31/12/2024"'),
    expect.stringContaining('month.md: date is "2024-13-45"'),
  ]);
});
