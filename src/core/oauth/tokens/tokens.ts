import { defined } from '../../base/defined.js';
import { UnavailableError } from '../../base/errors.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Records, Shape } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import { type Client, generationOf, isValidStill, type TokenLifetimes } from '../clients/client.js';
import type { Clients } from '../clients/clients.js';
import type { Emit, OAuthOccurrence } from '../events/events.js';
import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { JwtAccessTokens } from '../keys/access-token.js';
import { CLIENT_SUBJECT, type Owner, type SignInFacts, signInFacts } from '../records/owner.js';
import {
  CONNECTION,
  type ConnectionRecord,
  endedGrant,
  endedToken,
  GRANT,
  type GrantRecord,
  groups,
  isEnd,
  keys,
  liveGrant,
  MARK,
  TOKEN,
  type TokenClaims,
  type TokenRecord,
} from '../records/stored-records.js';
import { grantIdOf, isMarkedAsBound, isTokenShaped, markedAsBound, TOKEN_BYTES } from '../records/token-id.js';
import type { Connection, Connections } from './connections.js';
import { type FieldsOf, type MintedToken, mintedOf, type TokenResponse, withFields } from './token-response.js';
import type { TokenUses } from './token-uses.js';

/** How often the record of an end is written, while others write in its place. */
const END_ATTEMPTS = 5;

/** A grant with its id. */
export interface Grant extends GrantRecord {
  readonly id: string;
}

/** A grant that is not written yet, and the connection it will depend on. */
export interface NewGrant extends Grant {
  readonly place: Connection;
}

/** How a grant was created. */
export type GrantOrigin = Required<Pick<GrantRecord, 'grant_type'>> & Pick<GrantRecord, 'silent' | 'name'>;

/** The parts of a grant that matter for revoking it. */
export type KnownGrant = Pick<Grant, 'id' | 'exp'> & Partial<Pick<Grant, 'client_id' | 'sub'>>;

/** Why a grant is revoked, for the event. */
export type RevocationReason = Pick<Extract<OAuthOccurrence, { type: 'grant.revoked' }>, 'reason' | 'by'>;

/** The part of a grant that a token is issued for. */
export interface Issuance {
  readonly client: Client;
  readonly grant: Grant;
  readonly scope: string;
  readonly aud: readonly string[];
  /** The thumbprint of the key that the access token is bound to. */
  readonly jkt?: string | undefined;
  /** Further fields of the response with this access token. Called before anything is used up, so it may fail. */
  readonly fields?: FieldsOf | undefined;
}

/** Everything a grant allows. */
export const wholeOf = (grant: Grant, client: Client, jkt?: string): Issuance => ({
  client,
  grant,
  scope: grant.scope,
  aud: grant.aud,
  jkt,
});

/** A live access token. A JWT has a `jti`, under which it can be revoked. */
export interface LiveToken extends TokenClaims {
  readonly jti?: string;
}

/** Seconds. */
export interface GrantLifetimes extends TokenLifetimes {
  readonly authorizationCode: number;
  readonly deviceCode: number;
}

/** The subject of a token. */
type TokenSubject = Pick<TokenClaims, 'sub' | 'username' | 'auth_time' | 'acr'>;

const clientItself = (client_id: string): TokenSubject => ({ sub: CLIENT_SUBJECT + client_id, username: null });

/** What {@link Tokens} depend on. */
export interface TokenDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly clients: Clients;
  readonly lifetimes: GrantLifetimes;
  readonly impliedScopes: ImpliedScopes;
  /** Creates access tokens as JWTs; without it they are opaque. */
  readonly jwt: JwtAccessTokens | undefined;
  /** Whether tokens show when and how their owner signed in. */
  readonly keepsSignIn: boolean;
  /** Records uses of personal tokens. */
  readonly uses: TokenUses;
}

/** The only place that creates, finds and revokes grants and access tokens. */
export class Tokens {
  readonly #given: TokenDependencies;

  constructor(given: TokenDependencies) {
    this.#given = given;
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.#given.clock() / 1000);
  }

  /** A new secret that belongs to a grant: a code, or an access token. */
  newSecret(grantId: string): string {
    return grantId + this.#given.random.string(TOKEN_BYTES.secret);
  }

  /** An owner's connection to a client, or the place for it. */
  connectionTo(sub: string, client_id: string): Promise<Connection> {
    return this.#given.connections.find(sub, client_id);
  }

  /** Ends a connection with all its grants. */
  disconnect(key: string, connection: ConnectionRecord): Promise<void> {
    return this.#given.connections.end(key, connection);
  }

  /**
   * A new grant, not written yet. The absolute expiry of everything issued under it is fixed here and never changes;
   * it leaves time for redeeming the code or device code first.
   *
   * @param asked - The requested scopes; the scopes they imply today are granted with them.
   * @param connection - The connection in which it is allowed; read from the store if absent.
   */
  async newGrant(
    client: Client,
    owner: Owner,
    asked: string,
    aud: readonly string[],
    origin: GrantOrigin,
    connection?: Connection,
  ): Promise<NewGrant> {
    const { client_id, refresh, lifetimes } = client;
    const { sub, username = null } = owner;
    const place = connection ?? (await this.connectionTo(sub, client_id));
    const { authorizationCode, deviceCode, accessToken, refreshTokenAbsolute } = this.#given.lifetimes;
    const untilRedeemed = Math.max(authorizationCode, deviceCode);
    const iat = this.now();
    const exp =
      iat +
      (refresh === 'none'
        ? untilRedeemed + (lifetimes.accessToken ?? accessToken)
        : (lifetimes.refreshTokenAbsolute ?? refreshTokenAbsolute));
    const id = place.id + this.#given.random.string(TOKEN_BYTES.grant);
    const generation = this.#given.connections.generationFor(place);
    const scope = this.#given.impliedScopes.expandText(asked);
    const facts = signInFacts(owner);
    const made = { client_id, sub, username, scope, aud, iat, exp, ...generationOf(client), ...origin, ...facts };
    return { id, place, connection: generation, ...made };
  }

  /** Writes a grant and its connection. Tokens issued under it do not work before. */
  async saveGrant({ id, place, ...record }: NewGrant, emit: Emit | undefined): Promise<Grant> {
    const { client_id, sub, scope, name } = record;
    const { connections, clients, records } = this.#given;
    const kept = connections.keep(place, record);
    // Only a connection that exists is sure to keep its generation: another request may connect them first.
    const connection = connections.isLive(place) ? record.connection : await kept;
    await Promise.all([
      kept,
      clients.approved(client_id),
      records.create(keys.grant(id), { ...record, connection }, [
        groups.grantsOfOwner(sub),
        groups.grantsOfClient(client_id),
        ...(name === undefined ? [] : [groups.tokensOfOwner(sub)]),
      ]),
    ]);
    emit?.({
      type: 'grant.created',
      client_id,
      sub,
      scope,
      grant_id: id,
      ...(record.silent === true && { silent: true }),
    });
    return { id, ...record, connection };
  }

  async findGrant(id: string): Promise<Grant | undefined> {
    const found = await this.#given.records.getEach([keys.grant(id), GRANT], [keys.connectionOf(id), CONNECTION]);
    const record = liveGrant(...found);
    return record === undefined ? undefined : { id, ...record };
  }

  /** Revokes a grant with every token of its family. A command that is carried out late does not bring it back. */
  async revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void> {
    await this.#end(keys.grant(grant.id), GRANT, endedGrant(grant.exp), keys.chain(grant.id));
    this.#tellRevoked(grant, why, emit);
  }

  /** Deletes a grant that is invalid whatever comes late, because its connection has ended, or that was not found. */
  async deleteGrant(grant: Omit<KnownGrant, 'exp'>, why: RevocationReason, emit: Emit | undefined): Promise<void> {
    await this.#given.records.delete(keys.grant(grant.id));
    this.#tellRevoked(grant, why, emit);
  }

  #tellRevoked({ id, client_id, sub }: Omit<KnownGrant, 'exp'>, why: RevocationReason, emit: Emit | undefined): void {
    emit?.({ type: 'grant.revoked', grant_id: id, ...defined({ client_id, sub }), ...why });
  }

  /**
   * Puts the record of its end in the place of a token or a grant, whatever is written there at the same moment.
   *
   * @param belonging - The key of what is deleted with it, and not before: as long as it is there, a failed call can be repeated.
   */
  async #end<T extends TokenRecord | GrantRecord>(
    key: string,
    shape: Shape<T>,
    end: T,
    belonging?: string,
  ): Promise<void> {
    for (let attempt = 0; attempt < END_ATTEMPTS; attempt += 1) {
      await this.#given.records.delete(key);
      const [isWritten] = await Promise.all([
        this.#given.records.add(key, end),
        attempt === 0 && belonging !== undefined ? this.#given.records.delete(belonging) : undefined,
      ]);
      if (isWritten) return;
      const now = await this.#given.records.get(key, shape);
      if (now !== undefined && isEnd(now)) return;
    }
    throw new UnavailableError('The store refused the record of what was revoked.');
  }

  /** A token for the client itself. It has no grant and never a refresh token (RFC 6749 §4.4.3). */
  issueOwn(client: Client, asked: string, aud: readonly string[], jkt?: string): Promise<TokenResponse> {
    const iat = this.now();
    const { client_id } = client;
    const scope = this.#given.impliedScopes.expandText(asked);
    const exp = iat + this.#accessToken(client);
    const record = { client_id, scope, aud, iat, exp, grant: null, ...generationOf(client) };
    return this.#saved(this.#mint(this.#given.random.string(TOKEN_BYTES.secret), record, clientItself(client_id), jkt));
  }

  /** Issues an access token without a refresh token. */
  issue(issue: Issuance): Promise<TokenResponse> {
    return this.#saved(this.mint(issue));
  }

  async #saved(made: MaybePromise<MintedToken>): Promise<TokenResponse> {
    const minted = made instanceof Promise ? await made : made;
    await this.save(minted);
    return minted.response;
  }

  /**
   * Creates an access token of a grant, and signs it if it is a JWT: if a vault fails, nothing has been used up yet.
   *
   * @param iat - Seconds since the epoch.
   */
  mint(
    { client, grant, scope, aud, jkt, fields }: Issuance,
    iat: number = this.now(),
    id: string = this.newSecret(grant.id),
  ): MaybePromise<MintedToken> {
    const exp = Math.min(iat + this.#accessToken(client), grant.exp);
    const made = this.#mint(id, { client_id: grant.client_id, scope, aud, iat, exp, grant: grant.id }, grant, jkt);
    return fields === undefined ? made : withFields(made, fields);
  }

  #accessToken({ lifetimes }: Client): number {
    return lifetimes.accessToken ?? this.#given.lifetimes.accessToken;
  }

  #mint(secret: string, unbound: TokenRecord, subject: TokenSubject, jkt?: string): MaybePromise<MintedToken> {
    const id = markedAsBound(secret, jkt);
    const record: TokenRecord = jkt === undefined ? unbound : { ...unbound, jkt };
    if (this.#given.jwt === undefined) return mintedOf(id, record, id);
    const { sub, username } = subject;
    return this.#given.jwt
      .sign(id, { ...record, sub, username, ...this.#factsOf(subject) })
      .then((token) => mintedOf(id, record, token));
  }

  #factsOf({ auth_time, acr }: TokenSubject): SignInFacts | undefined {
    return this.#given.keepsSignIn ? signInFacts({ auth_time, acr }) : undefined;
  }

  /** Makes a token valid. A JWT needs no record. */
  save({ id, record }: MintedToken): MaybePromise<void> {
    return this.#given.jwt === undefined ? this.#given.records.create(keys.token(id), record) : undefined;
  }

  /** Like {@link save}, for a derived token that several processes may create: an existing record is kept, also that of its end. */
  async saveAgain({ id, record }: MintedToken): Promise<void> {
    if (this.#given.jwt !== undefined) return;
    const added = await this.#given.records.add(keys.token(id), record);
    if (!added && (await this.#given.records.get(keys.token(id), TOKEN)) === undefined)
      throw new UnavailableError('The store refused a new token and does not have it.');
  }

  /** Revokes a token that was not given to a client. */
  async discard(id: string): Promise<void> {
    if (this.#given.jwt === undefined) await this.#given.records.delete(keys.token(id));
  }

  /**
   * A live access token: its own record and that of its grant are live, its client is still known, and its tokens were not
   * invalidated. A token whose record names a different grant is invalid.
   */
  async find(token: string): Promise<LiveToken | undefined> {
    let found: TokenRecord | undefined;
    let grant: GrantRecord | undefined;
    let jti: string | undefined;
    if (isTokenShaped(token)) {
      // Inlined: every guarded request runs this, and a function would add another await.
      const grantId = grantIdOf(token);
      if (grantId === undefined) found = await this.#given.records.get(keys.token(token), TOKEN);
      else {
        const read = await this.#given.records.getEach(
          [keys.token(token), TOKEN],
          [keys.grant(grantId), GRANT],
          [keys.connectionOf(grantId), CONNECTION],
        );
        [found] = read;
        grant = liveGrant(read[1], read[2]);
        if (grant === undefined) return undefined;
      }
      if (found?.grant !== (grantId ?? null)) return undefined;
    } else {
      [jti, found, grant] = await this.#findJwt(token);
    }
    if (found === undefined) return undefined;
    const { jkt } = found;
    if ((jkt !== undefined) !== isMarkedAsBound(jti ?? token)) return undefined;
    const known = this.#given.clients.find(found.client_id);
    const client = known instanceof Promise ? await known : known;
    if (client === undefined || !isValidStill(client, grant ?? found)) return undefined;
    const subject = grant ?? clientItself(found.client_id);
    const { sub, username } = subject;
    if (grant?.name !== undefined && found.grant !== null) this.#given.uses.record(found.grant, found.exp);
    const { client_id, scope, aud, iat, exp, grant: id } = found;
    const live = { client_id, scope, aud, iat, exp, grant: id, sub, username };
    if (jkt !== undefined) Object.assign(live, { jkt });
    if (this.#given.keepsSignIn) Object.assign(live, this.#factsOf(subject));
    return jti === undefined ? live : { ...live, jti };
  }

  /** The signature proves the issuer; the store knows whether the token or its grant was revoked. */
  async #findJwt(token: string): Promise<readonly [jti?: string, record?: TokenRecord, grant?: GrantRecord]> {
    const verified = await this.#given.jwt?.verify(token);
    if (verified === undefined) return [];
    const { jti, record } = verified;
    if (record.grant === null) {
      const revoked = await this.#given.records.get(keys.revoked(jti), MARK);
      return revoked === undefined ? [jti, record] : [];
    }
    const [revoked, given, connection] = await this.#given.records.getEach(
      [keys.revoked(jti), MARK],
      [keys.grant(record.grant), GRANT],
      [keys.connectionOf(record.grant), CONNECTION],
    );
    const grant = liveGrant(given, connection);
    if (revoked !== undefined || grant === undefined) return [];
    return [jti, record, grant];
  }

  /** Revokes one token; the rest of its family stays valid. */
  async revokeToken(token: string, live: LiveToken, emit: Emit | undefined): Promise<void> {
    const end = endedToken(live.exp);
    if (live.jti === undefined) await this.#end(keys.token(token), TOKEN, end);
    else await this.#given.records.add(keys.revoked(live.jti), { exp: end.exp });
    emit?.({
      type: 'token.revoked',
      client_id: live.client_id,
      ...(live.grant === null ? {} : { grant_id: live.grant }),
    });
  }
}
