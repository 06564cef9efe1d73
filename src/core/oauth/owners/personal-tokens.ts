import { UnavailableError } from '../../base/errors.js';
import { formatScope, parseScope } from '../../base/scope.js';
import { DAY, PERSONAL_TOKENS } from '../clients/personal-client.js';
import { LIMITS } from '../facts/limits.js';
import type { OAuthContext } from '../kernel/context.js';
import type { Owner } from '../records/owner.js';
import { type ConsentDecisionRecord, grantIdInKey, groups, keys } from '../records/stored-records.js';
import { isGrantId } from '../records/token-id.js';
import { type Grant, wholeOf } from '../tokens/tokens.js';
import { readGrants } from './listed-grants.js';

/** A personal token. Times are in seconds since the epoch. */
export interface PersonalToken {
  /** Its grant. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created: number | undefined;
  readonly lastUsed: number | undefined;
  readonly expires: number;
}

/** Entries read together. Those of revoked tokens stay until the tokens would have expired. */
const PAGE = 500;

/** The personal tokens of an owner, the newest first. */
export const personalTokens = async (sub: string, context: OAuthContext): Promise<readonly PersonalToken[]> => {
  const all: PersonalToken[] = [];
  let after: string | undefined;
  do {
    const page = await context.records.list(groups.tokensOfOwner(sub), { after, limit: PAGE });
    if (page.keys.length > 0) all.push(...(await readTokens(sub, page.keys.map(grantIdInKey), context)));
    after = page.next;
  } while (after !== undefined && all.length < LIMITS.personalTokens);
  return all.toSorted((a, b) => (b.created ?? 0) - (a.created ?? 0));
};

/** The live ones of these grants that are personal tokens of this owner. */
const readTokens = async (
  sub: string,
  ids: readonly string[],
  context: OAuthContext,
): Promise<readonly PersonalToken[]> => {
  const found = await readGrants(ids, context);
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
};

/** What an owner wants of a token. */
export interface WantedToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
  /** The form: a second press of its button creates no second token. */
  readonly form: string;
}

/**
 * Creates a token, valid for everything that this server protects.
 *
 * @returns the token, which is not stored, and its grant; `undefined` if this form has created one before.
 */
export const createPersonalToken = async (
  owner: Owner,
  { name, scopes, days, form }: WantedToken,
  context: OAuthContext,
): Promise<(Pick<Grant, 'id' | 'exp'> & { readonly token: string }) | undefined> => {
  const { config, tokens, emit } = context;
  const client = await config.clients.find(PERSONAL_TOKENS);
  if (client === undefined) throw new UnavailableError('The client of personal tokens is missing.');
  const { names } = config.resources;
  const aud = names.length === 0 || config.issuer === undefined ? names : [...new Set([config.issuer, ...names])];
  const origin = { grant_type: 'personal_token', name };
  const made = await tokens.newGrant(client, owner, formatScope(scopes), aud, origin);
  const { id } = made;
  const grant = { ...made, exp: tokens.now() + days * DAY };
  // Of its own, so that the form stays used when the token has ended: a grant with the same id would revive it.
  const used = { decision: 'approve', grant: id, by: '', at_ms: context.clock(), exp: grant.exp } as const;
  if (!(await context.records.add<ConsentDecisionRecord>(keys.consentDecision(form), used))) return undefined;
  const [{ access_token }] = await Promise.all([tokens.issue(wholeOf(grant, client)), tokens.saveGrant(grant, emit)]);
  emit?.({
    type: 'token.issued',
    grant_type: origin.grant_type,
    client_id: PERSONAL_TOKENS,
    sub: owner.sub,
    scope: grant.scope,
    grant_id: grant.id,
  });
  return { token: access_token, id, exp: grant.exp };
};

/** A token of this owner. */
export const findPersonalToken = async (
  sub: string,
  id: string,
  context: OAuthContext,
): Promise<PersonalToken | undefined> => (isGrantId(id) ? (await readTokens(sub, [id], context))[0] : undefined);

/** Revokes one token of an owner. */
export const endPersonalToken = (sub: string, { id, expires }: PersonalToken, context: OAuthContext): Promise<void> =>
  context.tokens.revokeGrant(
    { id, exp: expires, client_id: PERSONAL_TOKENS, sub },
    { reason: 'owner', by: sub },
    context.emit,
  );
