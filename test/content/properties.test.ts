import { contentQuery, type ContentLink, type ContentSource, type MemoryPage } from 'oauth-query/content';
import { expect, test } from 'vitest';
import { bothSources } from './support/both-sources.js';
import { startQuery } from './support/same-pages.js';

const property = (title: string, text = ''): ContentLink => ({ kind: 'property', ns: 0, title, ...(text && { text }) });
const languages = Array.from({ length: 1_200 }, (_, n): ContentLink => ({
  kind: 'language',
  ns: 0,
  title: `de:X${n}`,
}));
const many = (prefix: string): readonly ContentLink[] => Array.from({ length: 1_200 }, (_, n) => property(prefix + n));

/** The property that is looked for is before or behind more others than are read at once. */
const pages: readonly MemoryPage[] = ['Aa', 'Bb', 'Cc', 'Dd'].flatMap((name, index) => {
  const others = [
    ...many('a'),
    ...(index < 3 ? [property('displaytitle', `<i>${name}</i>`), property('hiddencat')] : []),
  ];
  const links = [
    ...others,
    ...many('z'),
    ...(index < 2 ? languages : []),
    { kind: 'category' as const, ns: 14, title: name },
  ];
  const id = index + 1;
  return [0, 14].map((ns) => ({ id: id + ns, ns, title: name, text: '', links, history: [{ id: id + ns, text: '' }] }));
});

/** A source, and the number of links that were read from it. */
const counting = (source: ContentSource) => {
  const counted = { rows: 0 };
  const links: ContentSource['links'] = async (range, call) => {
    const rows = (await source.links?.(range, call)) ?? [];
    counted.rows += rows.length;
    return rows;
  };
  return { counted, source: { ...source, links } };
};

test.each(Object.entries(bothSources(pages)))('in %s, a property is found among thousands', async (_, make) => {
  const { source, counted } = counting(make());
  const host = await startQuery(contentQuery(source));
  const { json } = await host.query({
    ...{ titles: 'Aa|Bb|Cc|Dd', prop: 'info|categories', inprop: 'displaytitle', clprop: 'hidden' },
  });
  const shown = (json['query'] as { pages: { displaytitle: string; categories: { hidden: boolean }[] }[] }).pages;
  expect(shown.map(({ displaytitle }) => displaytitle)).toEqual(['<i>Aa</i>', '<i>Bb</i>', '<i>Cc</i>', 'Dd']);
  expect(shown.map(({ categories }) => categories[0]?.hidden)).toEqual([true, true, true, false]);
  for (const [filter, titles] of [
    ['withlanglinks', ['Aa', 'Bb']],
    ['withoutlanglinks', ['Cc', 'Dd']],
  ] as const) {
    const { json: all } = await host.query({ list: 'allpages', apfilterlanglinks: filter });
    expect((all['query'] as { allpages: { title: string }[] }).allpages.map(({ title }) => title)).toEqual(titles);
  }
  // One for each page that has one, and the categories.
  expect(counted.rows).toBeLessThanOrEqual(4 + 4 + 4 + 2 + 2);
  await host.close();
});

test('a source that returns all links of a page gives the same', async () => {
  const [make] = Object.values(bothSources(pages));
  const source = make!();
  const host = await startQuery(
    contentQuery({
      ...source,
      links: ({ kind, pages: ids, from, descending, limit }, call) =>
        source.links!({ kind, pages: ids, from, descending, limit }, call),
    }),
  );
  const { json } = await host.query({ titles: 'Aa|Dd', prop: 'info', inprop: 'displaytitle' });
  const shown = (json['query'] as { pages: { displaytitle: string }[] }).pages;
  expect(shown.map(({ displaytitle }) => displaytitle)).toEqual(['<i>Aa</i>', 'Dd']);
  await host.close();
});
