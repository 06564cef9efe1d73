import { styleText } from 'node:util';

/** Where a command reads and writes. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  /** Prints a line to the standard output: what the command is asked for. */
  print(line: string): void;
  /** Prints a line to the standard error: what a person should know beside it. */
  tell(line: string): void;
  /** The text in a style where the output is a terminal that wants any, else as it is. */
  style(style: Style, text: string): string;
}

export type Style = 'bold' | 'dim' | 'green' | 'cyan' | 'yellow' | 'red';

/** A person sees the output, and has not asked for plain text (https://no-color.org). */
const wantsStyle = ({ env, stdout }: NodeJS.Process): boolean =>
  stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** The terminal of a process. */
export const terminalOf = (process: NodeJS.Process): Terminal => {
  const isStyled = wantsStyle(process);
  return {
    stdin: process.stdin,
    print: (line) => void process.stdout.write(`${line}\n`),
    tell: (line) => void process.stderr.write(`${line}\n`),
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

/** A number of things, each of which has this name. */
export const count = (number: number, name: string): string => `${number} ${name}${number === 1 ? '' : 's'}`;
