import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explore, type Scenario } from './explore.js';
import { PARTS } from './rows.js';

const page = readFileSync(new URL('../../docs/grant-life.md', import.meta.url), 'utf8');

/** The first columns of the table under a heading. */
const rowsOf = (heading: string, columns: number): readonly string[] => {
  const [, part = ''] = page.split(`## ${heading}\n`);
  return (part.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, columns + 1)
        .map((cell) => cell.trim())
        .join(' → '),
    );
};

/** Those that take a moment, of every subject. */
const SCENARIOS: readonly Scenario[] = [
  ...PARTS.tokens,
  ...PARTS.approvals.filter(({ name }) => !/^(?:two forms|a pushed|a personal token is created twice)/.test(name)),
  ...PARTS.clients.filter(({ name }) => name.startsWith('a form is approved')),
];

/** Half of its records are not enough to give access. */
const named = (arrow: string): string =>
  arrow
    .split(' → ')
    .map((state) =>
      state === 'nothing' || state === 'half written' ? 'no grant' : state === 'received' ? 'sent' : state,
    )
    .join(' → ');

test('the steps in the life of a grant are those that every order of the commands takes, and no others', async () => {
  const seen = new Set<string>();
  for (const scenario of SCENARIOS) for (const arrow of (await explore(scenario)).arrows) seen.add(named(arrow));
  seen.delete('no grant → no grant');
  const drawn = rowsOf('Steps', 2);
  expect([...seen].sort()).toEqual([...drawn].sort());
  const states = new Set(drawn.flatMap((row) => row.split(' → ')));
  expect([...states].sort()).toEqual([...rowsOf('States', 1)].sort());
});
