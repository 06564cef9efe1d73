import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  audits,
  DEVICE_ROOM,
  foldersOfServer,
  innerImports,
  namingDevices,
  optionRows,
  reachedByType,
  serviceMembers,
  shapesOfPlug,
  writtenAudits,
} from '../tools/measure-structure.js';
import { parseSource, sourceFiles } from './source-graph.js';

const files = sourceFiles();

/** A bound is today's figure where the goal is not reached; it may only fall. */
const NAMING_DEVICES = { all: 16, outside: 8 };
const OPTION_ROWS = 103;
const LOGIN_SERVER = { files: 216, lines: 17_483 };

test('no capability gets more than 12 services, counted through objects of data', () => {
  const members = [...serviceMembers(files)].toSorted(([, a], [, b]) => b - a);
  const [largest] = members;
  console.log(`Largest services: ${largest?.join(', ')} of ${members.length}`);
  expect(members.length).toBeGreaterThan(20);
  expect(members.filter(([, count]) => count > 12)).toEqual([]);
  const planted = parseSource(
    'core/oauth/token/planted.ts',
    `interface Base { readonly a: A; readonly tokens: { find(): B; end(): C } }
     interface PlantedServices extends Base { readonly lifetimes: { readonly code: number; readonly token: number }; readonly hooks: Pick<H, 'x' | 'y'> }`,
  );
  expect([...serviceMembers([planted])]).toEqual([['PlantedServices', 6]]);
});

test('the code grant reaches a bounded part of the source, types included', () => {
  const lines = reachedByType('core/oauth/code/authorization-code.ts', files);
  console.log(`Lines reached by type from the code grant: ${lines} (at most 4,925)`);
  expect(lines).toBeLessThanOrEqual(4925);
  const planted = [
    parseSource('core/a.ts', `import type { B } from './b.js';\nexport type A = B;`),
    parseSource('core/b.ts', 'export type B = 1;\n\n'),
  ];
  expect(reachedByType('core/a.ts', planted)).toBe(5);
});

test('features of this package import entries only', () => {
  const found = innerImports(files);
  console.log(`Inner files that features import: ${found.join(', ')} (goal 0)`);
  expect(found).toEqual([]);
  const planted = parseSource(
    'features/planted/index.ts',
    `import type { Grant } from '../../core/oauth/tokens/grant.js';
     import { feature } from '../../core/feature/index.js';`,
  );
  expect(innerImports([planted])).toEqual(['core/oauth/tokens/grant.ts']);
});

test('there is one way to plug something into a server', () => {
  const found = shapesOfPlug(files);
  console.log(`Shapes of plug: ${found.join(', ')}`);
  expect(found).toEqual(['core/feature/feature.ts FeatureDefinition']);
  const planted = parseSource('core/query/planted.ts', 'export interface Extension { start(host: Host): Parts }');
  expect(shapesOfPlug([planted])).toEqual(['core/query/planted.ts Extension']);
});

test('options do not become more', () => {
  const rows = optionRows();
  console.log(`Rows of options: ${rows} (goal 104)`);
  expect(rows).toBeGreaterThan(50);
  expect(rows).toBeLessThanOrEqual(OPTION_ROWS);
});

test('a login server does not become more to read', () => {
  const [server] = audits(files);
  console.log(`${server?.entries}: ${server?.lines} lines of code in ${server?.files} files (goal 12,800 in 165)`);
  expect(server?.files).toBeLessThanOrEqual(LOGIN_SERVER.files);
  expect(server?.lines).toBeLessThanOrEqual(LOGIN_SERVER.lines);
});

test('docs/audit.md says why a login server loads each folder', () => {
  const folders = foldersOfServer(files);
  const [server] = audits(files);
  expect(folders.reduce((sum, { lines }) => sum + lines, 0)).toBe(server?.lines);
  expect(folders.filter(({ why }) => why === undefined).map(({ entries }) => entries)).toEqual([]);
  const written = readFileSync(new URL('../docs/audit.md', import.meta.url), 'utf8');
  expect(
    folders.filter(({ entries, why }) => !written.includes(`| \`${entries}\``) || !written.includes(`| ${why} `)),
  ).toEqual([]);
});

test('few files of the core name the device flow', () => {
  const found = namingDevices(files);
  const outside = found.filter((path) => !path.startsWith(DEVICE_ROOM));
  console.log(
    `Files of the core that name the device flow: ${found.length} (goal 12), ${outside.length} of them elsewhere`,
  );
  expect(found.length).toBeLessThanOrEqual(NAMING_DEVICES.all);
  expect(outside.length).toBeLessThanOrEqual(NAMING_DEVICES.outside);
  const planted = [
    parseSource('core/base/a.ts', '/** Of a device. */'),
    parseSource('core/base/b.ts', `const path = form.get('user_code');`),
    parseSource('core/base/c.ts', `const viewport = 'width=device-width'; // Any app on the device can claim it.`),
  ];
  expect(namingDevices(planted)).toEqual(['core/base/a.ts', 'core/base/b.ts']);
});

test('docs/audit.md says what each entry loads, within three percent', () => {
  const now = audits(files);
  console.log(now.map(({ entries, files: count, lines }) => `${entries}: ${count} files, ${lines} lines`).join('\n'));
  const written = new Map(writtenAudits().map((row) => [row.entries, row]));
  const isNear = (today: number, then = 0): boolean => Math.abs(today - then) <= Math.max(2, then * 0.03);
  const stale = now.filter(({ entries, files: count, lines }) => {
    const row = written.get(entries);
    return !isNear(count, row?.files) || Math.abs(lines - (row?.lines ?? 0)) > Math.max(30, lines * 0.03);
  });
  expect(stale, 'Run npm run audit, and commit docs/audit.md.').toEqual([]);
  expect([...written.keys()]).toEqual(now.map(({ entries }) => entries));
});
