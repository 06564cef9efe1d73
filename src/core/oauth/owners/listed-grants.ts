import { defined } from '../../base/defined.js';
import { mistake } from '../../base/mistakes.js';
import { type ExpiringRecord, hasShape, type KeyAndShape, type Records } from '../../base/records.js';
import { parseScope } from '../../base/scope.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, REDEEMED_GRANTS } from '../clients/client.js';
import { CHAIN, type ChainRecord, lastRotation } from '../records/chain-record.js';
import { type SignInFacts, signInFacts } from '../records/owner.js';
import { CONNECTION, GRANT, grantIdInKey, groups, keys, liveGrant } from '../records/stored-records.js';
import type { Grant } from '../tokens/grant.js';
import { connectionsIn } from './pages-of.js';

/** Selects the grants of an owner, of a client, or of an issuer. */
export type GrantsOf =
  | {
      /** The owner of the grants. */
      readonly sub: string;
    }
  | {
      /** The client of the grants. */
      readonly client_id: string;
    }
  | {
      /** The issuer of `assertions()` that vouched for their owners. */
      readonly issuer: string;
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
  /** Single claims that were granted in addition to the scopes (OpenID Connect Core 1.0 §5.5): names. Absent if there are none. */
  readonly claims?: readonly string[];
  /** The resources of its tokens (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** The time it was granted. */
  readonly created?: number;
  /** The time at which everything issued under it expires. */
  readonly expires: number;
  /** The time of the last refresh, accurate to the hour if its token is not rotated, or of the last use of a personal token; absent if there was none. */
  readonly last_refreshed?: number;
  /** The grant type, such as `authorization_code`, `password` or the URI of another; or `issue` or `personal_token`. */
  readonly grant_type?: string;
  /** Whether the owner was not asked: an earlier approval was remembered, the client skips the question, or another issuer vouched. */
  readonly silent: boolean;
  /** The name of a personal token. */
  readonly name?: string;
  /** The server that vouched for the owner, if it was another one. */
  readonly issuer?: string;
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
  /** All single claims that were granted in addition to the scopes; absent if there are none, or if the owner has more than 2,000 grants. */
  readonly claims?: readonly string[];
  /** All resources of its tokens (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** The time of its oldest live grant. */
  readonly created?: number;
  /** The time of the last grant or refresh, accurate to the hour; absent if the owner has more than 2,000 grants. */
  readonly last_used?: number;
  /** The time at which its last grant expires, or a later one if the owner has more than 2,000 grants. */
  readonly expires: number;
  /** The number of its grants; absent if the owner has more than 2,000. */
  readonly grants?: number;
  /** The servers that vouched for the owner; absent if there are none, or if the owner has more than 2,000 grants. */
  readonly issuers?: readonly string[];
  /** Whether some of its grants are of the owner, and not of an issuer. Absent without issuers. */
  readonly own?: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Per owner. Most have few grants, but one application may have signed its owner in very often. */
const MAX_PAGES = 4;

/** Unredeemed grants give no access and expire soon. */
const AWAITING_REDEMPTION: ReadonlySet<string | undefined> = new Set([...REDEEMED_GRANTS, undefined]);

/** A live grant, and whether its client has redeemed it. */
interface FoundGrant {
  readonly summary: GrantSummary;
  readonly redeemed: boolean;
  readonly facts: SignInFacts;
}

/** What grants are read from. */
export interface ReadServices {
  readonly records: Records;
}

/** What lists of applications are made of. */
export interface ListServices extends ReadServices {
  readonly clients: ClientFinder;
}

/** The live ones among these grants, with all records read in one command. */
export const readGrants = async (
  ids: readonly string[],
  { records: store }: ReadServices,
): Promise<readonly FoundGrant[]> => {
  const connections = [...new Set(ids.map(keys.connectionOf))];
  const wanted = [
    ...ids.flatMap((id): readonly KeyAndShape<ExpiringRecord>[] => [
      [keys.grant(id), GRANT],
      [keys.chain(id), CHAIN],
    ]),
    ...connections.map((key): KeyAndShape<ExpiringRecord> => [key, CONNECTION]),
  ];
  const records: readonly (ExpiringRecord | undefined)[] = await store.getEach(...wanted);
  const byKey = new Map(connections.map((key, at) => [key, records[2 * ids.length + at]]));
  return ids.flatMap((id, at) => {
    const [given, found] = records.slice(at * 2, at * 2 + 2);
    const connection = byKey.get(keys.connectionOf(id));
    if (!hasShape(given, GRANT) || !hasShape(connection, CONNECTION)) return [];
    const grant = liveGrant(given, connection);
    if (grant === undefined) return [];
    const chain = hasShape(found, CHAIN) ? found : undefined;
    const redeemed = (chain !== undefined && chain.taken !== null) || !AWAITING_REDEMPTION.has(grant.grant_type);
    return [{ summary: summaryOf({ id, ...grant }, lastRefreshOf(chain)), redeemed, facts: signInFacts(grant) }];
  });
};

/** Milliseconds since the epoch. */
const lastRefreshOf = (chain: ChainRecord | undefined): number | undefined => {
  if (chain === undefined) return undefined;
  return Math.max(lastRotation(chain) ?? 0, chain.used_ms ?? 0) || undefined;
};

const summaryOf = (grant: Grant, refreshed: number | undefined): GrantSummary => ({
  grant_id: grant.id,
  client_id: grant.client_id,
  sub: grant.sub,
  ...defined({ username: grant.username ?? undefined }),
  scope: grant.scope,
  ...claimsIn([grant.claims?.names]),
  resource: grant.aud,
  ...defined({ created: grant.iat }),
  expires: grant.exp,
  ...defined({ last_refreshed: refreshed && Math.floor(refreshed / 1000), grant_type: grant.grant_type }),
  silent: grant.silent ?? false,
  ...defined({ name: grant.name, issuer: grant.issuer }),
});

/** Each once; nothing if there are none. */
const claimsIn = (all: readonly (readonly string[] | undefined)[]): Pick<GrantSummary, 'claims'> => {
  const claims = [...new Set(all.flatMap((names) => names ?? []))];
  return claims.length === 0 ? {} : { claims };
};

const groupOf = (of: GrantsOf): string => {
  if ('sub' in of) return groups.grantsOfOwner(of.sub);
  return 'issuer' in of ? groups.grantsOfIssuer(of.issuer) : groups.grantsOfClient(of.client_id);
};

/** One page of the grants of an owner, a client or an issuer: two store commands, one after the other. */
export const pageOfGrants = async (
  of: GrantsOf,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  services: ReadServices,
): Promise<{ readonly found: readonly FoundGrant[]; readonly next: string | undefined }> => {
  const page = await services.records.list(groupOf(of), { after, limit });
  const found = page.keys.length === 0 ? [] : await readGrants(page.keys.map(grantIdInKey), services);
  return { found, next: page.next };
};

/** The redeemed grants of a page: unredeemed ones give no access. */
export const listGrants = async (
  of: GrantsOf,
  { after, limit = DEFAULT_LIMIT }: GrantPageRequest,
  services: ReadServices,
): Promise<GrantPage> => {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw mistake(`grants.list: limit must be a whole number from 1 to ${MAX_LIMIT}.`, 'OQ100');
  const { found, next } = await pageOfGrants(of, { after, limit }, services);
  const grants = found.filter(({ redeemed }) => redeemed).map(({ summary }) => summary);
  return next === undefined ? { grants } : { grants, next };
};

/** What a row is about: grants, or connections. */
type Part = Pick<
  GrantSummary,
  'client_id' | 'scope' | 'claims' | 'resource' | 'created' | 'expires' | 'last_refreshed' | 'issuer'
>;

/** A connected application with its registration, if there still is one. */
export interface FoundApp {
  readonly app: ConnectedApp;
  readonly client: Client | undefined;
}

/** The applications of an owner, sorted by name. */
export const appsOf = async (sub: string, services: ListServices): Promise<readonly FoundApp[]> => {
  const grants = await allGrants(sub, services);
  const byClient = new Map<string, Part[]>();
  for (const part of grants ?? (await connectionsOf(sub, services))) {
    const ofClient = byClient.get(part.client_id) ?? [];
    if (ofClient.push(part) === 1) byClient.set(part.client_id, ofClient);
  }
  const apps = await Promise.all(
    [...byClient].map(async ([client_id, parts]): Promise<FoundApp> => {
      const client = await services.clients.find(client_id);
      const app = { client_id, client_name: client?.name ?? client_id, ...summaryOfParts(parts) };
      const found =
        grants === undefined ? app : { ...app, ...lastUseOf(parts), ...issuersOf(parts), grants: parts.length };
      return { app: found, client };
    }),
  );
  return apps.toSorted((a, b) => (a.app.client_name < b.app.client_name ? -1 : 1));
};

/** `undefined` if there are too many to read for one response. */
const allGrants = async (sub: string, services: ReadServices): Promise<readonly GrantSummary[] | undefined> => {
  const all: GrantSummary[] = [];
  let after: string | undefined;
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const { grants, next } = await listGrants({ sub }, { after, limit: MAX_LIMIT }, services);
    for (const grant of grants) all.push(grant);
    if (next === undefined) return all;
    after = next;
  }
  return undefined;
};

/** Of which there is one for each application, however many grants it has. */
const connectionsOf = async (sub: string, services: ReadServices): Promise<readonly Part[]> => {
  const parts: Part[] = [];
  for await (const page of connectionsIn(groups.connectionsOfOwner(sub), services)) {
    for (const [, { client_id, scope, aud, iat, exp }] of page)
      parts.push({ client_id, scope, resource: aud, created: iat, expires: exp });
  }
  return parts;
};

const summaryOfParts = (parts: readonly Part[]): Omit<Part, 'client_id' | 'last_refreshed' | 'issuer'> => {
  const created = parts.flatMap((part) => part.created ?? []);
  return {
    scope: [...new Set(parts.flatMap(({ scope }) => parseScope(scope) ?? []))].join(' '),
    ...claimsIn(parts.map(({ claims }) => claims)),
    resource: [...new Set(parts.flatMap(({ resource }) => resource))],
    ...(created.length === 0 ? {} : { created: earliest(created) }),
    expires: latest(parts.map(({ expires }) => expires)),
  };
};

const lastUseOf = (parts: readonly Part[]): Pick<ConnectedApp, 'last_used'> => {
  const used = parts.flatMap(({ created, last_refreshed }) => [created ?? [], last_refreshed ?? []].flat());
  return used.length === 0 ? {} : { last_used: latest(used) };
};

const issuersOf = (parts: readonly Part[]): Pick<ConnectedApp, 'issuers' | 'own'> => {
  const issuers = [...new Set(parts.flatMap(({ issuer }) => issuer ?? []))];
  return issuers.length === 0 ? {} : { issuers, own: parts.some(({ issuer }) => issuer === undefined) };
};

// Without spreading into arguments, of which there may be thousands.
const earliest = (times: readonly number[]): number => times.reduce((one, other) => Math.min(one, other), Infinity);
const latest = (times: readonly number[]): number => times.reduce((one, other) => Math.max(one, other), -Infinity);
