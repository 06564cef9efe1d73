import { readFile } from 'node:fs/promises';
import { CommandError } from './command.js';
import type { Terminal } from './terminal.js';

/** More than any registration or secret; a file of another kind is not read to its end. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** @throws CommandError when it is too long. */
export const readStdin = async ({ stdin }: Terminal): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = chunk as Buffer; // No encoding is set, so node gives bytes.
    size += bytes.length;
    if (size > MAX_INPUT_BYTES) throw new CommandError(`The standard input is longer than ${MAX_INPUT_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * One secret from the standard input: a line, without the line break that `echo` or a keyboard puts behind it.
 *
 * @throws CommandError when there is none, or what came cannot be one.
 */
export const readSecret = async (terminal: Terminal): Promise<string> => {
  if (terminal.stdin.isTTY) terminal.tell('Type the secret (it is shown), then Enter and Ctrl-D:');
  const secret = (await readStdin(terminal)).replace(/\r?\n$/, '');
  if (secret === '') throw new CommandError('The standard input is empty. Pipe the secret into this command.');
  if (/[\u0000-\u001f\u007f]/.test(secret))
    throw new CommandError('The standard input has several lines or control characters. A secret is one line of text.');
  return secret;
};

/**
 * The text of a file, or of the standard input for `-`.
 *
 * @throws CommandError when it cannot be read.
 */
export const readInput = async (file: string, terminal: Terminal): Promise<string> => {
  if (file === '-') return readStdin(terminal);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${reasonOf(error)}.`);
  }
};

/** @throws CommandError when it is no JSON. */
export const readJson = (text: string, source: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${source} is not JSON: ${reason}. Names and texts stand in double quotes.`);
  }
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'it is not yours to read';
  return error instanceof Error ? error.message : String(error);
};
