import { parseArgs } from 'node:util';
import { type Framework, frameworks, httpWorks, type Work, works } from './candidates.js';

/** What one run is to do. */
export interface Settings {
  readonly works: readonly Work[];
  readonly frameworks: readonly Framework[];
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  /** Tokens that are alive when memory is measured. */
  readonly tokens: number;
  /** Families of tokens that the store in memory holds when it is measured. */
  readonly families: number;
  /** Compare with the committed results instead of printing everything. */
  readonly check: boolean;
  /** Keep the results, the page and the charts. */
  readonly save: boolean;
  /** Write CPU profiles of our own servers. */
  readonly profile: boolean;
  /** A folder with another build of the package to compare with, instead of the committed results. */
  readonly against: string | undefined;
}

/** An argument that cannot be understood; the message says what to do. */
export class ArgumentError extends Error {}

export const HELP = `npm run bench -- [options]

Measures this package beside other libraries, each in a process on a core of its own. Everything takes about half an hour
with the defaults, some ten minutes with --quick.

  --only <works>        only these, separated by commas: ${works.join(', ')}
  --frameworks <names>  only these: ${frameworks.join(', ')}
  --rounds <n>          rounds of each work, odd numbers have a middle (11; with --quick 5)
  --requests <n>        requests of each round (2000; with --check 1000, with --quick 400)
  --quick               fewer and shorter rounds: for trying out, not for quoting
  --check               a shorter run of our own servers alone, compared with bench/results/latest.json; ends with an
                        error when a ratio has become worse than its tolerance
  --save                writes bench/results/latest.json, docs/benchmarks.md and the charts beside it
  --against <folder>    compares our own servers, round by round, with those of another build of the package, such as another
                        checkout after \`npm run build\`; with --check it ends with an error when one has become slower
  --profile             writes CPU profiles of our own servers to .data/profiles
  --help                this text
`;

/** What may be quoted. */
export const FULL = { rounds: 11, requests: 2000, tokens: 100_000, families: 1_000_000 } as const;
const QUICK = { rounds: 5, requests: 400, tokens: 10_000, families: 10_000 } as const;
/** Enough of both that the better quarter of the rounds is the same again on a busy machine. */
const CHECK = { rounds: 11, requests: 1000, tokens: 10_000, families: 10_000 } as const;

function choice<Name extends string>(
  option: string,
  given: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (given === undefined) return known;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) {
    throw new ArgumentError(`${option}: "${unknown}" is not known; choose from ${known.join(', ')}.`);
  }
  return known.filter((name) => names.includes(name));
}

function positive(option: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new ArgumentError(`${option}: "${given}" is not a whole number above 0.`);
  return Number(given);
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        frameworks: { type: 'string' },
        rounds: { type: 'string' },
        requests: { type: 'string' },
        quick: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/\. To specify[\s\S]*|\.$/, '') : String(error);
    throw new ArgumentError(`${said}. \`npm run bench -- --help\` lists the options.`);
  }
}

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): Settings | 'help' {
  const values = parsed(args);
  if (values.help) return 'help';
  const { check, save, profile, against } = values;
  if (against !== undefined && save)
    throw new ArgumentError('--save keeps what is compared with everybody: leave --against away.');
  if (check && save) throw new ArgumentError('--check compares with what --save has written: give one of them.');
  if (save && (values.only !== undefined || values.frameworks !== undefined)) {
    throw new ArgumentError('--save keeps the whole run: leave --only and --frameworks away.');
  }
  const { rounds, requests, tokens, families } = check ? CHECK : values.quick ? QUICK : FULL;
  return {
    works: choice('--only', values.only, against === undefined ? works : httpWorks),
    frameworks: choice('--frameworks', values.frameworks, frameworks),
    rounds: positive('--rounds', values.rounds, rounds),
    requests: positive('--requests', values.requests, requests),
    tokens,
    families,
    check,
    save,
    profile,
    against,
  };
}
