import { contentQuery, memoryContent } from 'oauth-query/content';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type QueryHost, startQuery } from './support/same-pages.js';
import { type Params, walk } from './support/walk.js';

/** More than half of what fits into a response. */
const LARGE = 900_000;
const text = (letter: string): string => letter.repeat(LARGE);
const HISTORY = 4;

let host: QueryHost;
beforeAll(async () => {
  const history = [...'efgh'].map((letter, n) => ({
    timestamp: `2024-01-0${n + 1}T00:00:00Z`,
    user: 'Alice',
    text: text(letter),
  }));
  const pages = [...'abcd'].map((letter) => ({ title: `Page ${letter}`, text: text(letter), user: 'Bob' }));
  host = await startQuery(contentQuery(memoryContent([...pages, { title: 'Old', text: text('h'), history }])));
});
afterAll(() => host.close());

/** The first letters of the texts of each response, until there is no further one. */
const lettersOf = async (params: Params): Promise<readonly string[]> => {
  const answers = await walk(async (all) => (await host.query(all)).json, params);
  return answers.map(({ query }) =>
    [...JSON.stringify(query).matchAll(/"content":"(.)/g)].map(([, letter]) => letter).join(''),
  );
};

const CONTENT = { rvprop: 'content', rvslots: 'main' };

test('a response has as many texts as fit, at least one, and the others are continued', async () => {
  const pages = { titles: 'Page a|Page b|Page c|Page d', prop: 'revisions', ...CONTENT };
  expect(await lettersOf(pages)).toEqual(['a', 'b', 'c', 'd']);
  expect(await lettersOf({ ...pages, titles: 'Page a' })).toEqual(['a']);
  expect(await lettersOf({ revids: '1|2|3', prop: 'revisions', ...CONTENT })).toEqual(['a', 'b', 'c']);
  const history = await lettersOf({ titles: 'Old', prop: 'revisions', rvlimit: 'max', ...CONTENT });
  expect(history).toEqual(['h', 'g', 'f', 'e']);
  const all = { list: 'allrevisions', arvuser: 'Alice', arvprop: 'content', arvslots: 'main', arvlimit: 'max' };
  expect(await lettersOf(all)).toEqual(['h', 'g', 'f', 'e']);
});

test('without texts, all revisions are in one response', async () => {
  const { json } = await host.query({ titles: 'Old', prop: 'revisions', rvlimit: 'max', rvprop: 'ids' });
  expect(json).not.toHaveProperty('continue');
  expect(JSON.stringify(json).match(/"revid"/g)).toHaveLength(HISTORY);
});

test('action=parse lists at most a thousand links of a page, and says so', async () => {
  const links = Array.from({ length: 1_200 }, (_, n) => ({ kind: 'link' as const, ns: 0, title: `Target ${n}` }));
  const host = await startQuery(
    contentQuery(
      memoryContent([
        { title: 'Hub', text: '', links },
        { title: 'Target 7', text: '' },
      ]),
    ),
  );
  onTestFinished(() => host.close());
  const parse = { action: 'parse', page: 'Hub', prop: 'links|templates' };
  const { json } = await host.query(parse);
  const { links: shown } = json['parse'] as {
    readonly links: readonly { readonly title: string; readonly exists: boolean }[];
  };
  expect(shown).toHaveLength(1_000);
  expect(shown.filter(({ exists }) => exists).map(({ title }) => title)).toEqual(['Target 7']);
  expect(JSON.stringify(json['warnings'])).toContain('action=query&prop=links');
});
