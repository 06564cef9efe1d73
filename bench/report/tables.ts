/** The results of a run as tables. */
import { type Framework, frameworks, httpWorks, titles, type Work } from '../candidates.js';
import type { Summary } from '../statistics.js';
import type { HttpResult, Results } from './results.js';
import { middle, MISSING, notCounted, spread, type Table, whole } from './table.js';

/** A table about one work, which may have a chart. */
interface WorkTable extends Table {
  readonly work: Work;
}

const ratio = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${summary.median.toFixed(2)} ×`;

/** How much work is done in the time in which the minimum does 100. */
const capacity = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${(100 / summary.median).toFixed(0)} %`;

function httpRow(result: HttpResult): readonly string[] {
  const { framework, candidate, disqualified, user, system, requestsPerSecond } = result;
  const { userToBare, userToMinimum, userToMinimumPlus, userToBefore } = result;
  if (disqualified !== undefined) return [framework, candidate, notCounted(disqualified), '', '', '', '', '', ''];
  return [
    framework,
    candidate,
    middle(user, ' µs'),
    spread(user),
    middle(system, ' µs'),
    requestsPerSecond === undefined ? MISSING : whole(requestsPerSecond.median),
    ratio(userToBefore ?? userToBare),
    capacity(userToMinimum),
    capacity(userToMinimumPlus),
  ];
}

/** A comparison of two builds has the other build in place of the bare route. */
const httpHead = (isPaired: boolean) => [
  'Framework',
  'Candidate',
  'User CPU',
  'middle half',
  'System CPU',
  'Per second',
  isPaired ? 'to before' : 'to bare',
  'capacity of the minimum',
  'of minimum+',
];

const place = (framework: Framework): number => frameworks.indexOf(framework);

function httpTables({ http }: Pick<Results, 'http'>): readonly WorkTable[] {
  return httpWorks.flatMap((work): WorkTable[] => {
    const results = http
      .filter((result) => result.work === work)
      .toSorted((a, b) => place(a.framework) - place(b.framework));
    const isPaired = results.some(({ userToBefore }) => userToBefore !== undefined);
    return results.length === 0
      ? []
      : [{ work, title: titles[work], head: httpHead(isPaired), rows: results.map(httpRow) }];
  });
}

const kilobytes = (bytes: number): string => `${whole(bytes / 1024)} KB`;

/** Every table that has rows. */
export function tablesOf(results: Results): readonly WorkTable[] {
  const { parse, imports, size, memory, families, allocation = [] } = results;
  const others: readonly WorkTable[] = [
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
        disqualified === undefined ? whole(bytesPerToken) : notCounted(disqualified),
        tokens.toLocaleString('en'),
      ]),
    },
    {
      work: 'allocation',
      title: titles.allocation,
      head: ['Work', 'Framework', 'Candidate', 'Allocated'],
      rows: allocation.map(({ work, framework, candidate, bytes, disqualified }) => [
        work,
        framework,
        candidate,
        disqualified === undefined ? `${(bytes / 1024).toFixed(1)} KB` : notCounted(disqualified),
      ]),
    },
    {
      work: 'memory',
      title: 'Heap per grant, oauth-query with its store in memory, access tokens expired',
      head: ['Grants', 'Bytes per grant', 'Bytes per refresh'],
      rows:
        families === undefined
          ? []
          : [[families.families, families.bytesPerFamily, families.bytesPerRefresh].map(whole)],
    },
  ];
  return [...httpTables(results), ...others.filter(({ rows }) => rows.length > 0)];
}
