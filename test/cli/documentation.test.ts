import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DOCTOR_RULES } from '../../src/cli/doctor/examine.js';
import { MCP_RULES } from '../../src/cli/doctor/mcp.js';
import { OPENID_RULES } from '../../src/cli/doctor/openid.js';

const text = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');

/** The rows of a table under a heading whose first cell is a name. */
const rows = (heading: string): readonly (readonly string[])[] => {
  const [section = ''] = text.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  return [...section.matchAll(/^\| `([a-z-]+)` +\|(.+)\|$/gm)].map(([, name = '', cells = '']) => [
    name,
    ...cells.split('|').map((cell) => cell.trim()),
  ]);
};

test('docs/command-line.md lists every rule of the doctor with its level and meaning', () => {
  const rules = Object.entries(DOCTOR_RULES).map(([name, { severity, holds }]) => [name, severity, holds]);
  expect(rows('doctor')).toEqual(rules);
});

test.each([
  ['--mcp', MCP_RULES],
  ['--openid', OPENID_RULES],
])('docs/command-line.md lists every step of doctor %s', (option, steps) => {
  const rules = Object.entries(steps).map(([name, { severity, holds }]) => [name, severity, holds]);
  expect(rows(`doctor ${option}`)).toEqual(rules);
});
