import { expect, test } from 'vitest';
import { sectionItems } from '../../src/core/query/reader/sections.js';

test.each([
  [
    [1, 2, 2, 1],
    ['1', '1.1', '1.2', '2'],
  ],
  [
    [2, 6, 2],
    ['1', '1.1', '2'],
  ],
  [
    [3, 2, 4, 3, 2],
    ['1', '2', '2.1', '2.2', '3'],
  ],
  [
    [2, 3, 4, 2, 3],
    ['1', '1.1', '1.1.1', '2', '2.1'],
  ],
])('headings of the levels %j are numbered %j', (levels, numbers) => {
  const sections = levels.map((level) => ({ level, line: 'a < b', anchor: 'a' }));
  const items = sectionItems(sections, { title: 'Main Page', text: '' });
  expect(items.map(({ number }) => number)).toEqual(numbers);
  expect(items.map(({ toclevel }) => toclevel)).toEqual(numbers.map((number) => number.split('.').length));
  expect(items[0]).toMatchObject({ line: 'a &lt; b', fromtitle: 'Main_Page', byteoffset: null });
});
