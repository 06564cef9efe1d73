/**
 * Sizes a deployment from the committed measurements of `bench/results`: bytes, commands, vCPUs and connections.
 *
 *     npx tsx bench/plan.ts --users 10000000 --sign-ins 2000000
 *     npx tsx bench/plan.ts --help
 *     npx tsx bench/plan.ts --save
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RecordWork } from './record/lineup.js';
import { figuresOf, readRecord, type RecordResults } from './record/results.js';
import { saveSection } from './report/saved-files.js';
import { MISSING, whole } from './report/table.js';
import { storesInWords } from './stores/report.js';
import {
  type EngineName,
  type EngineResults,
  measuredEngines,
  type Operation,
  operations,
  readStoreResults,
  type StoreResults,
} from './stores/results.js';

/** The inputs: name, default and meaning. */
const inputs = {
  users: [10_000_000, 'users'],
  'sign-ins': [2_000_000, 'sign-ins a day, each with a new grant'],
  refreshes: [8, 'refreshes after each sign-in'],
  'client-tokens': [1_000_000, 'tokens a day by client credentials'],
  introspections: [20, 'introspections of each access token'],
  peak: [4, 'times the average in the busiest second'],
  load: [50, 'per cent of a vCPU that a server process uses in the busiest second'],
  'grant-days': [90, 'days that a grant is kept (lifetimes.refreshTokenAbsolute)'],
  'token-hours': [1, 'hours that an access token is kept (lifetimes.accessToken)'],
  connections: [4, 'connections of each process to PostgreSQL or MariaDB'],
} as const satisfies Readonly<Record<string, readonly [value: number, meaning: string]>>;

type InputName = keyof typeof inputs;
type Inputs = Readonly<Record<InputName, number>>;

// The keys of `inputs`, which is declared above.
const inputNames = Object.keys(inputs) as InputName[];

const HELP = `npx tsx bench/plan.ts [options]

${inputNames.map((name) => `  --${name.padEnd(18)}${inputs[name][1]} (${inputs[name][0]})`).join('\n')}
  --save              writes the tables and the examples of bench/measurements.md instead
`;

/** @throws TypeError */
export function readInputs(args: readonly string[]): Inputs | 'help' {
  const options = Object.fromEntries(inputNames.map((name) => [name, { type: 'string' as const }]));
  const parsed = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean' } } });
  const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values;
  if (values['help'] === true) return 'help';
  const read = inputNames.map((name): [InputName, number] => {
    const value = Number(values[name] ?? inputs[name][0]);
    if (!(value >= 0)) throw new TypeError(`--${name} must be a number of at least 0.`);
    return [name, value];
  });
  return Object.fromEntries(read) as Inputs; // one entry per name
}

const DAY = 86_400;
const GIGABYTE = 1e9;
/** The work of the record that costs the server as much as an operation. */
const workOf: Readonly<Record<Operation, RecordWork>> = {
  token: 'token',
  signIn: 'flow',
  refresh: 'refresh',
  introspect: 'introspect',
};
/** Records that an operation leaves to be deleted when they expire; what a refresh leaves, the next ones delete. */
const expiring: Readonly<Record<Operation, number>> = { token: 1, signIn: 9, refresh: 1, introspect: 0 };

type Rates = Readonly<Record<Operation, number>>;

/** How often each operation happens in an average second. */
function ratesOf(given: Inputs): Rates {
  const signIn = given['sign-ins'] / DAY;
  const refresh = signIn * given.refreshes;
  const token = given['client-tokens'] / DAY;
  return { token, signIn, refresh, introspect: (signIn + refresh + token) * given.introspections };
}

const sumOf = (of: (operation: Operation) => number): number =>
  operations.reduce((sum, operation) => sum + of(operation), 0);

const brief = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value));

/** One column of the plan: the numbers of a store, by row. */
function columnOf(
  name: EngineName,
  { operations: costs, clearedPerSecond }: EngineResults,
  given: Inputs,
  record: RecordResults,
) {
  const rates = ratesOf(given);
  // A refresh adds nothing else.
  const access = costs.refresh.bytes;
  const grant = Math.max(0, costs.signIn.bytes - access);
  const live = {
    grants: rates.signIn * DAY * given['grant-days'] * grant,
    tokens: ((rates.signIn + rates.refresh) * access + rates.token * costs.token.bytes) * 3_600 * given['token-hours'],
  };
  const measured = (operation: Operation) => {
    const row = record.results.find(
      ({ work, store, processes }) => work === workOf[operation] && store === name && processes === 1,
    );
    return row === undefined ? undefined : figuresOf(row);
  };
  const isShared = name !== 'memory' && name !== 'SQLite';
  const servers = given.peak * sumOf((one) => rates[one] / (measured(one)?.perVcpu.median ?? Number.NaN));
  const database = given.peak * sumOf((one) => (rates[one] * (measured(one)?.engine?.median ?? 0)) / 1e6);
  const processes = Math.ceil(servers / (given.load / 100));
  const ifShared = (text: string): string => (isShared ? text : MISSING);
  return {
    [`Bytes of a grant, kept ${given['grant-days']} days`]: whole(grant),
    [`Bytes of an access token, kept ${given['token-hours']} h`]: whole(access),
    'Grants, GB': brief(live.grants / GIGABYTE),
    'Access tokens, GB': brief(live.tokens / GIGABYTE),
    'All together, GB': brief((live.grants + live.tokens) / GIGABYTE),
    'Commands per second at the peak': ifShared(whole(given.peak * sumOf((one) => rates[one] * costs[one].commands))),
    'vCPUs of the database at the peak': ifShared(brief(database)),
    'vCPUs of the servers at the peak': ifShared(brief(servers)),
    [`Server processes at ${given.load} % load`]: ifShared(whole(processes)),
    'Connections to the database': ifShared(whole(processes * (name === 'Redis' ? 1 : given.connections))),
    'Records that expire per second': whole(sumOf((one) => rates[one] * expiring[one])),
    'Records that one process can clear per second': clearedPerSecond === undefined ? MISSING : whole(clearedPerSecond),
  };
}

/** The plan as text. */
export function planFor(given: Inputs, stores: StoreResults, record: RecordResults): string {
  const rates = ratesOf(given);
  const peak = (operation: Operation): string => whole(given.peak * rates[operation]);
  const measured = measuredEngines(stores);
  const columns = measured.map(([name, results]) => columnOf(name, results, given, record));
  const labels = Object.keys(columns[0] ?? {}) as (keyof (typeof columns)[number])[]; // the same for every store
  const first = Math.max(...labels.map((label) => String(label).length));
  const line = (label: string, cells: readonly string[]): string =>
    `${label.padEnd(first)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  return [
    `${whole(given.users)} users, ${whole(given['sign-ins'])} sign-ins a day: ${brief((given['sign-ins'] * given['grant-days']) / given.users)} live grants per user.`,
    `In the busiest second: ${peak('signIn')} sign-ins, ${peak('refresh')} refreshes, ${peak('token')} client tokens, ${peak('introspect')} introspections.`,
    '',
    line(
      '',
      measured.map(([name]) => name),
    ),
    ...labels.map((label) =>
      line(
        String(label),
        columns.map((column) => column[label] ?? MISSING),
      ),
    ),
  ].join('\n');
}

/** The examples of the page: with the default lifetimes, and with shorter ones. */
const EXAMPLES: readonly (readonly string[])[] = [[], ['--grant-days', '30']];

/** The example as the page shows it. */
const exampleInWords = (args: readonly string[], stores: StoreResults, record: RecordResults): string => {
  const given = readInputs(args);
  if (given === 'help') throw new TypeError('An example needs numbers.');
  const commandLine = ['npx tsx bench/plan.ts', ...args].join(' ');
  return `\`\`\`text not-run: test/bench/plan.test.ts compares it with the program\n$ ${commandLine}\n${planFor(given, stores, record)}\n\`\`\``;
};

export const examplesInWords = (stores: StoreResults, record: RecordResults): string =>
  EXAMPLES.map((args) => exampleInWords(args, stores, record)).join('\n\n');

const PAGE = 'bench/measurements.md';

/** Prints the plan for these arguments; with `--save`, writes what the page shows of the measurements. */
function main(args: readonly string[]): void {
  const isSaving = args.includes('--save');
  const given = readInputs(args.filter((arg) => arg !== '--save'));
  const [stores, record] = [readStoreResults(), readRecord()];
  if (given === 'help') console.log(HELP);
  else if (stores === undefined || record === undefined) {
    throw new Error('Measure first: npm run bench -- --record --save, and npx tsx bench/stores/main.ts --save.');
  } else if (isSaving) {
    saveSection('stores', storesInWords(stores), PAGE);
    saveSection('plan', examplesInWords(stores, record), PAGE);
    console.log(`Written: ${PAGE}. Format it with \`npm run format\`.`);
  } else console.log(planFor(given, stores, record));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
