import type { MaybePromise } from './ports.js';

/** Why a proof is rejected, for the event. */
export type ProofRefusal =
  | 'missing'
  | 'malformed'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'method'
  | 'address'
  | 'time'
  | 'nonce'
  | 'token'
  | 'other_key'
  | 'replay'
  | 'too_many';

/** A proof that does not count. */
export class ProofError extends Error {
  /** Always `ProofError`. */
  override readonly name = 'ProofError';
  /** The error for the client (RFC 9449 §12.2); `undefined` if the client must slow down. */
  readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce' | undefined;
  /** For the event. */
  readonly reason: ProofRefusal;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address in a proof for another one. */
  readonly address: string | undefined;

  constructor(
    code: ProofError['code'],
    reason: ProofRefusal,
    sentence: string,
    more: { readonly headers: Readonly<Record<string, string>>; readonly address?: string },
  ) {
    super(sentence);
    this.code = code;
    this.reason = reason;
    this.headers = more.headers;
    this.address = more.address;
  }
}

/** A proof, and what it must be about. */
export interface ProofQuestion {
  /** The value of the header; `undefined` if there is none. */
  readonly proof: string | undefined;
  /** The method of the request. */
  readonly method: string;
  /** The address of the request as the client may know it. The first one is named in errors. */
  readonly addresses: readonly string[];
  /** At a resource: the access token, and the thumbprint of the key it is bound to. */
  readonly token?: { readonly text: string; readonly jkt: string };
}

/** A key that the sender of a request has proved to have. */
export interface ProvenKey {
  /** The SHA-256 thumbprint of the public key (RFC 7638). */
  readonly jkt: string;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks proofs of possession (RFC 9449), with the settings of a server. */
export interface ProofChecker {
  /** The accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** Whether every token must be bound to a key. */
  readonly required: boolean;
  /** @throws ProofError */
  check(question: ProofQuestion): MaybePromise<ProvenKey>;
  /**
   * The addresses that a client may know a route by.
   *
   * @param path - As the request has it, before a router removes a part.
   * @param resources - URLs of the route's resource; others are ignored.
   */
  addressesOf(path: string, resources: readonly string[]): readonly string[];
}
