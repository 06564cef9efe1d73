import { readFile } from 'node:fs/promises';
import { readAtMost } from '../core/base/http/body.js';
import { CommandError } from './command.js';
import type { Terminal } from './terminal.js';

/** The maximum size of the input, which is more than any registration or secret. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

const readStdin = async ({ stdin }: Terminal): Promise<string> => {
  const tooLong = (): Error => new CommandError(`Standard input is longer than ${MAX_INPUT_BYTES} bytes.`);
  return (await readAtMost(stdin, MAX_INPUT_BYTES, tooLong)).toString('utf8');
};

/**
 * Reads a secret from standard input: one line, without its line break.
 *
 * @throws CommandError if there is none, or it is not a valid secret.
 */
export const readSecret = async (terminal: Terminal): Promise<string> => {
  if (terminal.stdin.isTTY) terminal.tell('Type the secret (it is shown), then Enter and Ctrl-D:');
  const secret = (await readStdin(terminal)).replace(/\r?\n$/, '');
  if (secret === '') throw new CommandError('Standard input is empty. Pipe the secret into this command.');
  if (/[\u0000-\u001f\u007f]/.test(secret))
    throw new CommandError('Standard input has several lines or control characters. A secret is one line of text.');
  return secret;
};

/** Reads lines from standard input. @throws CommandError if there are more or fewer, or if one is empty. */
export const readLines = async (terminal: Terminal, count: number): Promise<readonly string[]> => {
  const lines = (await readStdin(terminal)).trimEnd().split(/\r?\n/);
  if (lines.length !== count || lines.includes(''))
    throw new CommandError(
      `Standard input must have ${count === 1 ? 'one line' : `${count} lines`}, without empty ones.`,
    );
  return lines;
};

/**
 * Reads a file, or standard input for `-`.
 *
 * @throws CommandError if it cannot be read.
 */
export const readInput = async (file: string, terminal: Terminal): Promise<string> => {
  if (file === '-') return readStdin(terminal);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${reasonOf(error)}.`);
  }
};

/** @throws CommandError if it is not JSON. */
export const readJson = (text: string, source: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${source} is not valid JSON: ${reason}. Names and texts must be in double quotes.`);
  }
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'the file does not exist';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
};
