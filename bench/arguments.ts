import { parseArgs } from 'node:util';
import { type Framework, frameworks, httpWorks, type Work, works } from './candidates.js';

/** What a run does. */
export interface Settings {
  readonly works: readonly Work[];
  readonly frameworks: readonly Framework[];
  readonly rounds: number;
  /** Of each round. */
  readonly requests: number;
  /** Requests before the first round. */
  readonly warmUp: number;
  /** Live tokens when memory is measured. */
  readonly tokens: number;
  /** Families of tokens in the memory store when it is measured. */
  readonly families: number;
  /** Compare with the committed results instead of printing everything. */
  readonly check: boolean;
  /** Write the results, the page and the charts. */
  readonly save: boolean;
  /** Write CPU profiles of our own servers. */
  readonly profile: boolean;
  /** A folder with another build of the package to compare with, instead of the committed results. */
  readonly against: string | undefined;
}

/** An invalid argument; the message names the remedy. */
export class ArgumentError extends Error {}

export const HELP = `npm run bench -- [options]

Compares this package with other libraries, each in a process pinned to one core. With the defaults everything takes about
half an hour, with --quick ten minutes.

  --only <works>        only these, separated by commas: ${works.join(', ')}
  --frameworks <names>  only these: ${frameworks.join(', ')}
  --rounds <n>          rounds of each work; an odd number has a middle (9; with --check 11, with --quick 5)
  --requests <n>        requests of each round (4000; with --check 1000, with --quick 400)
  --quick               fewer and shorter rounds, for trying out
  --check               a shorter run of our own servers, compared with bench/results/latest.json; exits with 1 if a ratio
                        exceeds its tolerance
  --save                writes the results to bench/results, bench/benchmarks.md and the charts
  --against <folder>    compares our own servers, in alternating rounds, with those of another build of the package, such as
                        another checkout after \`npm run build\`; with --check it exits with 1 if one has become slower
  --profile             writes CPU profiles of our own servers to .data/profiles
  --help                this text
`;

/** Results of such runs may be quoted. In the code flow, Node still optimises functions after 14,000 requests. */
export const FULL = { rounds: 9, requests: 4000, warmUp: 20_000, tokens: 50_000, families: 100_000 } as const;
const QUICK = { rounds: 5, requests: 400, warmUp: 2_000, tokens: 10_000, families: 10_000 } as const;
/** Enough for medians that repeat on a busy machine, as warm as the results that they are compared with. */
const CHECK = { ...FULL, rounds: 11, requests: 1000, tokens: 10_000 } as const;

function choice<Name extends string>(
  option: string,
  given: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (given === undefined) return known;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) {
    throw new ArgumentError(`${option}: "${unknown}" is unknown; choose from ${known.join(', ')}.`);
  }
  return known.filter((name) => names.includes(name));
}

/** @throws ArgumentError */
export function positive(option: string, given: string | undefined, fallback: number): number {
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
    const reason = error instanceof Error ? error.message.replace(/\. To specify[\s\S]*|\.$/, '') : String(error);
    throw new ArgumentError(`${reason}. \`npm run bench -- --help\` lists the options.`);
  }
}

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): Settings | 'help' {
  const values = parsed(args);
  if (values.help) return 'help';
  const { check, save, profile, against } = values;
  const isPart = values.only !== undefined || values.frameworks !== undefined;
  if (save && against !== undefined) throw new ArgumentError('--save needs all candidates: omit --against.');
  if (save && check) throw new ArgumentError('--check compares with the results of --save: use one of them.');
  if (save && isPart) throw new ArgumentError('--save needs the whole run: omit --only and --frameworks.');
  const base = check ? CHECK : values.quick ? QUICK : FULL;
  const { rounds, requests, warmUp, tokens, families } = base;
  return {
    works: choice('--only', values.only, against === undefined ? works : httpWorks),
    frameworks: choice('--frameworks', values.frameworks, frameworks),
    rounds: positive('--rounds', values.rounds, rounds),
    requests: positive('--requests', values.requests, requests),
    warmUp,
    tokens,
    families,
    check,
    save,
    profile,
    against,
  };
}
