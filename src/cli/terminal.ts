import { styleText } from 'node:util';
import { printable } from '../core/base/printable.js';

/** The input and output of a command. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  /** Prints a line to standard output, for results. */
  print(line: string): void;
  /** Prints a line to standard error, for messages. */
  tell(line: string): void;
  /** Applies a style if the output is a terminal that supports it. */
  style(style: Style, text: string): string;
}

export type Style = 'bold' | 'dim' | 'green' | 'cyan' | 'yellow' | 'red';

/** The output is a terminal, and NO_COLOR is not set (https://no-color.org). */
const wantsStyle = ({ env, stdout }: NodeJS.Process): boolean =>
  stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** Escapes what a terminal would obey or hide, except for line breaks and, in a styled text, styles. */
const shown = (text: string, isStyled: boolean): string =>
  text
    .split(isStyled ? /(\n|\u001b\[\d+m)/ : /(\n)/)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('');

/** The terminal of a process. */
export const terminalOf = (process: NodeJS.Process): Terminal => {
  const isStyled = wantsStyle(process);
  return {
    stdin: process.stdin,
    print: (line) => void process.stdout.write(`${shown(line, isStyled)}\n`),
    tell: (line) => void process.stderr.write(`${shown(line, false)}\n`),
    style: (style, text) => (isStyled ? styleText(style, text) : text),
  };
};

/** Breaks text into lines of at most `width` characters, at its spaces; a longer word has a line of its own. */
export const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

/** A number with a noun, in the plural if needed. */
export const count = (number: number, name: string): string => `${number} ${name}${number === 1 ? '' : 's'}`;
