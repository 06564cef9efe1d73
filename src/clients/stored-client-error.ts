/**
 * `unknown`: the client does not exist. `exists`: the name is taken. `conflict`: the client was changed in the meantime; reload
 * it before you change it again. `invalid`: no server would accept it.
 */
export type StoredClientErrorCode = 'unknown' | 'exists' | 'conflict' | 'invalid';

/** Why a client was not changed. If the store cannot be reached, the error is an `UnavailableError` instead. */
export class StoredClientError extends Error {
  /** Always `StoredClientError`. */
  override readonly name = 'StoredClientError';
  /** Machine-readable reason. */
  readonly code: StoredClientErrorCode;
  /** The problems of an `invalid` client: the sentences of `checkClient`. */
  readonly problems: readonly string[];

  /** @param message - A sentence for the person who requested the change. */
  constructor(code: StoredClientErrorCode, message: string, problems: readonly string[] = []) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}
