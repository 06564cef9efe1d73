import { StoreError } from './store-error.js';

/**
 * The value that a store wrote as JSON. Anything else is a refusal, never an empty record; what was found is not quoted.
 *
 * @throws StoreError with code `STORE_ANSWER`.
 */
export function parseRecord(text: unknown): object {
  if (typeof text === 'string') {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Not JSON: the same refusal.
    }
  }
  throw new StoreError('STORE_ANSWER', 'The store answered with something that is not a record');
}

/** The value in a row with a column `value`; `undefined` when there is no row. */
export function parseRow(row: unknown): object | undefined {
  if (row === undefined || row === null) return undefined;
  return parseRecord(typeof row === 'object' && 'value' in row ? row.value : undefined);
}
