import { defined } from '../../base/defined.js';
import { UnavailableError } from '../../base/errors.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Records, Shape } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import type { Claims } from '../../feature/claims.js';
import type { AskedTokens } from '../../feature/parts.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, generationOf, isValidStill, untilRedeemed } from '../clients/client.js';
import type { Emit } from '../events/events.js';
import type { ImpliedScopes } from '../facts/implied-scopes.js';
import type { Lifetimes } from '../facts/settings.js';
import { type Owner, type SignInFacts, signInFacts } from '../records/owner.js';
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
import {
  grantIdOf,
  isDerived,
  isMarkedAsBound,
  isTokenShaped,
  markedAsBound,
  TOKEN_BYTES,
} from '../records/token-id.js';
import { areStillAllowed, readDerived, subjectOf, type TokenSubject, withAncestors } from './ancestors.js';
import type { Connections } from './connections.js';
import type {
  Connection,
  Derivation,
  Grant,
  GrantOrigin,
  Issuance,
  KnownGrant,
  LiveToken,
  NewGrant,
  RevocationReason,
} from './grant.js';
import { type TokenAdditions, withClaims } from './token-additions.js';
import { type MintedToken, mintedOf, type TokenResponse } from './token-response.js';
import type { TokenUses } from './token-uses.js';

/** How often the record of an end is written, while others write in its place. */
const END_ATTEMPTS = 5;

/** Access tokens as JWTs. */
interface TokenSigner {
  sign(jti: string, claims: TokenClaims): Promise<string>;
  verify(token: string): Promise<{ readonly jti: string; readonly record: TokenRecord } | undefined>;
}

/** What {@link Tokens} depend on. */
interface TokenDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly clients: ClientFinder & {
    /** Called when a client receives a grant. */
    approved(client_id: string): MaybePromise<void>;
  };
  readonly lifetimes: Lifetimes;
  readonly impliedScopes: ImpliedScopes;
  /** Creates access tokens as JWTs; without it they are opaque. */
  readonly jwt: TokenSigner | undefined;
  /** Whether tokens show when and how their owner signed in. */
  readonly keepsSignIn: boolean;
  /** Records uses of personal tokens. */
  readonly uses: TokenUses;
  /** What the application and the features add to tokens. */
  readonly additions: TokenAdditions;
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
   * it leaves time for redeeming it first.
   *
   * @param asked - The requested scopes; the scopes they imply today are granted with them.
   * @param place - The connection in which it is allowed; read from the store if absent.
   */
  newGrant(
    client: Client,
    owner: Owner,
    asked: string,
    aud: readonly string[],
    origin: GrantOrigin,
    place?: Connection,
  ): MaybePromise<NewGrant> {
    const { client_id, refresh, lifetimes } = client;
    const { sub, username = null } = owner;
    if (place === undefined)
      return this.connectionTo(sub, client_id).then((found) => this.newGrant(client, owner, asked, aud, origin, found));
    const { accessToken, refreshTokenAbsolute } = this.#given.lifetimes;
    const iat = this.now();
    const exp =
      iat +
      (refresh === 'none'
        ? untilRedeemed(this.#given.lifetimes) + (lifetimes.accessToken ?? accessToken)
        : (lifetimes.refreshTokenAbsolute ?? refreshTokenAbsolute));
    const id = place.id + this.#given.random.string(TOKEN_BYTES.grant);
    const generation = this.#given.connections.generationFor(place);
    const scope = this.#given.impliedScopes.expandText(asked);
    const made = { id, place, connection: generation, client_id, sub, username, scope, aud, iat, exp };
    return Object.assign(made, generationOf(client), origin, signInFacts(owner));
  }

  /** Writes a grant and its connection. Tokens issued under it do not work before. */
  async saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant> {
    const { id, place, ...record } = grant;
    const { client_id, sub, scope, name, issuer } = record;
    const { connections, clients, records } = this.#given;
    const kept = connections.keep(place, record);
    // Only a connection that exists is sure to keep its generation: another request may connect them first.
    const connection = connections.isLive(place) ? record.connection : await kept;
    const isAsMade = connection === record.connection;
    const approving = clients.approved(client_id);
    const listedIn = [groups.grantsOfOwner(sub), groups.grantsOfClient(client_id)];
    if (name !== undefined) listedIn.push(groups.tokensOfOwner(sub));
    if (issuer !== undefined) listedIn.push(groups.grantsOfIssuer(issuer));
    const writing = records.create(keys.grant(id), isAsMade ? record : { ...record, connection }, listedIn);
    await (kept instanceof Promise || approving instanceof Promise ? Promise.all([kept, approving, writing]) : writing);
    emit?.({
      type: 'grant.created',
      client_id,
      sub,
      scope,
      grant_id: id,
      ...(record.silent === true && { silent: true }),
      ...(issuer !== undefined && { issuer }),
    });
    return isAsMade ? grant : { ...grant, connection };
  }

  findGrant(id: string): Promise<Grant | undefined> {
    const reading = this.#given.records.getEach([keys.grant(id), GRANT], [keys.connectionOf(id), CONNECTION]);
    return reading.then(([given, connection]) => {
      const record = liveGrant(given, connection);
      return record && { id, ...record };
    });
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

  /**
   * A token for the client itself. It has no grant and never a refresh token (RFC 6749 §4.4.3).
   *
   * @param beforeWrite - Called when nothing but the store can fail, and before anything is written.
   */
  issueOwn(
    client: Client,
    grant_type: string,
    asked: string,
    aud: readonly string[],
    jkt?: string,
    beforeWrite?: () => Promise<void>,
  ): Promise<TokenResponse> {
    const iat = this.now();
    const { client_id } = client;
    const scope = this.#given.impliedScopes.expandText(asked);
    const exp = iat + this.#accessToken(client);
    const record = { client_id, scope, aud, iat, exp, grant: null, ...generationOf(client) };
    const make = (claims?: Claims): MaybePromise<MintedToken> =>
      this.#mint(
        this.#given.random.string(TOKEN_BYTES.secret),
        withClaims(record, claims),
        subjectOf({ client_id }),
        jkt,
      );
    return this.#saved(this.#withAdditions(make, { client, grant_type, scope, aud, kept: {} }), beforeWrite);
  }

  /**
   * A token that is derived from another: in its grant, and valid no longer than all that it was derived from.
   *
   * @param beforeWrite - As in {@link issueOwn}.
   */
  issueDerived(
    { client, grant_type, from, scope, aud, act, jkt }: Derivation,
    beforeWrite: () => Promise<void>,
  ): Promise<TokenResponse> {
    const { grant, ancestors, issuedTo } = from;
    const iat = this.now();
    const exp = Math.min(iat + this.#accessToken(client), from.exp, grant?.exp ?? Infinity);
    const made = {
      client_id: client.client_id,
      scope,
      aud,
      iat,
      exp,
      grant: grant?.id ?? null,
      ...generationOf(client),
    };
    const record = { ...made, from: issuedTo, ...defined({ act }) };
    const id = withAncestors(this.newSecret(grant?.id ?? ''), ancestors);
    const make = (claims?: Claims): MaybePromise<MintedToken> =>
      this.#mint(id, withClaims(record, claims), grant ?? subjectOf(record), jkt);
    return this.#saved(this.#withAdditions(make, { client, grant, grant_type, scope, aud, kept: {} }), beforeWrite);
  }

  /** Issues an access token without a refresh token. */
  issue(issue: Issuance): Promise<TokenResponse> {
    return this.#saved(this.mint(issue));
  }

  async #saved(made: MaybePromise<MintedToken>, beforeWrite?: () => Promise<void>): Promise<TokenResponse> {
    const minted = made instanceof Promise ? await made : made;
    if (beforeWrite !== undefined) await beforeWrite();
    await this.save(minted);
    return minted.response;
  }

  /**
   * Creates an access token of a grant, and signs it if it is a JWT: if a vault fails, nothing has been used up yet.
   *
   * @param iat - Seconds since the epoch.
   */
  mint(
    { client, grant, scope, aud, jkt, act, grant_type, kept = {} }: Issuance,
    iat: number = this.now(),
    id: string = this.newSecret(grant.id),
  ): MaybePromise<MintedToken> {
    const exp = Math.min(iat + this.#accessToken(client), grant.exp);
    const record = { client_id: grant.client_id, scope, aud, iat, exp, grant: grant.id, ...(act && { act }) };
    const make = (claims?: Claims): MaybePromise<MintedToken> => this.#mint(id, withClaims(record, claims), grant, jkt);
    return this.#withAdditions(make, { client, grant, grant_type, scope, aud, kept });
  }

  /** With what the application and the features add. */
  #withAdditions(
    make: (claims?: Claims) => MaybePromise<MintedToken>,
    asked: AskedTokens & { readonly grant?: Grant | undefined },
  ): MaybePromise<MintedToken> {
    const { additions } = this.#given;
    return additions.isEmpty ? make() : additions.addedTo(make, asked);
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
      .sign(id, Object.assign({}, record, { sub, username }, this.#factsOf(subject)))
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
      if (isDerived(token)) {
        const read = await readDerived(token, [keys.token(token), TOKEN], this.#given.records);
        [found, grant] = [read?.own, read?.grant];
      } else if (grantId === undefined) found = await this.#given.records.get(keys.token(token), TOKEN);
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
    const id = jti ?? token;
    if ((jkt !== undefined) !== isMarkedAsBound(id)) return undefined;
    const isOfOthers = isDerived(id);
    const allowed = !isOfOthers || areStillAllowed(found, id, this.#given.clients);
    if (!(allowed instanceof Promise ? await allowed : allowed)) return undefined;
    const known = this.#given.clients.find(found.client_id);
    const client = known instanceof Promise ? await known : known;
    if (client === undefined || !isValidStill(client, (isOfOthers ? undefined : grant) ?? found)) return undefined;
    const subject = grant ?? subjectOf(found);
    const { sub, username } = subject;
    if (grant?.name !== undefined && found.grant !== null) this.#given.uses.record(found.grant, found.exp);
    const { client_id, scope, aud, iat, exp, from, act } = found;
    const live = { client_id, scope, aud, iat, exp, grant: found.grant, sub, username };
    if (jkt !== undefined) Object.assign(live, { jkt });
    if (isOfOthers || act !== undefined) Object.assign(live, defined({ from, act }));
    if (found.claims !== undefined || this.#given.additions.hasClaims)
      Object.assign(live, { claims: found.claims ?? {} });
    if (this.#given.keepsSignIn) Object.assign(live, this.#factsOf(subject));
    return jti === undefined ? live : Object.assign(live, { jti });
  }

  /** The signature proves the issuer; the store knows whether the token or its grant was revoked. */
  async #findJwt(
    token: string,
  ): Promise<readonly [jti?: string, record?: TokenRecord, grant?: GrantRecord | undefined]> {
    const verified = await this.#given.jwt?.verify(token);
    if (verified === undefined) return [];
    const { jti, record } = verified;
    if (isDerived(jti)) {
      const read = await readDerived(jti, [keys.revoked(jti), MARK], this.#given.records);
      return read === undefined || read.own !== undefined ? [] : [jti, record, read.grant];
    }
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
    emit?.({ type: 'token.revoked', client_id: live.client_id, ...(live.grant !== null && { grant_id: live.grant }) });
  }
}
