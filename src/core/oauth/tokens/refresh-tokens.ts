import { OAuthError, UnavailableError } from '../../base/errors.js';
import { unavailable } from '../../base/http/responses.js';
import type { MaybePromise } from '../../base/ports.js';
import { type RandomSource, sha256 } from '../../base/secrets.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, isValidStill, type TokenLifetimes } from '../clients/client.js';
import {
  type CurrentPart,
  currentText,
  type LastPart,
  lastText,
  parseCurrent,
  parseLast,
  parseWritten,
  writtenText,
} from '../records/chain-record.js';
import type { TokenClaims } from '../records/stored-records.js';
import { markedAsBound, parseRefreshToken, refreshTokenText, TOKEN_BYTES } from '../records/token-id.js';
import { CLOCK_DIFFERENCE, isRecent, type Timekeeper } from '../records/window.js';
import type { Chains, FoundChain } from './chains.js';
import type { Grant, Issuance } from './grant.js';
import { type Peppers, successorOf } from './successor.js';
import { type FirstTokens, type MintedToken, type TokenResponse, withRefreshToken } from './token-response.js';

/** The accuracy of the time of the last refresh with a token that is not rotated, in milliseconds. */
const USED_STEP = 3_600_000;

/** Attempts to replace a chain that other requests replace too, without using its token: they mark responses as sent. */
const MAX_ATTEMPTS = 5;

/** A refresh token of a live grant. */
export interface PresentedToken extends FoundChain {
  readonly token: string;
  /** Its SHA-256. */
  readonly hash: string;
  /** Seconds since the epoch; of an old token as it says itself. */
  readonly exp: number;
  /** Random, and the same in all refresh tokens of a grant: proves that its holder had one. */
  readonly family: string;
  /** The one that can be used, as it stands in the chain. */
  readonly current: CurrentPart;
  /** Where in the chain: the one that can be used, the one before it, or an older one. */
  readonly place: 'current' | 'last' | 'old';
}

/** A refresh: what is issued, to whom, and what was requested. */
export interface Refresh {
  readonly issue: Issuance;
  /** The requested scopes and resources, as sets; empty for the whole grant. */
  readonly request: string;
}

/** A response, and the work that remains after it was sent. */
export interface Refreshed {
  readonly response: TokenResponse;
  readonly onSent?: () => Promise<void>;
}

/** A used token that gets no tokens: a replay, or one that was just used for a different request. */
export type Reuse = 'replay' | 'other';

/** Makes the access tokens that go with refresh tokens. */
interface TokenMint {
  /** Seconds since the epoch. */
  now(): number;
  mint(issue: Issuance, iat?: number, id?: string): MaybePromise<MintedToken>;
  issue(issue: Issuance): Promise<TokenResponse>;
  save(minted: MintedToken): MaybePromise<void>;
  saveAgain(minted: MintedToken): Promise<void>;
  discard(id: string): Promise<void>;
}

/** What {@link RefreshTokens} depend on. */
interface RefreshTokenDependencies {
  readonly chains: Chains;
  readonly tokens: TokenMint;
  readonly random: RandomSource;
  readonly own: Timekeeper;
  readonly clients: ClientFinder;
  readonly lifetimes: TokenLifetimes;
  readonly peppers: Peppers;
  /** Whether anybody can read when a grant was last used. */
  readonly canList: boolean;
  readonly onError: (error: unknown) => void;
}

/** The same message for unknown, expired and used refresh tokens, so that guessing reveals nothing. */
export const invalidRefreshToken = (): OAuthError => new OAuthError('invalid_grant', 'The refresh token is not valid.');

/** The key that refresh tokens are bound to: those of confidential clients are bound to their credentials (RFC 9449 §5). */
const boundKeyOf = ({ client, jkt }: Issuance): { readonly jkt?: string } =>
  client.public && jkt !== undefined ? { jkt } : {};

/** The refresh tokens of a grant, one after the other: its chain has the hash of the one that can be used, and of the one before it. */
export class RefreshTokens {
  readonly #given: RefreshTokenDependencies;

  constructor(given: RefreshTokenDependencies) {
    this.#given = given;
  }

  /**
   * Issues the first tokens of a grant without a code. Exactly one caller succeeds.
   *
   * @returns `undefined` if they were issued before.
   */
  async begin(issue: Issuance): Promise<TokenResponse | undefined> {
    const first = await this.firstTokens(issue);
    return (await this.saveFirst(issue.grant, first)) ? first.response : undefined;
  }

  /** Writes the first tokens of a grant without a code. @returns whether they are the first. */
  async saveFirst(grant: Grant, { minted, step }: FirstTokens): Promise<boolean> {
    const [isFirst] = await Promise.all([
      this.#given.chains.add(grant, { code: null, ...step }),
      this.#given.tokens.save(minted),
    ]);
    if (!isFirst) this.#discard(minted);
    return isFirst;
  }

  /** The first tokens of a grant, and the step of its chain that makes them valid. */
  async firstTokens(issue: Issuance): Promise<FirstTokens> {
    const { client, grant } = issue;
    const made = this.#given.tokens.mint(issue);
    const minted = made instanceof Promise ? await made : made;
    const taken = this.#written();
    if (client.refresh === 'none') return { minted, response: minted.response, step: { taken, current: null } };
    const exp = this.#endOf(client, grant, minted.record.iat);
    const family = this.#given.random.string(TOKEN_BYTES.id);
    const bound = boundKeyOf(issue);
    const secret = markedAsBound(this.#given.random.string(TOKEN_BYTES.secret), bound.jkt);
    const token = refreshTokenText({ grant: grant.id, exp, family }, secret);
    const current = currentText({ hash: sha256(token), exp, family: sha256(family) });
    return { minted, response: withRefreshToken(minted.response, token), step: { taken, current, ...bound } };
  }

  /** A refresh token of a live grant. Only its grant and its chain are read, with one command. */
  async find(token: string): Promise<PresentedToken | undefined> {
    const parts = parseRefreshToken(token);
    if (parts === undefined) return undefined;
    const { grant: id, exp, family } = parts;
    const found = await this.#given.chains.find(id);
    if (found === undefined || found.chain.current === null) return undefined;
    const { grant, chain } = found;
    const hash = sha256(token);
    const current = parseCurrent(found.chain.current);
    if (hash === current.hash)
      return this.#given.tokens.now() < current.exp
        ? { grant, chain, token, hash, exp, family, current, place: 'current' }
        : undefined;
    if (chain.last !== null && hash === parseLast(chain.last).hash)
      return { grant, chain, token, hash, exp, family, current, place: 'last' };
    return sha256(family) === current.family
      ? { grant, chain, token, hash, exp, family, current, place: 'old' }
      : undefined;
  }

  /** A refresh token that may be used now, for introspection. */
  async findLive(token: string): Promise<TokenClaims | undefined> {
    const found = await this.find(token);
    if (found?.place !== 'current') return undefined;
    const { grant, chain, exp } = found;
    const { client_id, sub, username, scope, aud } = grant;
    const client = await this.#given.clients.find(client_id);
    if (client === undefined || !isValidStill(client, grant)) return undefined;
    const issued = chain.last === null ? parseWritten(chain.taken ?? '') : parseLast(chain.last);
    const iat = Math.floor(issued.at_ms / 1000);
    const { jkt } = chain;
    return { client_id, sub, username, scope, aud, iat, exp, grant: grant.id, ...(jkt !== undefined && { jkt }) };
  }

  /**
   * Returns the successor tokens, to exactly one caller and to those who may repeat the request. All others replay a used token, but
   * never one that was current when it was read: a slow request is no replay.
   */
  async rotate(presented: PresentedToken, refresh: Refresh): Promise<Refreshed | Reuse> {
    if (presented.place !== 'current') return this.#repeat(presented, refresh);
    const { grant, hash } = presented;
    const { issue, request } = refresh;
    const at_ms = this.#given.own.clock();
    const salt = this.#given.random.string(TOKEN_BYTES.id);
    const last = { hash, at_ms, process: this.#given.own.process, salt, key: this.#given.peppers.current.id, request };
    const exp = this.#endOf(issue.client, grant, Math.floor(at_ms / 1000));
    const { made, refresh_token } = this.#successor(presented, last, exp, issue);
    const minted = made instanceof Promise ? await made : made;
    const step = {
      current: currentText({ ...presented.current, hash: sha256(refresh_token), exp }),
      last: lastText(last),
      done: null,
      ...boundKeyOf(issue),
    };
    const response = withRefreshToken(minted.response, refresh_token);
    let saving: MaybePromise<void> = this.#given.tokens.saveAgain(minted);
    let found: PresentedToken | undefined = presented;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && found?.place === 'current'; attempt += 1) {
      const [rotated]: readonly [FoundChain | undefined, void] = await Promise.all([
        this.#given.chains.swap(found, step),
        saving,
      ]);
      if (rotated !== undefined) return this.#answer(rotated, response, issue.client);
      saving = undefined;
      found = await this.find(presented.token);
    }
    // This very rotation: its command was sent twice, and another process went on in between.
    if (found?.place === 'last' && parseLast(found.chain.last ?? '').salt === last.salt)
      return this.#answer(found, response, issue.client);
    // The successor of an old token may have been this one.
    if (found?.place !== 'old') this.#discard(minted);
    if (found === undefined) throw invalidRefreshToken();
    const repeated = found.place === 'last' ? await this.#repeat(found, refresh) : 'replay';
    if (typeof repeated === 'string') throw unavailable();
    return repeated;
  }

  /**
   * Handles a refresh token that was used before. The response may have been lost, or never been
   * completed; then the same request gets the same tokens again. A different one gets none, and ends nothing: two workers of a client may
   * have keys or scopes of their own. Later, everything is a replay.
   */
  async #repeat(presented: PresentedToken, { issue, request }: Refresh): Promise<Refreshed | Reuse> {
    const { chain, current, place, exp } = presented;
    if (place === 'old' || chain.last === null) return this.#replayOf(presented);
    const last = parseLast(chain.last);
    const now = this.#given.tokens.now();
    const refreshGrace = this.#lifetimeOf(issue.client, 'refreshGrace');
    const isDone = chain.done !== null;
    const inGrace = isRecent(refreshGrace, chain.done === null ? last : parseWritten(chain.done), this.#given.own);
    const mayBeUnfinished = refreshGrace > 0 && !isDone && now < exp;
    if (!inGrace && !mayBeUnfinished) return this.#replayOf(presented);
    if (last.request !== request) return 'other';
    const { made, refresh_token } = this.#successor(presented, last, current.exp, issue);
    const minted = made instanceof Promise ? await made : made;
    if (sha256(refresh_token) !== current.hash)
      throw new UnavailableError('The record of a rotation does not match its successor token.');
    if (now >= current.exp) throw invalidRefreshToken();
    const response = withRefreshToken(await this.#accessAgain(minted, issue, isDone), refresh_token);
    return this.#answer(presented, response, issue.client);
  }

  /** An expired token says nothing about the current one. */
  #replayOf({ exp }: PresentedToken): 'replay' {
    if (this.#given.tokens.now() >= exp) throw invalidRefreshToken();
    return 'replay';
  }

  /** The access token of a repeated rotation. If the rotation was completed, the token was issued, and may have been revoked since. */
  async #accessAgain(minted: MintedToken, issue: Issuance, isFinished: boolean): Promise<TokenResponse> {
    const { record, response } = minted;
    const now = this.#given.tokens.now();
    // An outage may last longer than an access token.
    if (now >= record.exp) return this.#given.tokens.issue(issue);
    if (!isFinished) await this.#given.tokens.saveAgain(minted);
    const isSoon = now - record.iat <= this.#lifetimeOf(issue.client, 'refreshGrace') + CLOCK_DIFFERENCE;
    return isSoon ? response : { ...response, expires_in: record.exp - now };
  }

  /** @param exp - The expiry of the refresh token. */
  #successor(
    { token, grant, family }: PresentedToken,
    last: LastPart,
    exp: number,
    issue: Issuance,
  ): { readonly made: MaybePromise<MintedToken>; readonly refresh_token: string } {
    const { access, refresh } = successorOf(token, last, this.#given.peppers.find(last.key));
    return {
      made: this.#given.tokens.mint(issue, Math.floor(last.at_ms / 1000), grant.id + access),
      refresh_token: refreshTokenText({ grant: grant.id, exp, family }, markedAsBound(refresh, boundKeyOf(issue).jkt)),
    };
  }

  /** The first response that is sent is marked: from then on, only the grace window excuses a repetition. Without one, nothing reads the mark. */
  #answer(found: FoundChain, response: TokenResponse, client: Client): Refreshed {
    if (found.chain.done !== null || this.#lifetimeOf(client, 'refreshGrace') === 0) return { response };
    const onSent = async (): Promise<void> => {
      // If another request was faster, it has marked its response, or used the next token.
      await this.#given.chains.swap(found, { done: this.#written() });
    };
    return { response, onSent };
  }

  /** Records once an hour that a token which is not rotated is in use, for listing. */
  async noteUse(presented: PresentedToken): Promise<void> {
    const used_ms = this.#given.own.clock();
    if (this.#given.canList && used_ms - (presented.chain.used_ms ?? 0) >= USED_STEP)
      await this.#given.chains.swap(presented, { used_ms });
  }

  #written(): string {
    return writtenText({ at_ms: this.#given.own.clock(), process: this.#given.own.process });
  }

  #lifetimeOf({ lifetimes }: Client, name: keyof TokenLifetimes): number {
    return lifetimes[name] ?? this.#given.lifetimes[name];
  }

  #endOf(client: Client, { exp }: Grant, iat: number): number {
    return client.refresh === 'reusable' ? exp : Math.min(iat + this.#lifetimeOf(client, 'refreshTokenIdle'), exp);
  }

  /** No response waits for it. What is left gives no access, and expires. */
  #discard({ id }: MintedToken): void {
    this.#given.tokens.discard(id).catch(this.#given.onError);
  }
}
