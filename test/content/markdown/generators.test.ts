import { expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { CALL, pageOf, TestFolder, titlesOf } from './folder.js';
import { GENERATORS } from './generators.js';

const FILES = { 'Attachments/Engelbart.jpg': '', 'Document.pdf': '' };

test.each(Object.entries(GENERATORS))('a folder for %s: each of its files gives what it says', async (_, generator) => {
  const rows = Object.entries(generator.files);
  expect(rows).toHaveLength(12);
  const folder = new TestFolder({ ...FILES, ...Object.fromEntries(rows.map(([path, [text]]) => [path, text])) });
  const content = await folder.open();
  await everyRow(rows, async ([path, [text, given]]) => {
    if (!given) {
      const all = await Promise.all((await titlesOf(content)).map((one) => pageOf(content, one)));
      expect(all.filter((page) => page?.history.some((revision) => revision.text === text))).toEqual([]);
      return;
    }
    const { page: name, time, text: shown, ...links } = given;
    const page = await pageOf(content, name);
    expect(page?.history[0]?.text, path).toBe(text);
    expect(page?.links).toEqual(links);
    if (time !== undefined) expect(page?.history[0]?.timestamp).toBe(time);
    const revision = { pageid: page?.page.id, ns: 0, title: name, text, contentmodel: 'markdown' };
    const { html } = await content.render!(
      revision as never,
      { ...CALL, site: { server: '', articlePath: '/wiki/$1' } } as never,
    );
    expect(html).not.toMatch(/^(?:\+\+\+|---)|^\{\n/m);
    if (shown) expect(html).toMatch(shown);
  });
  expect(folder.problems.map((sentence) => sentence.replace(`${folder.path}: `, ''))).toEqual(generator.problems);
});
