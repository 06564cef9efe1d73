/** Tables of text, the same for the terminal and for the documents. */
import type { Summary } from '../statistics.js';

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Stands for a number that was not measured. */
export const MISSING = '–';
/** How the cell of a row without numbers begins; the reason follows. */
const NOT_COUNTED = 'not counted: ';

const digits = (value: number): number => (Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: digits(value) });

export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** The median. */
export const middle = (summary: Summary | undefined, unit = ''): string =>
  summary === undefined ? MISSING : `${number(summary.median)}${unit}`;

/** The middle half of the values. */
export const spread = (summary: Summary | undefined): string =>
  summary === undefined ? MISSING : `${number(summary.low)} to ${number(summary.high)}`;

export const notCounted = (reason: string): string => NOT_COUNTED + reason;

/** With columns of equal width. */
export function textOf({ title, head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_name, column) =>
    // A reason may be longer than any column.
    Math.max(...lines.filter((line) => !line.some(isReason)).map((line) => (line[column] ?? '').length)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [title, '-'.repeat(title.length), ...text].join('\n');
}

const isReason = (cell: string): boolean => cell.startsWith(NOT_COUNTED);

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const markdownOf = ({ title, head, rows }: Table): string => `### ${title}\n\n${markdownTable(head, rows)}`;
