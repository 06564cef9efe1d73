import { parseArgs } from 'node:util';
import { ArgumentError, positive } from '../arguments.js';

/** What `npm run record` does. */
export type RecordTask =
  | { readonly kind: 'help' }
  | { readonly kind: 'compare'; readonly files: readonly [string, string] }
  | { readonly kind: 'report'; readonly file: string; readonly save: boolean }
  | ({ readonly kind: 'measure'; readonly out: string | undefined; readonly save: boolean } & RecordSize);

export interface RecordSize {
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  /** Requests before the first round. */
  readonly warmUp: number;
  /** Whether a server that answers wrongly goes on, so that each of its problems is found. */
  readonly findAll: boolean;
}

/** Results of such runs may be quoted. */
export const FULL_RECORD = { rounds: 9, requests: 4000, warmUp: 8000, findAll: false } as const;
const LONG = { ...FULL_RECORD, rounds: 25, findAll: true } as const;
const QUICK = { rounds: 3, requests: 400, warmUp: 2000, findAll: false } as const;

export const RECORD_HELP = `npm run record -- [options]
npm run record -- report <file> [--save]
npm run record -- compare <file> <file>

Measures tokens per second and vCPU over TLS 1.3, with the memory store and with each database whose program is installed
(redis-server, PostgreSQL, MariaDB), and the same for other libraries. Needs Linux or macOS, and openssl. Every round of
every server is written to a file, from which the report is made.

  --rounds <n>    rounds of each server (${FULL_RECORD.rounds})
  --requests <n>  requests of each round (${FULL_RECORD.requests})
  --quick         ${QUICK.rounds} rounds of ${QUICK.requests} requests, for trying out
  --long          ${LONG.rounds} rounds, about half an hour; a server that answers wrongly goes on, and each of its problems is listed
  --out <file>    where the file goes (.data/record/<time>.json)
  --save          writes the page, the chart and the committed file too
  --help          this text

report   prints the tables of a file; with --save it writes them as above
compare  compares two files by the ratios of each server to the hand-written minimum of its own run; exits with 1 if one
         differs by more than 15 percent
`;

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        requests: { type: 'string' },
        quick: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        out: { type: 'string' },
        save: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\. To specify[\s\S]*|\.$/, '') : String(error);
    throw new ArgumentError(`${reason}. \`npm run record -- --help\` lists the options.`);
  }
}

/** @throws ArgumentError */
export function readRecordArguments(args: readonly string[]): RecordTask {
  const { values, positionals } = parsed(args);
  const [command, first, second] = positionals;
  if (values.help) return { kind: 'help' };
  if (command === 'compare') {
    if (first === undefined || second === undefined || positionals.length > 3)
      throw new ArgumentError('compare needs two files: npm run record -- compare <file> <file>');
    return { kind: 'compare', files: [first, second] };
  }
  if (command === 'report') {
    if (first === undefined || positionals.length > 2)
      throw new ArgumentError('report needs one file: npm run record -- report <file>');
    return { kind: 'report', file: first, save: values.save };
  }
  if (command !== undefined) throw new ArgumentError(`"${command}" is unknown; choose report or compare, or neither.`);
  if (values.quick && values.long) throw new ArgumentError('--quick and --long exclude each other.');
  const base = values.quick ? QUICK : values.long ? LONG : FULL_RECORD;
  return {
    kind: 'measure',
    ...base,
    rounds: positive('--rounds', values.rounds, base.rounds),
    requests: positive('--requests', values.requests, base.requests),
    out: values.out,
    save: values.save,
  };
}
