import { OAuthError, UnavailableError } from '../../base/errors.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { type RandomSource, sha256 } from '../../base/secrets.js';
import { type Client, isValidStill, type TokenLifetimes } from '../clients/client.js';
import type { Clients } from '../clients/clients.js';
import type { Emit } from '../events.js';
import {
  type CodeRecord,
  DONE,
  type DoneRecord,
  GRANT,
  keys,
  MARK,
  REFRESHED,
  SPENT,
  type SpentRecord,
  type TakenRecord,
  type TokenClaims,
} from '../stored-records.js';
import { type Peppers, successorOf } from './successor.js';
import { parseRefreshToken, refreshTokenText, TOKEN_BYTES } from './token-id.js';
import type { Grant, Issue, MintedToken, TokenResponse, Tokens } from './tokens.js';
import { parseTombstone, type Rotation, rotationText, tombstoneText } from './tombstone.js';
import { CLOCK_DIFFERENCE, isRecent, type Timekeeper } from './window.js';

/** Milliseconds after which a client may have repeated its request at another process and revoked the result. */
const SLOW = 1000;

/** The accuracy of the time of the last refresh, in milliseconds. */
const REFRESHED_STEP = 3_600_000;

/** The start of a grant's chain of refresh tokens. */
export interface Taken {
  /** The SHA-256 of the code or device code; a password grant uses up nothing. */
  readonly taken: string | null;
  readonly code: CodeRecord | null;
}

/** A refresh token with a valid text: unused, or used before. */
export interface PresentedToken {
  readonly token: string;
  readonly n: number;
  readonly grant: Grant;
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly exp: number;
  /** The record of its earlier use. */
  readonly spent: SpentRecord | undefined;
  /** Milliseconds since the epoch: the last recorded refresh. */
  readonly refreshed: number | undefined;
}

/** A refresh: what is issued, to whom, and what was requested. */
export interface Refresh {
  readonly issue: Issue;
  /** The requested scopes and resources, as sets; empty for the whole grant. */
  readonly request: string;
}

/** A response, and the work that remains after it was sent. */
export interface Refreshed {
  readonly response: TokenResponse;
  readonly onSent?: () => Promise<void>;
}

/** What {@link RefreshTokens} depend on. */
export interface RefreshTokenDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly own: Timekeeper;
  readonly clients: Clients;
  readonly lifetimes: TokenLifetimes;
  readonly peppers: Peppers;
  readonly onError: (error: unknown) => void;
}

/** The same message for unknown, expired and used refresh tokens, so that guessing reveals nothing. */
export const invalidRefreshToken = (): OAuthError => new OAuthError('invalid_grant', 'The refresh token is not valid.');

/** Without a spread, which takes a microsecond where members follow it. */
const withRefreshToken = (
  { access_token, token_type, expires_in, scope }: TokenResponse,
  refresh_token: string,
): TokenResponse => ({ access_token, token_type, expires_in, scope, refresh_token });

/**
 * The chain of refresh tokens of a grant. Token n has no record of its own: `spent:{grant}:n-1`, the tombstone of its
 * predecessor, contains its hash and its expiry. So a single `add` of `spent:{grant}:n` uses up token n and makes token n + 1 valid.
 */
export class RefreshTokens {
  readonly #records: Records;
  readonly #random: RandomSource;
  readonly #own: Timekeeper;
  readonly #clients: Clients;
  readonly #tokens: Tokens;
  readonly #lifetimes: TokenLifetimes;
  readonly #peppers: Peppers;
  readonly #emit: Emit | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #dependencies: RefreshTokenDependencies;

  constructor(dependencies: RefreshTokenDependencies, tokens: Tokens, emit: Emit | undefined) {
    this.#records = dependencies.records;
    this.#random = dependencies.random;
    this.#own = dependencies.own;
    this.#clients = dependencies.clients;
    this.#tokens = tokens;
    this.#lifetimes = dependencies.lifetimes;
    this.#peppers = dependencies.peppers;
    this.#emit = emit;
    this.#onError = dependencies.onError;
    this.#dependencies = dependencies;
  }

  /** The same, with a different listener for events. */
  telling(emit: Emit | undefined, tokens: Tokens): RefreshTokens {
    return new RefreshTokens(this.#dependencies, tokens, emit);
  }

  /**
   * Redeems a code or device code, and issues the first tokens of its grant. Exactly one caller succeeds.
   *
   * @returns `undefined` if it was redeemed before.
   */
  async begin(taken: Taken, issue: Issue): Promise<TokenResponse | undefined> {
    const { client, grant } = issue;
    const made = this.#tokens.mint(issue);
    const minted = made instanceof Promise ? await made : made;
    const refresh_token =
      client.refresh === 'none' ? undefined : refreshTokenText(grant.id, 1, this.#random.string(TOKEN_BYTES.secret));
    const tombstone = tombstoneText({
      at_ms: this.#own.clock(),
      process: this.#own.process,
      next: refresh_token === undefined ? null : sha256(refresh_token),
      next_exp: refresh_token === undefined ? null : this.#endOf(client, grant, minted.record.iat),
    });
    const record: TakenRecord = { taken: taken.taken, code: taken.code, tombstone, exp: grant.exp };
    const [isTaken] = await Promise.all([
      this.#records.add(keys.spent(grant.id, 0), record),
      this.#tokens.save(minted),
    ]);
    if (isTaken)
      return refresh_token === undefined ? minted.response : withRefreshToken(minted.response, refresh_token);
    this.#inBackground(this.#tokens.discard(minted.id));
    return undefined;
  }

  /** A refresh token of a live grant. `spent` says whether it may still be used. */
  async find(token: string): Promise<PresentedToken | undefined> {
    const parsed = parseRefreshToken(token);
    if (parsed === undefined) return undefined;
    const { grant: id, n } = parsed;
    const [grant, before, spent, refreshed] = await this.#records.getEach(
      [keys.grant(id), GRANT],
      [keys.spent(id, n - 1), SPENT],
      [keys.spent(id, n), SPENT],
      // Only needed for listing.
      ...(this.#records.canList ? [[keys.refreshed(id), REFRESHED] as const] : []),
    );
    if (grant === undefined || before === undefined) return undefined;
    const { at_ms, next, next_exp } = parseTombstone(before.tombstone);
    if (next_exp === null || next !== sha256(token)) return undefined;
    if (spent === undefined && this.#tokens.now() >= next_exp) return undefined;
    const iat = Math.floor(at_ms / 1000);
    return { token, n, grant: { id, ...grant }, iat, exp: next_exp, spent, refreshed: refreshed?.at_ms };
  }

  /** A refresh token that may be used now, for introspection. */
  async findLive(token: string): Promise<TokenClaims | undefined> {
    const found = await this.find(token);
    if (found === undefined || found.spent !== undefined) return undefined;
    const { grant, iat, exp } = found;
    const { client_id, sub, username, scope, aud } = grant;
    const client = await this.#clients.find(client_id);
    if (client === undefined || !isValidStill(client, grant.iat)) return undefined;
    return { client_id, sub, username, scope, aud, iat, exp, grant: grant.id };
  }

  /** Returns the successor tokens, to exactly one caller and to those who may repeat the request. */
  async rotate(presented: PresentedToken, refresh: Refresh): Promise<Refreshed> {
    if (presented.spent !== undefined) return this.#repeat(presented, presented.spent, refresh);
    const { grant, n, exp } = presented;
    const { issue, request } = refresh;
    const { client } = issue;
    const { id: key } = this.#peppers.current;
    const at_ms = this.#own.clock();
    const salt = this.#random.string(TOKEN_BYTES.grantId);
    const draft = { at_ms, salt, key, request };
    const { made, refresh_token } = this.#successor(presented, draft, issue);
    const minted = made instanceof Promise ? await made : made;
    const next_exp = this.#endOf(client, grant, minted.record.iat);
    // Not before the expiry of either token, and not within the window for repeating the request.
    const end = Math.max(exp, next_exp) + this.#lifetimeOf(client, 'refreshGrace') + CLOCK_DIFFERENCE;
    const next = sha256(refresh_token);
    const tombstone = rotationText({ at_ms, process: this.#own.process, salt, key, request, next, next_exp });
    const [isFirst] = await Promise.all([
      this.#records.add<SpentRecord>(keys.spent(grant.id, n), { tombstone, exp: end }),
      this.#tokens.saveAgain(minted, () => this.#own.clock() - at_ms > SLOW),
    ]);
    if (isFirst) {
      const response = withRefreshToken(minted.response, refresh_token);
      return { response, onSent: () => this.#finish(presented, end) };
    }
    this.#inBackground(this.#tokens.discard(minted.id));
    const winner = await this.#records.get(keys.spent(grant.id, n), SPENT);
    if (winner === undefined) throw invalidRefreshToken();
    return this.#repeat(presented, winner, refresh);
  }

  /**
   * Handles a refresh token that was used before. The response may have been lost, or never been
   * completed; then the same request gets the same tokens again. Everything else is a replay, which revokes the grant.
   */
  async #repeat(presented: PresentedToken, record: SpentRecord, { issue, request }: Refresh): Promise<Refreshed> {
    const { grant, n, exp } = presented;
    const spent = parseTombstone(record.tombstone);
    const [later, done] = await this.#records.getEach(
      [keys.spent(grant.id, n + 1), MARK],
      [keys.done(grant.id, n), DONE],
    );
    const now = this.#tokens.now();
    const { client } = issue;
    const refreshGrace = this.#lifetimeOf(client, 'refreshGrace');
    const inGrace = isRecent(refreshGrace, done ?? spent, this.#own);
    const mayBeUnfinished = refreshGrace > 0 && done === undefined && now < exp;
    if (later !== undefined || spent.request !== request || !(inGrace || mayBeUnfinished)) {
      this.#emit?.({ type: 'replay.detected', kind: 'refresh_token', client_id: client.client_id, grant_id: grant.id });
      await this.#tokens.revokeGrant(grant, { reason: 'replay' });
      throw invalidRefreshToken();
    }
    const { made, refresh_token } = this.#successor(presented, spent, issue);
    const minted = made instanceof Promise ? await made : made;
    if (sha256(refresh_token) !== spent.next)
      throw new UnavailableError('The record of a rotation does not match its successor token.');
    if (now >= (spent.next_exp ?? 0)) throw invalidRefreshToken();
    const response = { ...(await this.#accessAgain(minted, issue, done !== undefined)), refresh_token };
    return done === undefined ? { response, onSent: () => this.#finish(presented, record.exp) } : { response };
  }

  /** The access token of a repeated rotation. If the rotation was completed, the token was issued, and may have been revoked since. */
  async #accessAgain(minted: MintedToken, issue: Issue, isFinished: boolean): Promise<TokenResponse> {
    const { record, response } = minted;
    const now = this.#tokens.now();
    // An outage may last longer than an access token.
    if (now >= record.exp) return this.#tokens.issue(issue);
    if (!isFinished && !(await this.#tokens.isSettled(minted))) await this.#tokens.saveAgain(minted, () => true);
    const isSoon = now - record.iat <= this.#lifetimeOf(issue.client, 'refreshGrace') + CLOCK_DIFFERENCE;
    return isSoon ? response : { ...response, expires_in: record.exp - now };
  }

  #successor(
    { token, grant, n }: PresentedToken,
    rotation: Pick<Rotation, 'at_ms' | 'salt' | 'key' | 'request'>,
    issue: Issue,
  ): { readonly made: MaybePromise<MintedToken>; readonly refresh_token: string } {
    const { access, refresh } = successorOf(token, rotation, this.#peppers.find(rotation.key));
    return {
      made: this.#tokens.mint(issue, Math.floor(rotation.at_ms / 1000), grant.id + access),
      refresh_token: refreshTokenText(grant.id, n + 1, refresh),
    };
  }

  /** Marks the response as sent: from now on, only the grace window excuses a repetition. */
  async #finish(presented: PresentedToken, exp: number): Promise<void> {
    const { grant, n } = presented;
    const record: DoneRecord = { at_ms: this.#own.clock(), process: this.#own.process, exp };
    await Promise.all([
      this.#records.add(keys.done(grant.id, n), record),
      // Token n has been used, so whoever brings the one before is a replay, whatever became of its answer.
      n > 1 ? this.#records.delete(keys.done(grant.id, n - 1)) : undefined,
      this.noteRefresh(presented),
    ]);
  }

  /** Records once an hour that a grant is in use, for listing. */
  async noteRefresh({ grant, refreshed }: PresentedToken): Promise<void> {
    const at_ms = this.#own.clock();
    if (!this.#records.canList || (refreshed !== undefined && at_ms - refreshed < REFRESHED_STEP)) return;
    const key = keys.refreshed(grant.id);
    if (refreshed !== undefined) await this.#records.delete(key);
    await this.#records.add(key, { at_ms, exp: grant.exp });
  }

  #lifetimeOf({ lifetimes }: Client, name: keyof TokenLifetimes): number {
    return lifetimes[name] ?? this.#lifetimes[name];
  }

  #endOf(client: Client, { exp }: Grant, iat: number): number {
    return client.refresh === 'reusable' ? exp : Math.min(iat + this.#lifetimeOf(client, 'refreshTokenIdle'), exp);
  }

  /** Cleanup that no response waits for. Leftovers give no access and expire. */
  #inBackground(work: Promise<void>): void {
    work.catch(this.#onError);
  }
}
