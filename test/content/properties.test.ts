import { contentQuery, type ContentLink, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { bothSources } from './support/both-sources.js';
import { startQuery } from './support/same-pages.js';

const property = (title: string, text = ''): ContentLink => ({ kind: 'property', ns: 0, title, ...(text && { text }) });
const many = (prefix: string): readonly ContentLink[] => Array.from({ length: 1_200 }, (_, n) => property(prefix + n));

/** The property that is looked for is before or behind more others than are read at once. */
const pages: readonly MemoryPage[] = ['Aa', 'Bb', 'Cc', 'Dd'].flatMap((name, index) => {
  const others = [
    ...many('a'),
    ...(index < 3 ? [property('displaytitle', `<i>${name}</i>`), property('hiddencat')] : []),
  ];
  const links = [...others, ...many('z'), { kind: 'category' as const, ns: 14, title: name }];
  const id = index + 1;
  return [0, 14].map((ns) => ({ id: id + ns, ns, title: name, text: '', links, history: [{ id: id + ns, text: '' }] }));
});

test.each(Object.entries(bothSources(pages)))('in %s, a property is found among thousands', async (_, source) => {
  const host = await startQuery(contentQuery(source()));
  const { json } = await host.query({
    ...{ titles: 'Aa|Bb|Cc|Dd', prop: 'info|categories', inprop: 'displaytitle', clprop: 'hidden' },
  });
  const shown = (json['query'] as { pages: { displaytitle: string; categories: { hidden: boolean }[] }[] }).pages;
  expect(shown.map(({ displaytitle }) => displaytitle)).toEqual(['<i>Aa</i>', '<i>Bb</i>', '<i>Cc</i>', 'Dd']);
  expect(shown.map(({ categories }) => categories[0]?.hidden)).toEqual([true, true, true, false]);
  await host.close();
});
