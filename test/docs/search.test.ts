import { createRequire } from 'node:module';
import type MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { isSearched, pagesOf } from '../../tools/site/pages.js';
import { everyRow } from '../rows.js';

/** As a user types them, and a page that answers, by the beginning of its address. They were written down before the index was looked at. */
const QUESTIONS: readonly (readonly [question: string, ...answers: string[]])[] = [
  ['custom claims access token', 'features.md'],
  ['vercel', 'hosts.md', 'deployment.md'],
  ['add client without restart', 'clients.md', 'users-and-administrators.md'],
  ['rate limit login', 'sign-in.md#limits-on-guessing'],
  ['logout everywhere', 'users-and-administrators.md', 'sign-in.md'],
  ['revoke all tokens of a user', 'users-and-administrators.md'],
  ['refresh token rotation', 'authorization-server.md', 'security.md'],
  ['docker compose', 'deployment.md'],
  ['rotate signing key', 'authorization-server.md', 'openid.md', 'operations.md'],
  ['redirect uri mismatch', 'troubleshooting.md', 'clients.md'],
  ['hash passwords of users', 'sign-in.md', 'command-line.md', 'deployment.md', 'troubleshooting.md'],
  ['cors single page app', 'clients.md'],
  ['mcp server claude', 'mcp.md'],
  ['opaque or jwt', 'authorization-server.md', 'guard.md'],
  ['jest cannot use import statement', 'hosts.md', 'guard.md'],
  ['nextjs route handler', 'hosts.md'],
  ['nestjs guard', 'hosts.md', 'guard.md'],
  ['postgres connection pool', 'operations.md', 'stores.md', 'hosts.md'],
  ['prometheus metrics', 'operations.md'],
  ['websocket token', 'guard.md'],
];

interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly text: string;
}

/** The sections of a page with the titles above them, as the site's search splits it. */
const sectionsOf = ({ path, text }: { readonly path: string; readonly text: string }): readonly Section[] => {
  const above: string[] = [];
  const plain = text.replace(/\]\([^)]*\)/g, '').replace(/[`*|[\]]/g, ' ');
  // Lines of programs may begin with a hash too.
  return plain.split(/^(?=#{1,6} [^\n]*$)/m).flatMap((part) => {
    const [, level = '', title = ''] = /^(#{1,6}) (.*)$/m.exec(part) ?? [];
    if (title === '') return [];
    above.length = level.length - 1;
    const titles = [...above];
    above[level.length - 1] = title;
    const anchor = title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .trim()
      .replaceAll(' ', '-');
    return [
      { id: `${path}#${anchor}-${titles.length}-${part.length}`, title, titles, text: part.slice(part.indexOf('\n')) },
    ];
  });
};

/** The search with the settings of VitePress, which has it as a dependency. */
const index = (): MiniSearch<Section> => {
  const { resolve } = createRequire(import.meta.url);
  const Search = createRequire(resolve('vitepress/package.json'))('minisearch') as typeof MiniSearch;
  const search = new Search<Section>({
    fields: ['title', 'titles', 'text'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  });
  search.addAll(pagesOf().filter(isSearched).flatMap(sectionsOf));
  return search;
};

test(`${QUESTIONS.length} questions: a page that answers is among the first three hits of the search`, () => {
  const search = index();
  return everyRow(QUESTIONS, ([question, ...answers]) => {
    const hits = search
      .search(question)
      .slice(0, 3)
      .map(({ id }) => String(id));
    expect(
      hits.some((hit) => answers.some((answer) => hit.startsWith(answer))),
      hits.join(', '),
    ).toBe(true);
  });
});

test('the search finds no page about the project', () => {
  const found = pagesOf()
    .filter(isSearched)
    .map(({ path }) => path);
  expect(found.filter((path) => /CHANGELOG|CONTRIBUTING|conformance|adr/.test(path))).toEqual([]);
  expect(found.length).toBeGreaterThan(24);
});
