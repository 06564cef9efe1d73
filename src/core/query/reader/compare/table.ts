import { Html } from '../../../base/html.js';

/** A run of equal, added or removed entries. */
interface Change<T> {
  readonly value: readonly T[];
  readonly added: boolean;
  readonly removed: boolean;
}

/**
 * Compares two arrays: `diffArrays` of the package diff.
 *
 * @returns `undefined` if more than `maxEditLength` entries were added and removed. It bounds the time, which is
 * proportional to its square and to the length of the arrays.
 */
export type Diff = <T>(
  before: T[],
  after: T[],
  bounds: { readonly maxEditLength: number },
) => readonly Change<T>[] | undefined;

/** Unchanged lines around a change. */
const CONTEXT = 2;

/** Bounds of the search: lines of the texts, and words of a line. Beyond them, everything counts as changed. */
const MAX_LINE_EDITS = 300;
const MAX_WORD_EDITS = 100;
/** The longest line whose words are compared, and the total of all such lines, in characters. */
const MAX_LINE = 4_000;
const MAX_COMPARED = 8_000;

/** Lines that were replaced by others; one of the lists may be empty. */
interface Hunk {
  /** The indexes of the first line. */
  readonly before: number;
  readonly after: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The rows of a table that shows two texts side by side, as MediaWiki's; empty if they are equal. */
export const diffTable = (before: string, after: string, diff: Diff): string => {
  if (before === after) return '';
  const [old, young] = [linesOf(before), linesOf(after)];
  const hunks = hunksOf(old, young, diff);
  const words = new WordMarks(diff);
  const rows: string[] = [];
  let shown = 0;
  for (const [index, hunk] of hunks.entries()) {
    const start = Math.max(shown, hunk.before - CONTEXT);
    const offset = hunk.after - hunk.before;
    if (index === 0 || start > shown) rows.push(lineNumbers(start + 1, start + offset + 1));
    for (let at = start; at < hunk.before; at += 1) rows.push(contextRow(old[at] ?? ''));
    rows.push(...hunkRows(hunk, words));
    shown = hunk.before + hunk.removed.length;
    const next = hunks[index + 1]?.before ?? old.length;
    const end = Math.min(shown + CONTEXT, next);
    for (; shown < end; shown += 1) rows.push(contextRow(old[shown] ?? ''));
  }
  return rows.join('');
};

/** The lines of a text. */
export const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/\r\n|\r|\n/));

const hunksOf = (before: readonly string[], after: readonly string[], diff: Diff): readonly Hunk[] => {
  // What is equal at both ends needs no search.
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const changes = byNumber(removed, added, diff);
  if (!changes) return [{ before: start, after: start, removed, added }];
  const hunks: Hunk[] = [];
  const at = { before: start, after: start };
  for (let index = 0; index < changes.length;) {
    const change = changes[index];
    if (!change) break;
    if (!isChanged(change)) {
      at.before += change.value.length;
      at.after += change.value.length;
      index += 1;
      continue;
    }
    const run: Change<string>[] = [];
    for (let next = changes[index]; next && isChanged(next); next = changes[index]) {
      run.push(next);
      index += 1;
    }
    const hunk = {
      removed: run.flatMap(({ value, removed: isRemoved }) => (isRemoved ? value : [])),
      added: run.flatMap(({ value, added: isAdded }) => (isAdded ? value : [])),
    };
    hunks.push({ ...at, ...hunk });
    at.before += hunk.removed.length;
    at.after += hunk.added.length;
  }
  return hunks;
};

/** Numbers are compared faster than lines. */
const byNumber = (
  before: readonly string[],
  after: readonly string[],
  diff: Diff,
): readonly Change<string>[] | undefined => {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const numbered = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, texts.length);
    return texts.push(line) - 1;
  };
  const changes = diff(before.map(numbered), after.map(numbered), { maxEditLength: MAX_LINE_EDITS });
  return changes?.map((change) => ({ ...change, value: change.value.map((number) => texts[number] ?? '') }));
};

const isChanged = ({ added, removed }: Change<unknown>): boolean => added || removed;

const hunkRows = ({ removed, added }: Hunk, words: WordMarks): readonly string[] => {
  const rows: string[] = [];
  for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
    const [old, young] = [removed[index], added[index]];
    if (old !== undefined && young !== undefined) {
      const marked = words.mark(old, young);
      rows.push(row(side('deleted', marked.before), side('added', marked.after)));
    } else if (old !== undefined) rows.push(row(side('deleted', escaped(old)), empty('added')));
    else if (young !== undefined) rows.push(row(empty('deleted'), side('added', escaped(young))));
  }
  return rows;
};

/** Marks the changed words of two lines, up to a total length. */
class WordMarks {
  readonly #diff: Diff;
  #left = MAX_COMPARED;

  constructor(diff: Diff) {
    this.#diff = diff;
  }

  mark(before: string, after: string): { readonly before: string; readonly after: string } {
    const length = before.length + after.length;
    this.#left -= length;
    const changes =
      length > MAX_LINE || this.#left < 0
        ? undefined
        : this.#diff(wordsOf(before), wordsOf(after), { maxEditLength: MAX_WORD_EDITS });
    if (!changes) return { before: escaped(before), after: escaped(after) };
    const shown = { before: '', after: '' };
    for (const { value, added, removed } of changes) {
      const text = escaped(value.join(''));
      if (added) shown.after += `<ins class="diffchange diffchange-inline">${text}</ins>`;
      else if (removed) shown.before += `<del class="diffchange diffchange-inline">${text}</del>`;
      else {
        shown.before += text;
        shown.after += text;
      }
    }
    return shown;
  }
}

/** Words, and every other character on its own. */
const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}\p{M}]+|\s+|[^]/gu) ?? [];

const escaped = (text: string): string => Html.content(text).source;

const row = (left: string, right: string): string => `<tr>${left}${right}</tr>\n`;

const MARKERS = { deleted: '−', added: '+' } as const;
type SideName = keyof typeof MARKERS;

const content = (html: string): string => (html === '' ? '<br />' : `<div>${html}</div>`);

const side = (name: SideName, html: string): string =>
  `<td class="diff-marker" data-marker="${MARKERS[name]}"></td><td class="diff-${name}line diff-side-${name}">${content(html)}</td>`;

const empty = (name: SideName): string => `<td colspan="2" class="diff-empty diff-side-${name}"></td>`;

const contextRow = (line: string): string => {
  const cell = (name: SideName): string =>
    `<td class="diff-marker"></td><td class="diff-context diff-side-${name}">${content(escaped(line))}</td>`;
  return row(cell('deleted'), cell('added'));
};

const lineNumbers = (before: number, after: number): string =>
  row(
    `<td colspan="2" class="diff-lineno" id="mw-diff-left-l${before}">Line ${before}:</td>`,
    `<td colspan="2" class="diff-lineno">Line ${after}:</td>`,
  );
