import type { ExpiringRecord, Wanted } from '../../base/records.js';
import { hasShape } from '../../base/records.js';
import { parseScope } from '../../base/scope.js';
import { DEVICE_CODE_GRANT } from '../clients/client.js';
import type { OAuthContext } from '../context.js';
import { GRANT, grantIdInKey, groups, keys, MARK, REFRESHED } from '../stored-records.js';
import type { Grant } from '../tokens/tokens.js';

/** Selects the grants of an owner or of a client. */
export type GrantsOf =
  | {
      /** The owner of the grants. */
      readonly sub: string;
    }
  | {
      /** The client of the grants. */
      readonly client_id: string;
    };

/** Selects a page of a list. */
export interface GrantPageRequest {
  /** The `next` of the previous page; absent for the first page. */
  readonly after?: string | undefined;
  /** Number of entries examined for a page, 1 to 500; default 50. */
  readonly limit?: number | undefined;
}

/** A live grant. Times are in seconds since the epoch. */
export interface GrantSummary {
  /** For `grants.revoke`. */
  readonly grant_id: string;
  /** The client it was granted to. */
  readonly client_id: string;
  /** The owner who granted it. */
  readonly sub: string;
  /** Their user name, if known. */
  readonly username?: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The resources of its tokens (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** The time it was granted. */
  readonly created?: number;
  /** The time at which everything issued under it expires. */
  readonly expires: number;
  /** The time of the last refresh, accurate to the hour; absent if it was never refreshed. */
  readonly last_refreshed?: number;
  /** The grant type: `authorization_code`, `implicit`, `password`, the name of the device grant or of one of `customGrants`. */
  readonly grant_type?: string;
  /** Whether the owner was not asked, because an earlier approval was remembered. */
  readonly silent: boolean;
}

/** One page of grants. */
export interface GrantPage {
  /** In no particular order. Before the last page there may be fewer than `limit`, even none: ended grants are skipped. */
  readonly grants: readonly GrantSummary[];
  /** Where the next page begins; absent on the last page. */
  readonly next?: string;
}

/** A connected application: all its grants from one owner. Times are in seconds since the epoch. */
export interface ConnectedApp {
  /** For `grants.revoke`, together with the `sub`. */
  readonly client_id: string;
  /** Its `client_name`, or its `client_id`. */
  readonly client_name: string;
  /** All granted scopes, separated by spaces. */
  readonly scope: string;
  /** All resources of its tokens (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** The time of its oldest live grant. */
  readonly created?: number;
  /** The time of the last grant or refresh, accurate to the hour. */
  readonly last_used?: number;
  /** The time at which its last grant expires. */
  readonly expires: number;
  /** The number of its grants. */
  readonly grants: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Per owner. Owners have fewer applications, but one application may have signed its owner in very often. */
const MAX_PAGES = 20;

/** Unredeemed grants give no access and expire soon. */
const AWAITING_REDEMPTION: ReadonlySet<string | undefined> = new Set([
  'authorization_code',
  DEVICE_CODE_GRANT,
  undefined,
]);

/** A live grant, and whether its client has redeemed it. */
interface FoundGrant {
  readonly summary: GrantSummary;
  readonly redeemed: boolean;
}

/** The live ones among these grants, with all records read in one command. */
const readGrants = async (ids: readonly string[], { records }: OAuthContext): Promise<readonly FoundGrant[]> => {
  const wanted = ids.flatMap((id): readonly Wanted<ExpiringRecord>[] => [
    [keys.grant(id), GRANT],
    [keys.spent(id, 0), MARK],
    [keys.refreshed(id), REFRESHED],
  ]);
  const found: readonly (ExpiringRecord | undefined)[] = await records.getEach(...wanted);
  return ids.flatMap((id, at) => {
    const [grant, taken, refreshed] = found.slice(at * 3, at * 3 + 3);
    if (!hasShape(grant, GRANT)) return [];
    const summary = summaryOf({ id, ...grant }, hasShape(refreshed, REFRESHED) ? refreshed.at_ms : undefined);
    return [{ summary, redeemed: taken !== undefined || !AWAITING_REDEMPTION.has(grant.grant_type) }];
  });
};

const summaryOf = (grant: Grant, refreshed: number | undefined): GrantSummary => ({
  grant_id: grant.id,
  client_id: grant.client_id,
  sub: grant.sub,
  ...(grant.username === null ? {} : { username: grant.username }),
  scope: grant.scope,
  resource: grant.aud,
  ...(grant.iat === undefined ? {} : { created: grant.iat }),
  expires: grant.exp,
  ...(refreshed === undefined ? {} : { last_refreshed: Math.floor(refreshed / 1000) }),
  ...(grant.grant_type === undefined ? {} : { grant_type: grant.grant_type }),
  silent: grant.silent ?? false,
});

/** One page of the grants of an owner or a client: two store commands, one after the other. */
export const pageOfGrants = async (
  of: GrantsOf,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  context: OAuthContext,
): Promise<{ readonly found: readonly FoundGrant[]; readonly next: string | undefined }> => {
  const group = 'sub' in of ? groups.grantsOfOwner(of.sub) : groups.grantsOfClient(of.client_id);
  const page = await context.records.list(group, { after, limit });
  const found = page.keys.length === 0 ? [] : await readGrants(page.keys.map(grantIdInKey), context);
  return { found, next: page.next };
};

/** The redeemed grants of a page: unredeemed ones give no access. */
export const listGrants = async (
  of: GrantsOf,
  { after, limit = DEFAULT_LIMIT }: GrantPageRequest,
  context: OAuthContext,
): Promise<GrantPage> => {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new TypeError(`grants.list: limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  const { found, next } = await pageOfGrants(of, { after, limit }, context);
  const grants = found.filter(({ redeemed }) => redeemed).map(({ summary }) => summary);
  return next === undefined ? { grants } : { grants, next };
};

/** The applications of an owner, sorted by name. */
export const connectedApps = async (sub: string, context: OAuthContext): Promise<readonly ConnectedApp[]> => {
  const byClient = new Map<string, GrantSummary[]>();
  let after: string | undefined;
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const { grants, next } = await listGrants({ sub }, { after, limit: MAX_LIMIT }, context);
    for (const grant of grants) {
      const others = byClient.get(grant.client_id);
      if (others === undefined) byClient.set(grant.client_id, [grant]);
      else others.push(grant);
    }
    if (next === undefined) break;
    after = next;
  }
  const apps = await Promise.all(
    [...byClient].map(async ([client_id, grants]): Promise<ConnectedApp> => {
      const client = await context.config.clients.find(client_id);
      return appOf(client_id, client?.name ?? client_id, grants);
    }),
  );
  return apps.toSorted((a, b) => (a.client_name < b.client_name ? -1 : 1));
};

const appOf = (client_id: string, client_name: string, grants: readonly GrantSummary[]): ConnectedApp => {
  const created = grants.flatMap((grant) => grant.created ?? []);
  const used = [...created, ...grants.flatMap((grant) => grant.last_refreshed ?? [])];
  return {
    client_id,
    client_name,
    scope: [...new Set(grants.flatMap(({ scope }) => parseScope(scope) ?? []))].join(' '),
    resource: [...new Set(grants.flatMap(({ resource }) => resource))],
    ...(created.length === 0 ? {} : { created: least(created) }),
    ...(used.length === 0 ? {} : { last_used: -least(used.map((time) => -time)) }),
    expires: -least(grants.map(({ expires }) => -expires)),
    grants: grants.length,
  };
};

/** Without spreading into arguments, of which there may be thousands. */
const least = (times: readonly number[]): number => times.reduce((one, other) => Math.min(one, other), Infinity);
