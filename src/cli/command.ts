import { createRequire } from 'node:module';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.js';

/** Exit codes: `fine`; `failed`, for findings and errors; `usage`, for an invalid command line. */
export const EXIT = { fine: 0, failed: 1, usage: 2 } as const;

/** A command, such as `doctor`. */
export interface Command {
  /** The output of `--help`. */
  readonly help: string;
  /** @returns The exit code; `undefined` for a command that runs until it is stopped. */
  run(args: readonly string[], terminal: Terminal): Promise<number | undefined>;
}

/** The command line is invalid: one sentence, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error that the user can fix: one sentence without a stack, and exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The version of this package. */
export const version = (): string =>
  String((createRequire(import.meta.url)('oauth-query/package.json') as { readonly version: unknown }).version);

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the arguments of a command.
 *
 * @param maxPositionals - The maximum number of positional arguments.
 * @throws UsageError that names the argument.
 */
export const readArguments = <const T extends Options>(
  args: readonly string[],
  options: T,
  maxPositionals: number,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> => {
  const parsed = parse(args, options);
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
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
    // Only Node's first sentence; the advice about `--` after it rarely applies.
    const [sentence = ''] = error.message.split(/\.(?= |$)|\n/, 1);
    throw new UsageError(`${sentence}.`);
  }
};

/**
 * Parses a whole number between two bounds.
 *
 * @throws UsageError that names the option.
 */
export const wholeNumber = (option: string, text: string, min: number, max: number): number => {
  if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
  return Number(text);
};
