import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.js';

/** How the program ends: `fine`; `failed`, with a finding or an error; `usage`, when it was called in a wrong way. */
export const EXIT = { fine: 0, failed: 1, usage: 2 } as const;

/** One word of the command line, such as `doctor`. */
export interface Command {
  /** What `--help` prints. */
  readonly help: string;
  /** @returns The exit code; `undefined` for a command that goes on, until it is stopped. */
  run(args: readonly string[], terminal: Terminal): Promise<number | undefined>;
}

/** The program was called in a way that it does not understand: one sentence, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something that the person at the keyboard can put right: one sentence without a stack, and exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads the arguments of a command.
 *
 * @param maxPositionals - How many words may stand beside the options.
 * @throws UsageError that names the argument.
 */
export const readArguments = <const T extends Options>(
  args: readonly string[],
  options: T,
  maxPositionals: number,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> => {
  const parsed = parse(args, options);
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) throw new UsageError(`There is an argument too many: ${JSON.stringify(extra)}.`);
  return parsed;
};

const parse = <const T extends Options>(
  args: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's own sentence; what follows it is advice about `--` that seldom fits.
    const [sentence = ''] = error.message.split(/\.(?= |$)|\n/, 1);
    throw new UsageError(`${sentence}.`);
  }
};

/**
 * A whole number between two bounds.
 *
 * @throws UsageError that names the option.
 */
export const wholeNumber = (option: string, text: string, min: number, max: number): number => {
  if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
  return Number(text);
};
