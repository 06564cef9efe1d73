import { UnavailableError } from '../../base/errors.js';
import { PERSONAL_TOKENS } from '../../base/personal-tokens.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import { formatScope, parseScope } from '../../base/scope.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { shownName } from '../clients/client-metadata.js';
import type { Emit } from '../events/events.js';
import { LIMITS } from '../facts/limits.js';
import type { Owner } from '../records/owner.js';
import { type ConsentDecisionRecord, grantIdInKey, groups, keys } from '../records/stored-records.js';
import { isGrantId } from '../records/token-id.js';
import { MAX_SESSION_LIFETIME } from '../sign-in/owner-sessions.js';
import {
  type CreateGrant,
  type Grant,
  type Issuance,
  type KnownGrant,
  type NewGrant,
  type RevocationReason,
  wholeOf,
} from '../tokens/grant.js';
import type { MintedToken } from '../tokens/token-response.js';
import { readGrants, type ReadServices } from './listed-grants.js';

/** A personal token. Times are in seconds since the epoch. */
interface PersonalToken {
  /** Its grant. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created: number | undefined;
  readonly lastUsed: number | undefined;
  readonly expires: number;
}

const DAY = 86_400;

/** Entries read together. Those of revoked tokens stay until the tokens would have expired. */
const PAGE = 500;

/** What an owner wants of a token. */
interface WantedToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
  /** The form: a second press of its button creates no second token. */
  readonly form: string;
}

/** What {@link PersonalTokens} depend on. */
interface PersonalTokenDependencies extends ReadServices {
  readonly clients: ClientFinder;
  readonly resources: { readonly names: readonly string[] };
  readonly configuredIssuer: string | undefined;
  readonly clock: Clock;
  readonly tokens: {
    /** Seconds since the epoch. */
    now(): number;
    readonly newGrant: CreateGrant;
    mint(issue: Issuance): MaybePromise<MintedToken>;
    save(minted: MintedToken): MaybePromise<void>;
    saveGrant(grant: NewGrant, emit: Emit | undefined): Promise<Grant>;
    revokeGrant(grant: KnownGrant, why: RevocationReason, emit: Emit | undefined): Promise<void>;
  };
}

/** The personal tokens of owners. */
export class PersonalTokens {
  readonly #given: PersonalTokenDependencies;

  constructor(given: PersonalTokenDependencies) {
    this.#given = given;
  }

  /** How many an owner may have. */
  get limit(): number {
    return LIMITS.personalTokens;
  }

  /** A name as pages show it; empty if nothing of it is visible, `undefined` if it is too long. */
  shownName(typed: string): string | undefined {
    return shownName(typed);
  }

  /** The scopes that a token may have. */
  async scopes(): Promise<readonly string[]> {
    const client = await this.#given.clients.find(PERSONAL_TOKENS);
    return [...(client?.scopes ?? [])];
  }

  /** The personal tokens of an owner, the newest first. */
  async list(sub: string): Promise<readonly PersonalToken[]> {
    const all: PersonalToken[] = [];
    let after: string | undefined;
    do {
      const page = await this.#given.records.list(groups.tokensOfOwner(sub), { after, limit: PAGE });
      if (page.keys.length > 0) all.push(...(await this.#read(sub, page.keys.map(grantIdInKey))));
      after = page.next;
    } while (after !== undefined && all.length < LIMITS.personalTokens);
    return all.toSorted((a, b) => (b.created ?? 0) - (a.created ?? 0));
  }

  /** A token of this owner. */
  async find(sub: string, id: string): Promise<PersonalToken | undefined> {
    return isGrantId(id) ? (await this.#read(sub, [id]))[0] : undefined;
  }

  /** The live ones of these grants that are personal tokens of this owner. */
  async #read(sub: string, ids: readonly string[]): Promise<readonly PersonalToken[]> {
    const found = await readGrants(ids, this.#given);
    return found
      .map(({ summary }) => summary)
      .filter((grant) => grant.sub === sub && grant.client_id === PERSONAL_TOKENS)
      .map(({ grant_id, name = '', scope, created, last_refreshed, expires }) => ({
        id: grant_id,
        name,
        scopes: parseScope(scope) ?? [],
        created,
        lastUsed: last_refreshed,
        expires,
      }));
  }

  /**
   * Creates a token, valid for everything that this server protects.
   *
   * @returns the token, which is not stored, and its grant; `undefined` if this form has created one before.
   */
  async create(
    owner: Owner,
    { name, scopes, days, form }: WantedToken,
    emit: Emit | undefined,
  ): Promise<(Pick<Grant, 'id' | 'exp'> & { readonly token: string }) | undefined> {
    const { clients, resources, configuredIssuer: issuer, tokens, clock, records } = this.#given;
    const client = await clients.find(PERSONAL_TOKENS);
    if (client === undefined) throw new UnavailableError('The client of personal tokens is missing.');
    const { names } = resources;
    const aud = names.length === 0 || issuer === undefined ? names : [...new Set([issuer, ...names])];
    const grant_type = 'personal_token';
    const made = await tokens.newGrant(client, owner, formatScope(scopes), aud, { grant_type, name });
    const { id, scope } = made;
    const grant = { ...made, exp: tokens.now() + days * DAY };
    const minted = await tokens.mint(wholeOf(grant, client));
    // Of its own, so that the form stays used when the token has ended, as long as the session lives that it was shown in.
    const exp = Math.max(grant.exp, tokens.now() + MAX_SESSION_LIFETIME);
    const used: ConsentDecisionRecord = { decision: 'approve', grant: id, by: '', at_ms: clock(), exp };
    if (!(await records.add(keys.consentDecision(form), used))) return undefined;
    await Promise.all([tokens.save(minted), tokens.saveGrant(grant, emit)]);
    emit?.({ type: 'token.issued', grant_type, client_id: PERSONAL_TOKENS, sub: owner.sub, scope, grant_id: id });
    return { token: minted.response.access_token, id, exp: grant.exp };
  }

  /** Revokes one token of an owner. */
  end(sub: string, { id, expires }: PersonalToken, emit: Emit | undefined): Promise<void> {
    const grant = { id, exp: expires, client_id: PERSONAL_TOKENS, sub };
    return this.#given.tokens.revokeGrant(grant, { reason: 'owner', by: sub }, emit);
  }

  /** Revokes a token that was created for nobody: its owner was signed out meanwhile. */
  discard(grant: Pick<Grant, 'id' | 'exp'>, emit: Emit | undefined): Promise<void> {
    return this.#given.tokens.revokeGrant(grant, { reason: 'unused' }, emit);
  }
}
