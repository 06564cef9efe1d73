/** The results as tables of text, for the terminal and for the documentation alike. */
import { type Framework, frameworks, httpWorks, titles, type Work } from '../candidates.js';
import type { Summary } from '../statistics.js';
import type { HttpResult, Results } from './results.js';

export interface Table {
  readonly work: Work;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MISSING = '–';

const digits = (value: number): number => (Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: digits(value) });

const middle = (summary: Summary | undefined, unit = ''): string =>
  summary === undefined ? MISSING : `${number(summary.median)}${unit}`;

/** The middle half of the values. */
const spread = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${number(summary.low)} to ${number(summary.high)}`;

const ratio = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${summary.median.toFixed(2)} ×`;

/** How much of the minimum's work could be done in the same time. */
const capacity = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${(100 / summary.median).toFixed(0)} %`;

function httpRow(result: HttpResult): readonly string[] {
  const { framework, candidate, disqualified, user, system, requestsPerSecond } = result;
  const { userToBare, userToMinimum, userToBefore } = result;
  if (disqualified !== undefined) return [framework, candidate, `not counted: ${disqualified}`, '', '', '', '', ''];
  return [
    framework,
    candidate,
    middle(user, ' µs'),
    spread(user),
    middle(system, ' µs'),
    requestsPerSecond === undefined ? MISSING : Math.round(requestsPerSecond.median).toLocaleString('en'),
    ratio(userToBefore ?? userToBare),
    capacity(userToMinimum),
  ];
}

/** What is compared with another build has that in place of the bare route. */
const httpHead = (isPaired: boolean) => [
  'Framework',
  'Candidate',
  'User CPU',
  'middle half',
  'System CPU',
  'Per second',
  isPaired ? 'to before' : 'to bare',
  'capacity of the minimum',
];

const place = (framework: Framework): number => frameworks.indexOf(framework);

function httpTables({ http }: Pick<Results, 'http'>): readonly Table[] {
  return httpWorks.flatMap((work): Table[] => {
    const results = http
      .filter((result) => result.work === work)
      .toSorted((a, b) => place(a.framework) - place(b.framework));
    const isPaired = results.some(({ userToBefore }) => userToBefore !== undefined);
    return results.length === 0
      ? []
      : [{ work, title: titles[work], head: httpHead(isPaired), rows: results.map(httpRow) }];
  });
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} KB`;

/** Every table that has rows. */
export function tablesOf(results: Results): readonly Table[] {
  const { parse, imports, size, memory, families } = results;
  const others: readonly Table[] = [
    {
      work: 'parse',
      title: titles.parse,
      head: ['Candidate', 'CPU per query', 'middle half', 'ours to it'],
      rows: parse.map((one) => [
        one.candidate,
        middle(one.microseconds, ' µs'),
        spread(one.microseconds),
        ratio(one.oursTo),
      ]),
    },
    {
      work: 'imports',
      title: titles.imports,
      head: ['Import', 'By the clock', 'middle half', 'CPU time'],
      rows: imports.map((one) => [one.candidate, middle(one.wall, ' ms'), spread(one.wall), middle(one.cpu, ' ms')]),
    },
    {
      work: 'size',
      title: titles.size,
      head: ['Package', 'On disk', 'Packages'],
      rows: size.map(({ candidate, bytes, packages }) => [candidate, kilobytes(bytes), String(packages)]),
    },
    {
      work: 'memory',
      title: titles.memory,
      head: ['Candidate', 'Bytes per token', 'Live tokens'],
      rows: memory.map(({ candidate, bytesPerToken, tokens, disqualified }) => [
        candidate,
        disqualified === undefined ? Math.round(bytesPerToken).toLocaleString('en') : `not counted: ${disqualified}`,
        tokens.toLocaleString('en'),
      ]),
    },
    {
      work: 'memory',
      title: 'Heap of families of tokens, oauth-query with its store in memory, access tokens expired',
      head: ['Families', 'Bytes per family', 'Bytes per refresh'],
      rows:
        families === undefined
          ? []
          : [[families.families, families.bytesPerFamily, families.bytesPerRefresh].map(whole)],
    },
  ];
  return [...httpTables(results), ...others.filter(({ rows }) => rows.length > 0)];
}

/** With columns of equal width. */
export function textOf({ title, head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_name, column) =>
    // A reason why something is not counted may be as long as it needs to be.
    Math.max(...lines.filter((line) => !line.some(isReason)).map((line) => (line[column] ?? '').length)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [title, '-'.repeat(title.length), ...text].join('\n');
}

const isReason = (cell: string): boolean => cell.startsWith('not counted');

export function markdownOf({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [`### ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
