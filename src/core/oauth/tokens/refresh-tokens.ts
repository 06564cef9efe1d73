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
  TAKEN,
  type TakenRecord,
  type TokenClaims,
} from '../stored-records.js';
import { type Peppers, successorOf } from './successor.js';
import { parseRefreshToken, refreshTokenText, type RefreshTokenParts, TOKEN_BYTES } from './token-id.js';
import type { Grant, Issue, MintedToken, TokenResponse, Tokens } from './tokens.js';
import { parseTombstone, type Rotation, rotationText, tombstoneText } from './tombstone.js';
import { CLOCK_DIFFERENCE, isRecent, type Timekeeper } from './window.js';

/** Milliseconds after which a client may have repeated its request at another process and revoked the result. */
const SLOW = 1000;

/** The accuracy of the time of the last refresh, in milliseconds. */
const REFRESHED_STEP = 3_600_000;

/** Seconds after which a refresh is given up: its token may have been used, and the tombstones deleted, since it was read. */
const MAX_DURATION = 60;

/** The age in seconds of a refresh token at whose use older tombstones are deleted: no refresh that began before it is still running. */
const PRUNING_AGE = 2 * MAX_DURATION;

/** The start of a grant's chain of refresh tokens. */
export interface Taken {
  /** The SHA-256 of the code or device code; a password grant uses up nothing. */
  readonly taken: string | null;
  readonly code: CodeRecord | null;
}

/** A refresh token with a valid text: unused, or used before. */
export interface PresentedToken extends Omit<RefreshTokenParts, 'grant'> {
  readonly token: string;
  readonly grant: Grant;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Milliseconds since the epoch: when its records were read. */
  readonly read_ms: number;
  /** The tombstone of its earlier use; `deleted` if its successor was used long ago too. */
  readonly spent: SpentRecord | 'deleted' | undefined;
  /** Tombstones 1 to `kept` - 1 are deleted. */
  readonly kept: number;
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
 *
 * Once token n is used, the tombstones before that of token n - 1 are deleted, so a chain takes the same space however long it gets. Without
 * its tombstone a token would look unused, so they are deleted in their order: a token is only valid while that of its predecessor exists.
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
    const first =
      client.refresh === 'none' ? undefined : this.#firstOf(grant, this.#endOf(client, grant, minted.record.iat));
    const tombstone = tombstoneText({
      at_ms: this.#own.clock(),
      process: this.#own.process,
      next: first?.hash ?? null,
      next_exp: first?.exp ?? null,
    });
    const family = first?.family ?? null;
    const record: TakenRecord = { taken: taken.taken, code: taken.code, family, tombstone, exp: grant.exp };
    const [isTaken] = await Promise.all([
      this.#records.add(keys.spent(grant.id, 0), record),
      this.#tokens.save(minted),
    ]);
    if (isTaken) return first === undefined ? minted.response : withRefreshToken(minted.response, first.token);
    this.#inBackground(this.#tokens.discard(minted.id));
    return undefined;
  }

  #firstOf({ id }: Grant, exp: number) {
    const family = this.#random.string(TOKEN_BYTES.id);
    const token = refreshTokenText({ grant: id, n: 1, exp, family }, this.#random.string(TOKEN_BYTES.secret));
    return { token, exp, hash: sha256(token), family: sha256(family) };
  }

  /** A refresh token of a live grant. `spent` says whether it may still be used. */
  async find(token: string): Promise<PresentedToken | undefined> {
    const parts = parseRefreshToken(token);
    if (parts === undefined) return undefined;
    const { grant: id, n } = parts;
    const read_ms = this.#own.clock();
    const [record, before, spent, older, refreshed] = await this.#records.getEach(
      [keys.grant(id), GRANT],
      [keys.spent(id, n - 1), SPENT],
      [keys.spent(id, n), SPENT],
      // Whether tombstones were deleted: they are in their order.
      [n > 3 ? keys.spent(id, n - 3) : keys.pruned(id), MARK],
      // Only needed for listing.
      ...(this.#records.canList ? [[keys.refreshed(id), REFRESHED] as const] : []),
    );
    if (record === undefined) return undefined;
    const grant = { id, ...record };
    const isDeleted = before === undefined || (n === 1 && older !== undefined);
    if (isDeleted) return this.#findDeleted(token, parts, grant, read_ms);
    const tombstone = parseTombstone(before.tombstone);
    const { next, next_exp } = tombstone;
    if (next_exp === null || next !== sha256(token)) return undefined;
    if (spent === undefined && this.#tokens.now() >= next_exp) return undefined;
    const iat = Math.floor(tombstone.at_ms / 1000);
    const kept = n > 3 && older === undefined ? n - 2 : tombstone.kept;
    const { family } = parts;
    return { token, n, exp: next_exp, family, grant, iat, read_ms, spent, kept, refreshed: refreshed?.at_ms };
  }

  /** A refresh token whose tombstone is deleted. It has been used, or somebody made it up who had another one of the same grant. */
  async #findDeleted(
    token: string,
    { n, exp, family }: RefreshTokenParts,
    grant: Grant,
    read_ms: number,
  ): Promise<PresentedToken | undefined> {
    const first = await this.#records.get(keys.spent(grant.id, 0), TAKEN);
    if (first?.family !== sha256(family)) return undefined;
    return {
      token,
      n,
      exp,
      family,
      grant,
      iat: grant.iat ?? 0,
      read_ms,
      spent: 'deleted',
      kept: n,
      refreshed: undefined,
    };
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
    const { grant, n, exp, kept, read_ms } = presented;
    const { issue, request } = refresh;
    const { client } = issue;
    const { id: key } = this.#peppers.current;
    const at_ms = this.#own.clock();
    const salt = this.#random.string(TOKEN_BYTES.id);
    const next_exp = this.#endOf(client, grant, Math.floor(at_ms / 1000));
    const { made, refresh_token } = this.#successor(presented, { at_ms, salt, key, request, next_exp }, issue);
    const minted = made instanceof Promise ? await made : made;
    // Not before the expiry of either token, and not within the window for repeating the request.
    const end = Math.max(exp, next_exp) + this.#lifetimeOf(client, 'refreshGrace') + CLOCK_DIFFERENCE;
    const next = sha256(refresh_token);
    const tombstone = rotationText({ at_ms, process: this.#own.process, salt, key, request, next, next_exp, kept });
    const [isFirst] = await Promise.all([
      this.#records.add<SpentRecord>(keys.spent(grant.id, n), { tombstone, exp: end }),
      this.#tokens.saveAgain(minted, () => this.#own.clock() - at_ms > SLOW),
    ]);
    if (isFirst) {
      if (this.#own.clock() - read_ms > MAX_DURATION * 1000)
        throw new UnavailableError('A refresh took longer than a minute. The client may repeat it.');
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
  async #repeat(
    presented: PresentedToken,
    record: SpentRecord | 'deleted',
    { issue, request }: Refresh,
  ): Promise<Refreshed> {
    if (record === 'deleted') return this.#endAsReplay(presented);
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
    if (later !== undefined || spent.request !== request || !(inGrace || mayBeUnfinished))
      return this.#endAsReplay(presented);
    const { made, refresh_token } = this.#successor(presented, spent, issue);
    const minted = made instanceof Promise ? await made : made;
    if (sha256(refresh_token) !== spent.next)
      throw new UnavailableError('The record of a rotation does not match its successor token.');
    if (now >= (spent.next_exp ?? 0)) throw invalidRefreshToken();
    const response = { ...(await this.#accessAgain(minted, issue, done !== undefined)), refresh_token };
    return done === undefined ? { response, onSent: () => this.#finish(presented, record.exp) } : { response };
  }

  /** Revokes the grant, unless the token has expired: then its presentation says nothing about the current one. */
  async #endAsReplay({ grant, exp }: PresentedToken): Promise<never> {
    if (this.#tokens.now() < exp) {
      const { id: grant_id, client_id } = grant;
      this.#emit?.({ type: 'replay.detected', kind: 'refresh_token', client_id, grant_id });
      await this.#tokens.revokeGrant(grant, { reason: 'replay' });
    }
    throw invalidRefreshToken();
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
    { token, grant, n, family }: PresentedToken,
    { at_ms, next_exp, ...rotation }: Pick<Rotation, 'at_ms' | 'salt' | 'key' | 'request' | 'next_exp'>,
    issue: Issue,
  ): { readonly made: MaybePromise<MintedToken>; readonly refresh_token: string } {
    const { access, refresh } = successorOf(token, rotation, this.#peppers.find(rotation.key));
    return {
      made: this.#tokens.mint(issue, Math.floor(at_ms / 1000), grant.id + access),
      refresh_token: refreshTokenText({ grant: grant.id, n: n + 1, exp: next_exp ?? 0, family }, refresh),
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
      this.#tokens.now() - presented.iat >= PRUNING_AGE ? this.#prune(presented) : undefined,
      this.noteRefresh(presented),
    ]);
  }

  /** Deletes the tombstones before that of the previous token, the oldest first. Those that one process leaves, the next refresh deletes. */
  async #prune({ grant, n, kept }: PresentedToken): Promise<void> {
    const end = n - 1;
    if (kept === 1 && end > 1) {
      const taken = await this.#records.get(keys.spent(grant.id, 0), TAKEN);
      // The mark is only needed until token 1 expires.
      const exp = taken === undefined ? grant.exp : (parseTombstone(taken.tombstone).next_exp ?? grant.exp);
      await this.#records.add(keys.pruned(grant.id), { exp });
    }
    for (let oldest = kept; oldest < end; oldest += 1) await this.#records.delete(keys.spent(grant.id, oldest));
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
