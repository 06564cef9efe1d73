/**
 * Why a store failed.
 *
 * - `STORE_FULL`: it is full, and no record has expired
 * - `STORE_TIMEOUT`: no response in time
 * - `STORE_ANSWER`: an invalid response
 * - `STORE_EVICTS`: it may evict live records
 */
export type StoreErrorCode = 'STORE_FULL' | 'STORE_TIMEOUT' | 'STORE_ANSWER' | 'STORE_EVICTS';

/** An error detected by a store itself. Errors of drivers are passed through unchanged, unless a table is missing: then they are the cause. */
export class StoreError extends Error {
  /** Always `StoreError`. */
  override readonly name = 'StoreError';
  /** The reason. */
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
