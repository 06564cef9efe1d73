import { OAuthError, StoreError } from '../errors.js';
import type { Clock } from '../ports.js';
import type { Records } from '../records.js';
import { hmac, type RandomSource } from '../secrets.js';
import type { Client } from './client.js';
import type { Clients } from './clients.js';
import type { EventListener } from './events.js';
import type { JwtAccessTokens } from './jwt/access-token.js';
import {
  GRANT,
  type GrantRecord,
  keys,
  MARK,
  SPENT_REFRESH,
  type SpentRefreshRecord,
  TOKEN,
  type TokenRecord,
} from './records.js';
import { grantIdOf, isTokenShaped, TOKEN_BYTES } from './token-id.js';

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

/** A resource owner as the host knows them. */
export interface Owner {
  /**
   * Who it is, for ever: never given to anybody else later, and not beginning with `client:`. Becomes the token's
   * `sub`.
   */
  readonly sub: string;
  /** The name that people know them by. Becomes the token's `username`. */
  readonly username?: string;
}

/** A grant with its id. */
export interface Grant extends GrantRecord {
  readonly id: string;
}

/** A token that is alive. A JWT has a `jti`, under which it can be revoked. */
export interface LiveToken extends TokenRecord {
  readonly jti?: string;
}

/** Seconds. */
export interface TokenLifetimes {
  readonly authorizationCode: number;
  readonly deviceCode: number;
  readonly accessToken: number;
  readonly refreshTokenIdle: number;
  readonly refreshTokenAbsolute: number;
  readonly refreshGrace: number;
}

/** Names a client's own tokens. No resource owner may have a `sub` that begins like this. */
export const CLIENT_SUBJECT = 'client:';

const invalidGrant = (): OAuthError => new OAuthError('invalid_grant', 'The refresh token is not valid.');

/** The only place that mints, finds, rotates and revokes tokens. */
export class Tokens {
  readonly #records: Records;
  readonly #random: RandomSource;
  readonly #clock: Clock;
  readonly #clients: Clients;
  readonly #lifetimes: TokenLifetimes;
  readonly #jwt: JwtAccessTokens | undefined;
  readonly #emit: EventListener | undefined;

  constructor(dependencies: {
    records: Records;
    random: RandomSource;
    clock: Clock;
    clients: Clients;
    lifetimes: TokenLifetimes;
    /** Makes access tokens JWTs; without it they are opaque. */
    jwt: JwtAccessTokens | undefined;
    emit: EventListener | undefined;
  }) {
    this.#records = dependencies.records;
    this.#random = dependencies.random;
    this.#clock = dependencies.clock;
    this.#clients = dependencies.clients;
    this.#lifetimes = dependencies.lifetimes;
    this.#jwt = dependencies.jwt;
    this.#emit = dependencies.emit;
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.#clock() / 1000);
  }

  /** A fresh secret that belongs to a grant: a code, or the token of a family. */
  secret(grantId: string): string {
    return grantId + this.#random.string(TOKEN_BYTES.secret);
  }

  /**
   * Writes down what an owner allowed. The absolute end of everything that follows is fixed here and never moves; it
   * leaves room for the code or device code that has to be redeemed first.
   */
  async createGrant(client: Client, owner: Owner, scope: string, aud: readonly string[]): Promise<Grant> {
    const { authorizationCode, deviceCode, accessToken, refreshTokenAbsolute } = this.#lifetimes;
    const untilRedeemed = Math.max(authorizationCode, deviceCode);
    const id = this.#random.string(TOKEN_BYTES.grantId);
    const record: GrantRecord = {
      client_id: client.client_id,
      sub: owner.sub,
      username: owner.username ?? null,
      scope,
      aud,
      exp: this.now() + (client.refresh === 'none' ? untilRedeemed + accessToken : refreshTokenAbsolute),
    };
    await this.#records.create(keys.grant(id), record);
    this.#emit?.({ type: 'grant.created', client_id: client.client_id, sub: owner.sub, scope, grant_id: id });
    return { id, ...record };
  }

  async findGrant(id: string): Promise<Grant | undefined> {
    const record = await this.#records.get(keys.grant(id), GRANT);
    return record === undefined ? undefined : { id, ...record };
  }

  /** Ends a grant and with it every token of its family, at once and in one step. */
  async revokeGrant(id: string, reason: 'replay' | 'revocation' | 'host', client_id?: string): Promise<void> {
    await this.#records.delete(keys.grant(id));
    this.#emit?.({ type: 'grant.revoked', grant_id: id, reason, ...(client_id === undefined ? {} : { client_id }) });
  }

  /** A token for the client itself. It has no grant and never a refresh token (RFC 6749 §4.4.3). */
  async issueOwn(client: Client, scope: string, aud: readonly string[]): Promise<TokenResponse> {
    const id = this.#random.string(TOKEN_BYTES.secret);
    const iat = this.now();
    const record: TokenRecord = {
      kind: 'access',
      client_id: client.client_id,
      sub: CLIENT_SUBJECT + client.client_id,
      username: null,
      scope,
      aud,
      iat,
      exp: iat + this.#lifetimes.accessToken,
      grant: null,
    };
    if (this.#jwt === undefined) await this.#records.create(keys.token(id), record);
    const access_token = this.#jwt === undefined ? id : await this.#jwt.sign(id, record);
    return { access_token, token_type: 'Bearer', expires_in: this.#lifetimes.accessToken, scope };
  }

  /** The first tokens of a grant: an access token and, where the client may have one, a refresh token. */
  async issue(client: Client, grant: Grant, scope: string, aud: readonly string[]): Promise<TokenResponse> {
    const iat = this.now();
    const refresh = client.refresh === 'none' ? undefined : this.secret(grant.id);
    const [answer] = await Promise.all([
      this.#saveAccess(this.secret(grant.id), grant, scope, aud, iat),
      refresh === undefined ? undefined : this.#saveRefresh(refresh, client, grant, iat),
    ]);
    return refresh === undefined ? answer : { ...answer, refresh_token: refresh };
  }

  /** An access token beside a refresh token that the client keeps. */
  issueAccess(grant: Grant, scope: string, aud: readonly string[]): Promise<TokenResponse> {
    return this.#saveAccess(this.secret(grant.id), grant, scope, aud, this.now());
  }

  /**
   * A live token of any kind: its own record is live, its grant's too, and its client is still known. A token whose
   * record names another grant than the token itself is none.
   */
  async find(token: string): Promise<LiveToken | undefined> {
    let found: LiveToken | undefined;
    if (isTokenShaped(token)) {
      // Not a function of its own: every guarded request passes here, and would wait once more.
      const grantId = grantIdOf(token);
      const lookup = this.#records.get(keys.token(token), TOKEN);
      if (grantId === undefined) found = await lookup;
      else {
        const [record, grant] = await Promise.all([lookup, this.#records.get(keys.grant(grantId), GRANT)]);
        if (grant !== undefined) found = record;
      }
      if (found?.grant !== (grantId ?? null)) return undefined;
      // A rotated refresh token is deleted after its successor is saved; in between its tombstone speaks for it.
      if (found.kind === 'refresh' && (await this.findSpentRefresh(token)) !== undefined) return undefined;
    } else {
      found = await this.#findJwt(token);
    }
    if (found === undefined) return undefined;
    const client = this.#clients.find(found.client_id);
    return (client instanceof Promise ? await client : client) === undefined ? undefined : found;
  }

  /** The signature says who issued it; the store says whether it was revoked since, alone or with its grant. */
  async #findJwt(token: string): Promise<LiveToken | undefined> {
    const verified = await this.#jwt?.verify(token);
    if (verified === undefined) return undefined;
    const { jti, record } = verified;
    const [revoked, grant] = await Promise.all([
      this.#records.get(keys.revoked(jti), MARK),
      record.grant === null ? null : this.#records.get(keys.grant(record.grant), GRANT),
    ]);
    if (revoked !== undefined || grant === undefined) return undefined;
    return { ...record, username: grant?.username ?? null, jti };
  }

  /** Ends one token; the rest of its family lives on. */
  async revokeToken(token: string, live: LiveToken): Promise<void> {
    if (live.jti === undefined) await this.#records.delete(keys.token(token));
    else await this.#records.add(keys.revoked(live.jti), { exp: live.exp });
    this.#emit?.({
      type: 'token.revoked',
      client_id: live.client_id,
      ...(live.grant === null ? {} : { grant_id: live.grant }),
    });
  }

  /** The tombstone of a refresh token that was rotated away. */
  findSpentRefresh(token: string): Promise<SpentRefreshRecord | undefined> {
    return this.#records.get(keys.spentRefresh(token), SPENT_REFRESH);
  }

  /**
   * Takes a refresh token out of use and answers with its successor. Exactly one caller takes it. Who comes second
   * within the grace window and asks for the same gets the same answer again, because an answer can get lost on the
   * way; everyone else is a replay, which ends the grant.
   */
  async rotate(
    presented: string,
    record: TokenRecord,
    client: Client,
    grant: Grant,
    scope: string,
    aud: readonly string[],
  ): Promise<TokenResponse> {
    const request = JSON.stringify([scope, aud]);
    const at = this.#clock();
    const graceEnd = Math.ceil(at / 1000) + this.#lifetimes.refreshGrace;
    const spent: SpentRefreshRecord = {
      client_id: client.client_id,
      grant: grant.id,
      at,
      salt: this.#random.string(TOKEN_BYTES.grantId),
      request,
      // From then on the token would be refused anyway, and every rotation leaves a tombstone. Who may still repeat
      // the request finds it.
      exp: Math.max(record.exp, graceEnd),
    };
    const successor = successorOf(presented, spent);
    // Signed before the token is taken: while a vault is away, the client's next attempt must not be a replay.
    const response = await this.#answerSuccessor(successor, spent, grant, scope, aud);
    if (!(await this.#records.add(keys.spentRefresh(presented), spent))) {
      const winner = await this.findSpentRefresh(presented);
      if (winner === undefined) throw invalidGrant();
      return this.repeatOrRevoke(presented, winner, client, grant, scope, aud);
    }
    await this.#saveSuccessor(successor, spent, client, grant, scope, aud);
    await this.#records.delete(keys.token(presented));
    return response;
  }

  /** What becomes of a refresh token that has already been taken. */
  async repeatOrRevoke(
    presented: string,
    spent: SpentRefreshRecord,
    client: Client,
    grant: Grant,
    scope: string,
    aud: readonly string[],
  ): Promise<TokenResponse> {
    const inGrace = this.#clock() - spent.at < this.#lifetimes.refreshGrace * 1000;
    if (inGrace && spent.request === JSON.stringify([scope, aud])) {
      const successor = successorOf(presented, spent);
      const [used, saved] = await Promise.all([
        this.findSpentRefresh(successor.refresh),
        this.#records.get(keys.token(successor.refresh), TOKEN),
      ]);
      if (used === undefined) {
        // The refresh token is saved last: where it is missing, the winner is still at work or has died, and nobody
        // has seen these tokens. Saving them again changes nothing that somebody could have revoked.
        const response = await this.#answerSuccessor(successor, spent, grant, scope, aud);
        if (saved === undefined) await this.#saveSuccessor(successor, spent, client, grant, scope, aud);
        return response;
      }
    }
    this.#emit?.({ type: 'replay.detected', kind: 'refresh_token', client_id: client.client_id, grant_id: grant.id });
    await this.revokeGrant(grant.id, 'replay', client.client_id);
    throw invalidGrant();
  }

  async #saveSuccessor(
    successor: Successor,
    spent: SpentRefreshRecord,
    client: Client,
    grant: Grant,
    scope: string,
    aud: readonly string[],
  ): Promise<void> {
    const iat = Math.floor(spent.at / 1000);
    if (this.#jwt === undefined) await this.#save(successor.access, this.#accessRecord(grant, scope, aud, iat));
    await this.#saveRefresh(successor.refresh, client, grant, iat);
  }

  /** The same each time; of a JWT only the signature may differ. */
  async #answerSuccessor(
    successor: Successor,
    spent: SpentRefreshRecord,
    grant: Grant,
    scope: string,
    aud: readonly string[],
  ): Promise<TokenResponse> {
    const record = this.#accessRecord(grant, scope, aud, Math.floor(spent.at / 1000));
    return { ...(await this.#answer(successor.access, record)), refresh_token: successor.refresh };
  }

  #accessRecord(grant: Grant, scope: string, aud: readonly string[], iat: number): TokenRecord {
    return tokenRecord('access', grant, scope, aud, iat, Math.min(iat + this.#lifetimes.accessToken, grant.exp));
  }

  /** An opaque token is its own id; a JWT carries it. */
  async #answer(id: string, record: TokenRecord): Promise<TokenResponse> {
    const access_token = this.#jwt === undefined ? id : await this.#jwt.sign(id, record);
    return { access_token, token_type: 'Bearer', expires_in: record.exp - record.iat, scope: record.scope };
  }

  async #saveAccess(
    id: string,
    grant: Grant,
    scope: string,
    aud: readonly string[],
    iat: number,
  ): Promise<TokenResponse> {
    const record = this.#accessRecord(grant, scope, aud, iat);
    if (this.#jwt === undefined) await this.#save(id, record);
    return this.#answer(id, record);
  }

  async #saveRefresh(token: string, client: Client, grant: Grant, iat: number): Promise<void> {
    const idleEnd =
      client.refresh === 'reusable' ? grant.exp : Math.min(iat + this.#lifetimes.refreshTokenIdle, grant.exp);
    await this.#save(token, tokenRecord('refresh', grant, grant.scope, grant.aud, iat, idleEnd));
  }

  /** Who repeats a refresh may find its tokens saved already, or past their end; nobody is handed what is not there. */
  async #save(token: string, record: TokenRecord): Promise<void> {
    if (this.now() >= record.exp) throw invalidGrant();
    const key = keys.token(token);
    if ((await this.#records.add(key, record)) || (await this.#records.get(key, TOKEN)) !== undefined) return;
    throw new StoreError('The store refused a new token and does not have it.');
  }
}

const tokenRecord = (
  kind: TokenRecord['kind'],
  grant: Grant,
  scope: string,
  aud: readonly string[],
  iat: number,
  exp: number,
): TokenRecord => ({
  kind,
  client_id: grant.client_id,
  sub: grant.sub,
  username: grant.username,
  scope,
  aud,
  iat,
  exp,
  grant: grant.id,
});

interface Successor {
  readonly access: string;
  readonly refresh: string;
}

/**
 * The tokens that follow a refresh token. They come from the token itself, which only its holder knows, and from a
 * salt, which only the store knows: neither a stolen store nor a stolen old token tells them.
 */
const successorOf = (presented: string, spent: SpentRefreshRecord): Successor => {
  const key = Buffer.from(presented);
  return {
    access: spent.grant + hmac(key, `${spent.salt} access`),
    refresh: spent.grant + hmac(key, `${spent.salt} refresh`),
  };
};
