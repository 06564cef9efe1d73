import { UnavailableError } from '../../base/errors.js';
import { unavailable } from '../../base/http/responses.js';
import type { MaybePromise } from '../../base/ports.js';
import { type CodePart, codeText, type KeptParameters, parseCode, parseWritten } from '../records/chain-record.js';
import type { Written } from '../records/window.js';
import type { Chains, FoundChain } from './chains.js';
import type { Grant, Issuance } from './grant.js';
import type { FirstTokens, MintedToken, TokenResponse } from './token-response.js';

/** An authorization code of a live grant: one that can be redeemed, or was. */
export interface FoundCode extends FoundChain {
  readonly code: CodePart;
  /** When and where it was redeemed. */
  readonly taken: Written | undefined;
}

/** What became of a redemption: tokens, or the one before it; `undefined` if the code is no longer valid. */
export type Redeemed = { readonly response: TokenResponse } | { readonly taken: Written } | undefined;

/** The number of wrong verifiers that invalidates a code. */
const FAILED_VERIFIERS = 3;

/** What {@link Codes} depend on. */
interface CodeDependencies {
  readonly chains: Chains;
  readonly tokens: {
    /** Seconds since the epoch. */
    now(): number;
    save(minted: MintedToken): MaybePromise<void>;
    discard(id: string): Promise<void>;
  };
  readonly refreshTokens: { firstTokens(issue: Issuance): Promise<FirstTokens> };
  readonly onError: (error: unknown) => void;
}

/** The authorization codes of grants. A grant has one, with which its chain begins. */
export class Codes {
  readonly #given: CodeDependencies;

  constructor(given: CodeDependencies) {
    this.#given = given;
  }

  /** Writes the code of a new grant. It does not work before the grant is written, too. */
  save(grant: Grant, code: CodePart, kept?: KeptParameters): Promise<void> {
    const chain = { code: codeText(code), taken: null, current: null };
    const begun = kept === undefined ? chain : { ...chain, kept: JSON.stringify(kept) };
    return this.#given.chains.add(grant, begun).then((isNew) => {
      if (!isNew) throw new UnavailableError('The store refused the chain of a new grant.');
    });
  }

  /** @param hash - The SHA-256 of the code. */
  find(id: string, hash: string): Promise<FoundCode | undefined> {
    return this.#given.chains.find(id).then((found) => {
      if (found === undefined || found.chain.code === null) return undefined;
      const { grant, chain } = found;
      const code = parseCode(found.chain.code);
      if (code.hash !== hash) return undefined;
      // Neither its expiry nor wrong verifiers must hide the replay of a redeemed code.
      if (chain.taken !== null) return { grant, chain, code, taken: parseWritten(chain.taken) };
      const isLive = this.#given.tokens.now() < code.exp && code.failures < FAILED_VERIFIERS;
      return isLive ? { grant, chain, code, taken: undefined } : undefined;
    });
  }

  /** Counts a wrong verifier for a code that is not redeemed. Simultaneous ones are all counted; the last one invalidates the code. */
  async countFailure(presented: FoundCode): Promise<void> {
    let found: FoundCode | undefined = presented;
    for (let attempt = 0; attempt <= FAILED_VERIFIERS; attempt += 1) {
      if (found === undefined || found.taken !== undefined) return;
      const { grant, code }: FoundCode = found;
      const counted = codeText({ ...code, failures: code.failures + 1 });
      if (await this.#given.chains.swap(found, { code: counted })) return;
      // Another request was counted first, or has redeemed the code. That happens no more often than a code may fail.
      found = await this.find(grant.id, code.hash);
    }
    throw unavailable();
  }

  /** Redeems a code, and issues the first tokens of its grant. Exactly one caller succeeds. */
  async redeem(presented: FoundCode, issue: Issuance): Promise<Redeemed> {
    const { minted, response, step } = await this.#given.refreshTokens.firstTokens(issue);
    let saving: MaybePromise<void> = this.#given.tokens.save(minted);
    let found: FoundCode | undefined = presented;
    for (let attempt = 0; attempt <= FAILED_VERIFIERS && found?.taken === undefined; attempt += 1) {
      if (found === undefined) break;
      const [isFirst] = await Promise.all([this.#given.chains.swap(found, step), saving]);
      if (isFirst) return { response };
      saving = undefined;
      found = await this.find(found.grant.id, found.code.hash);
    }
    this.#given.tokens.discard(minted.id).catch(this.#given.onError); // No response waits for it. What is left gives no access, and expires.
    if (found === undefined) return undefined;
    if (found.taken === undefined) throw unavailable();
    return { taken: found.taken };
  }
}
