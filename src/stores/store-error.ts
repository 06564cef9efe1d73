/** Why a store could not answer. `STORE_FULL`: no room and nothing expired; `STORE_TIMEOUT`: no answer in time; `STORE_ANSWER`: an answer that makes no sense. */
export type StoreErrorCode = 'STORE_FULL' | 'STORE_TIMEOUT' | 'STORE_ANSWER';

/** What our stores reject with of their own accord; errors of a driver pass through as they are. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
