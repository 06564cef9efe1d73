/** The committed files that `--save` writes, as seen from the root of the repository, where every script is started. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const PAGE = 'bench/benchmarks.md';
export const CHARTS = 'bench/charts';

/** Four digits exceed the precision of any measurement. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

export function saveNumbers(file: string, results: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

/** @param charts - SVG by file name. */
export function saveCharts(charts: ReadonlyMap<string, string>): void {
  mkdirSync(CHARTS, { recursive: true });
  for (const [name, svg] of charts) writeFileSync(join(CHARTS, name), svg);
}

/** Replaces the text between the two marks of a section. */
export function saveSection(name: string, text: string, page = PAGE): void {
  const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- end of ${name} -->`];
  const before = readFileSync(page, 'utf8');
  const start = before.indexOf(begin);
  const stop = before.indexOf(end);
  if (start === -1 || stop < start) throw new Error(`${page} needs the marks "${begin}" and "${end}".`);
  writeFileSync(page, `${before.slice(0, start + begin.length)}\n\n${text}\n\n${before.slice(stop)}`);
}
