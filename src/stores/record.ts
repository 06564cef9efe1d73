import type { ListPage } from '../core/base/ports.js';
import { field } from './field.js';
import { StoreError } from './store-error.js';

/**
 * Parses a value that a store wrote as JSON. Everything else is an error, never an empty record; the error does not quote it.
 *
 * @throws StoreError with the code `STORE_ANSWER`.
 */
export function parseRecord(text: unknown): object {
  if (typeof text === 'string') {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Not JSON: the same error.
    }
  }
  throw new StoreError('STORE_ANSWER', 'The store returned something that is not a record');
}

/** The value of a row with a column `value`; `undefined` if there is no row. */
export function parseRow(row: unknown): object | undefined {
  if (row === undefined || row === null) return undefined;
  return parseRecord(typeof row === 'object' && 'value' in row ? row.value : undefined);
}

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((member) => typeof member === 'string');

/** The keys of a row with a column `keys`, a JSON array. */
export function parseKeys(row: unknown): string[] {
  const keys = parseRecord(field(row, 'keys'));
  if (isTexts(keys)) return keys;
  throw new StoreError('STORE_ANSWER', 'The store returned something that is not a list of keys');
}

/** A page from sorted keys, of which one more than needed was fetched, to find out whether there is a next page. */
export function pageOf(found: readonly string[], limit: number): ListPage {
  if (found.length <= limit) return { keys: found };
  const keys = found.slice(0, limit);
  return { keys, next: keys.at(-1) };
}

/** Redis returned an unexpected type. The error names the type, not the content. */
export function nonsense(command: string, answer: unknown): StoreError {
  return new StoreError(
    'STORE_ANSWER',
    `Redis answered ${command} with an unexpected ${answer === null ? 'null' : typeof answer}`,
  );
}
