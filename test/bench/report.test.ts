import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { OURS } from '../../bench/candidates.js';
import { drawChart } from '../../bench/report/chart.js';
import { chartsOf } from '../../bench/report/charts.js';
import { readReference } from '../../bench/report/reference.js';
import type { HttpResult, Results } from '../../bench/report/results.js';
import { markdownOf } from '../../bench/report/table.js';
import { tablesOf } from '../../bench/report/tables.js';
import { summary } from '../../bench/statistics.js';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** The elements of a document; throws when it is not well-formed. */
const elementsOf = (svg: string): readonly Element[] => {
  const elements: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, text: '' };
    elements.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(svg).close();
  return elements;
};

const chart = {
  title: 'Tokens & more',
  subtitle: 'Longer is <better>',
  groups: [
    {
      label: 'Koa',
      bars: [
        { label: 'bare', value: 200, kind: 'yardstick' },
        { label: OURS, value: 100, kind: 'ours' },
      ],
    },
    { label: 'Fastify', bars: [{ label: 'a "peer"', value: 50, kind: 'peer' }] },
  ],
  format: (value: number) => `${value}/s`,
} as const;

describe('a chart', () => {
  const elements = elementsOf(drawChart(chart));
  const texts = elements.filter(({ name }) => name === 'text').map(({ text }) => text);

  test('is well-formed with any labels, and shows all of them with their numbers', () => {
    expect(texts).toEqual(
      expect.arrayContaining(['Tokens & more', 'Longer is <better>', 'Koa', 'Fastify', 'a "peer"', '200/s', '50/s']),
    );
  });

  test('bars of all groups are proportional to their values and start at the same position', () => {
    const bars = elements.filter(({ name }) => name === 'rect');
    const widths = bars.map(({ attributes }) => Number(attributes['width']));
    expect(widths.map((width) => width / (widths[0] ?? 0))).toEqual([1, 0.5, 0.25]);
    expect(new Set(bars.map(({ attributes }) => attributes['x'])).size).toBe(1);
  });
});

const token = (candidate: string, cost: number): HttpResult => ({
  work: 'token',
  framework: 'express',
  candidate,
  microseconds: summary([cost - 1, cost, cost + 1]),
  requestsPerSecond: summary([1_000_000 / cost]),
  user: summary([cost - 21, cost - 20, cost - 19]),
  system: summary([20]),
  userToBare: summary([(cost - 20) / 80]),
  userToMinimum: summary([(cost - 20) / 60]),
});

const results: Results = {
  date: '2030-01-01',
  machine: { processor: 'A processor', cores: 2, memory: 8, system: 'A system', node: 'v20.19.0' },
  versions: {},
  rounds: 5,
  requests: 1000,
  connections: 16,
  pinned: true,
  http: [
    token('bare', 100),
    token(OURS, 96),
    { work: 'token', framework: 'express', candidate: 'a|peer', disqualified: 'a token came twice' },
  ],
  parse: [],
  imports: [],
  size: [{ candidate: OURS, bytes: 2_048_000, packages: 4 }],
  memory: [],
};

describe('a table', () => {
  const [table, size] = tablesOf(results);
  if (table === undefined || size === undefined) throw new Error('A table is missing.');

  test('has the ratio to the bare route and the capacity of the minimum', () => {
    expect(table.rows[1]).toEqual(['express', OURS, '76 µs', '75.5 to 76.5', '20 µs', '10,417', '0.95 ×', '79 %']);
  });

  test('shows the reason for a candidate that is not counted, and no number', () => {
    expect(table.rows[2]).toEqual(['express', 'a|peer', 'not counted: a token came twice', '', '', '', '', '']);
  });

  test('is Markdown in the documentation, and escapes names', () => {
    const lines = markdownOf(table).split('\n');
    expect(lines[0]).toBe('### Token by client credentials');
    expect(lines.at(-1)).toContain('| a\\|peer | not counted: a token came twice |');
  });
});

test('every chart of the committed results is well-formed', () => {
  const reference = readReference();
  const charts = reference === undefined ? [] : [...chartsOf(reference)];
  expect(charts.map(([name]) => name)).toContain('token.svg');
  for (const [, svg] of charts) expect(elementsOf(svg).length).toBeGreaterThan(5);
});
