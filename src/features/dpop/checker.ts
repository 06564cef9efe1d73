import { type ProofChecker, ProofError, type VerifierHost } from '../../core/feature/index.js';
import { addressAt, isSameAddress, normalAddress, type PublicAddress, publicAddress } from './address.js';
import { Nonces } from './nonces.js';
import type { DPOP_OPTIONS } from './options.js';
import { type Proof, type ProofProblem, ProofReader } from './proof.js';
import { PROOF_ALGORITHMS, sha256 } from './public-key.js';
import { Replays } from './replays.js';

type ProofQuestion = Parameters<ProofChecker['check']>[0];
type ProvenKey = Awaited<ReturnType<ProofChecker['check']>>;

/** Options of `dpop`, validated and completed. */
type ResolvedDpopOptions = ReturnType<typeof DPOP_OPTIONS.read>;

const sentenceOf = (problem: ProofProblem, algorithms: readonly string[]): string =>
  problem === 'algorithm' ? `The DPoP proof must be signed with one of ${algorithms.join(', ')}.` : SENTENCES[problem];

const SENTENCES: Readonly<Record<Exclude<ProofProblem, 'algorithm'>, string>> = {
  malformed: 'The DPoP proof is not a JWT of the type dpop+jwt with jti, htm, htu and iat (RFC 9449 section 4.2).',
  key: 'The jwk of the DPoP proof is not a public key for its alg.',
  signature: 'The signature of the DPoP proof is wrong.',
};

/** Seconds after which a token may be used again whose proofs fill its share. */
const RETRY_AFTER = '30';

/** Seconds by which exp and nbf of a proof may differ from our clock. */
const LEEWAY = 5;

const NO_HEADERS = {} as const;

/** The largest part of an address that an error names. */
const MAX_SHOWN = 300;

/** Checks proofs with the settings of one server. */
export class DpopChecker implements ProofChecker {
  readonly algorithms: readonly string[];
  readonly required: boolean;
  readonly #options: ResolvedDpopOptions;
  readonly #host: VerifierHost;
  readonly #nonces: Nonces | undefined;
  readonly #reader: ProofReader;
  /** Seconds by which nbf may be ahead; with a rule about clocks, as much as iat, and then iat counts even with a nonce. */
  readonly #nbfAhead: number;
  readonly #hasClockRule: boolean;
  readonly #replays: Replays;
  readonly #addresses: readonly PublicAddress[];

  /** @param keys - For nonces. Without one there are none. */
  constructor(options: ResolvedDpopOptions, host: VerifierHost, keys: readonly string[]) {
    const { signing, clockAheadLeast, clockAheadMost } = host.rules;
    this.algorithms =
      signing === undefined ? PROOF_ALGORITHMS : PROOF_ALGORITHMS.filter((one) => signing.value.includes(one));
    this.required = options.required;
    this.#reader = new ProofReader(this.algorithms);
    this.#hasClockRule = clockAheadLeast !== undefined || clockAheadMost !== undefined;
    this.#nbfAhead = this.#hasClockRule ? options.maxAhead : LEEWAY;
    this.#options = options;
    this.#host = host;
    this.#nonces = options.nonce === 'off' || keys.length === 0 ? undefined : new Nonces(keys, host.clock);
    this.#replays = new Replays(host.clock);
    this.#addresses = [
      ...host.origins.map((url) => publicAddress(new URL(url).origin, '/')),
      ...options.origins.map((given) =>
        typeof given === 'string' ? publicAddress(given, '/') : publicAddress(given.from, given.to),
      ),
    ];
  }

  addressesOf(path: string, resources: readonly string[]): readonly string[] {
    const own = resources
      .filter((url) => /^https?:\/\//.test(url))
      .map((url) => publicAddress(new URL(url).origin, '/'));
    return [...new Set([...own, ...this.#addresses].flatMap((address) => addressAt(address, path)))];
  }

  check({ proof: text, method, addresses, token }: ProofQuestion): ProvenKey | Promise<ProvenKey> {
    if (text === undefined) return this.#refuse('missing', 'This request requires a DPoP proof in the header DPoP.');
    if (text.includes(',')) return this.#refuse('malformed', 'The DPoP header must not be repeated.');
    const proof = this.#reader.read(text);
    if (typeof proof === 'string') return this.#refuse(proof, sentenceOf(proof, this.algorithms));
    if (proof.htm !== method) return this.#refuse('method', `The htm of the DPoP proof is not ${method}.`);
    this.#checkAddress(proof, addresses);
    this.#checkOwnTime(proof);
    const end = this.#endOf(proof);
    if (token === undefined) return { jkt: proof.jkt, headers: this.#headers(proof) };
    if (proof.ath !== sha256(token.text))
      return this.#refuse('token', 'The ath of the DPoP proof is not the hash of the access token.');
    if (proof.jkt !== token.jkt)
      return this.#refuse('other_key', 'The DPoP proof is not signed with the key of the access token.');
    return this.#remember(proof, proof.ath, end);
  }

  #checkAddress({ htu }: Proof, addresses: readonly string[]): void {
    if (addresses.some((expected) => isSameAddress(htu, expected))) return;
    const [first] = addresses;
    const expected = first === undefined ? 'none: this route has no address that clients know' : normalAddress(first);
    throw new ProofError(
      'invalid_dpop_proof',
      'address',
      `The htu of the DPoP proof is another address. Expected: ${expected}`,
      { headers: this.#headers(), address: htu.slice(0, MAX_SHOWN) },
    );
  }

  /** RFC 7519 §4.1.4, §4.1.5: what a proof says about itself holds whatever its nonce. */
  #checkOwnTime({ exp = Number.POSITIVE_INFINITY, nbf = 0, iat }: Proof): void {
    const now = this.#host.clock();
    if (now >= (exp + LEEWAY) * 1000 || nbf * 1000 > now + this.#nbfAhead * 1000)
      this.#refuse('time', 'The exp of the DPoP proof has passed, or its nbf is in the future.');
    if (this.#hasClockRule && iat * 1000 > now + this.#options.maxAhead * 1000)
      this.#refuse('time', 'The iat of the DPoP proof is in the future.');
  }

  /**
   * Milliseconds since the epoch: when a proof can no longer be accepted. One with a nonce ends with it, and its iat may be anything: if it counted
   * afterwards, a proof from a clock that is ahead would be valid twice.
   */
  #endOf({ iat, nonce }: Proof): number {
    const { maxAge, maxAhead, nonce: mode } = this.#options;
    const nonceEnd = this.#nonces?.endOf(nonce);
    if (nonceEnd !== undefined) return nonceEnd;
    if (this.#nonces !== undefined && (mode === 'required' || nonce !== undefined))
      return this.#refuse('nonce', 'The DPoP proof needs the nonce of the header DPoP-Nonce.', 'use_dpop_nonce');
    const now = this.#host.clock();
    const iatEnd = (iat + maxAge) * 1000;
    const isInTime = now <= iatEnd && iat * 1000 <= now + maxAhead * 1000;
    if (isInTime) return iatEnd;
    // A nonce helps a client whose clock is wrong.
    return this.#nonces === undefined
      ? this.#refuse('time', 'The iat of the DPoP proof is too long ago, or in the future.')
      : this.#refuse(
          'time',
          'The iat of the DPoP proof is too long ago, or in the future. Use the nonce of the header DPoP-Nonce.',
          'use_dpop_nonce',
        );
  }

  /** Only proofs that passed everything else come here. */
  #remember(proof: Proof, token: string, end: number): ProvenKey | Promise<ProvenKey> {
    const { replay } = this.#options;
    const proven = { jkt: proof.jkt, headers: this.#headers(proof) };
    if (replay === 'none') return proven;
    // One client cannot use up the jti of another.
    const name = sha256(JSON.stringify([proof.jkt, proof.jti, normalAddress(proof.htu)]));
    const used = (): never => this.#refuse('replay', 'The DPoP proof was used before.');
    const { remember } = this.#host;
    if (replay === 'store' && remember !== undefined)
      return remember(name, Math.ceil(end / 1000)).then((isNew) => (isNew ? proven : used()));
    const added = this.#replays.add(name, token, end);
    if (added === 'replay') return used();
    if (added === 'new') return proven;
    throw new ProofError(undefined, 'too_many', 'Too many requests with DPoP proofs of this token.', {
      headers: { 'retry-after': RETRY_AFTER },
    });
  }

  /** A new nonce goes with a response unless the proof has it (RFC 9449 §8.2). Such a response must not be cached. */
  #headers(proof?: Proof): Readonly<Record<string, string>> {
    const current = this.#nonces?.current;
    return current === undefined || proof?.nonce === current
      ? NO_HEADERS
      : {
          'dpop-nonce': current,
          'cache-control': 'no-store',
          'access-control-expose-headers': 'dpop-nonce, www-authenticate',
        };
  }

  #refuse(reason: ProofError['reason'], sentence: string, code: ProofError['code'] = 'invalid_dpop_proof'): never {
    throw new ProofError(code, reason, sentence, { headers: this.#headers() });
  }
}
