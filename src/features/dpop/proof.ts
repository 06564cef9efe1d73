import { LRUCache } from 'lru-cache';
import { isRecord } from '../../core/feature/index.js';
import { keyIn, type ProofKey } from './public-key.js';

/** A proof whose signature is right. */
export interface Proof {
  readonly jkt: string;
  readonly jti: string;
  readonly htm: unknown;
  readonly htu: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch. */
  readonly exp: number | undefined;
  /** Seconds since the epoch. */
  readonly nbf: number | undefined;
  readonly ath: unknown;
  readonly nonce: unknown;
}

/** What is wrong with a text that is no proof. */
export type ProofProblem = 'malformed' | 'algorithm' | 'key' | 'signature';

/** With an RSA key of 8192 bits, a proof has 4,000 characters. */
const MAX_LENGTH = 8192;
const MAX_JTI = 256;
const MAX_HTU = 4096;
const PROOF = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Keys that are kept, so that a client's key is read once. */
const KEPT_KEYS = 1000;

/** @returns `undefined` unless the text is JSON. */
const parse = (part: string): unknown => {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};

const isOptionalNumber = (given: unknown): given is number | undefined =>
  given === undefined || typeof given === 'number';

const isShortText = (given: unknown, max: number): given is string =>
  typeof given === 'string' && given !== '' && given.length <= max;

/** Reads proofs, and verifies their signatures (RFC 9449 §4.3). */
export class ProofReader {
  /** By the first part of proofs, which is the same in all proofs of a client. */
  readonly #keys = new LRUCache<string, ProofKey>({ max: KEPT_KEYS });
  readonly #algorithms: readonly string[];

  /** @param algorithms - Those that are accepted. */
  constructor(algorithms: readonly string[]) {
    this.#algorithms = algorithms;
  }

  read(text: string): Proof | ProofProblem {
    if (text.length > MAX_LENGTH || !PROOF.test(text)) return 'malformed';
    const [header = '', payload = '', signature = ''] = text.split('.', 3);
    const kept = this.#keys.get(header);
    const key = kept ?? keyIn(parse(header), this.#algorithms);
    if (typeof key === 'string') return key;
    const claims = parse(payload);
    if (!isRecord(claims)) return 'malformed';
    const { jti, htm, htu, iat, exp, nbf, ath, nonce } = claims;
    if (!isShortText(jti, MAX_JTI) || !isShortText(htu, MAX_HTU) || typeof iat !== 'number') return 'malformed';
    if (!isOptionalNumber(exp) || !isOptionalNumber(nbf)) return 'malformed';
    if (!key.verifies(`${header}.${payload}`, signature)) return 'signature';
    if (kept === undefined) this.#keys.set(header, key);
    return { jkt: key.jkt, jti, htm, htu, iat, exp, nbf, ath, nonce };
  }
}
