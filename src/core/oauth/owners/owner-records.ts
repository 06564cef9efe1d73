import { defined } from '../../base/defined.js';
import type { OwnerData } from '../kernel/hooks.js';
import type { SignInFacts } from '../records/owner.js';
import { groups, REMEMBERED_CONSENT } from '../records/stored-records.js';
import { type GrantSummary, pageOfGrants, type ReadServices } from './listed-grants.js';
import { connectionsIn, pagesOf } from './pages-of.js';

/** A stored grant, including one its client never redeemed. */
interface OwnerGrantRecord extends GrantSummary, SignInFacts {
  /** The type of record. */
  readonly type: 'grant';
  /** Whether its client has redeemed it. */
  readonly redeemed: boolean;
}

/** A remembered approval, because of which its owner is not asked again. */
interface OwnerConsentRecord {
  /** The type of record. */
  readonly type: 'consent';
  /** The client that was approved. */
  readonly client_id: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** Single claims that it covers in addition. */
  readonly claims?: readonly string[];
  /** The resources it covers (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** A connected application: on this record, all grants of the owner for it depend. */
interface OwnerConnectionRecord {
  /** The type of record. */
  readonly type: 'connection';
  /** The client. */
  readonly client_id: string;
  /** Everything that was granted since it was connected, separated by spaces. */
  readonly scope: string;
  /** The resources (RFC 8707); empty for the issuer itself. */
  readonly resource: readonly string[];
  /** Seconds since the epoch. */
  readonly created: number;
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** A record of a feature. */
interface OwnerFeatureRecord {
  /** The type of record. */
  readonly type: 'feature';
  /** The name of the feature. */
  readonly feature: string;
  /** What it stores. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** One record of what the server stores about an owner, as plain JSON data. */
export type OwnerRecord = OwnerConnectionRecord | OwnerGrantRecord | OwnerConsentRecord | OwnerFeatureRecord;

const PAGE = 100;

/** Everything the server stores about an owner, except hashes. */
export async function* recordsOf(
  sub: string,
  services: ReadServices & { readonly hooks: { readonly ownerData?: readonly OwnerData[] } },
): AsyncGenerator<OwnerRecord, void> {
  for await (const connections of connectionsIn(groups.connectionsOfOwner(sub), services)) {
    for (const [, { client_id, scope, aud, iat, exp }] of connections)
      yield { type: 'connection', client_id, scope, resource: aud, created: iat, expires: exp };
  }
  let after: string | undefined;
  do {
    const page = await pageOfGrants({ sub }, { after, limit: PAGE }, services);
    for (const { summary, redeemed, facts } of page.found) yield { type: 'grant', ...summary, redeemed, ...facts };
    after = page.next;
  } while (after !== undefined);
  for await (const consents of pagesOf(groups.consentsOfOwner(sub), REMEMBERED_CONSENT, services)) {
    for (const [, { client_id, scope, claims, aud, exp }] of consents)
      yield { type: 'consent', client_id, scope, ...defined({ claims }), resource: aud, expires: exp };
  }
  for (const { feature, exportOwner } of services.hooks.ownerData ?? [])
    for await (const data of exportOwner?.(sub) ?? []) yield { type: 'feature', feature, data };
}
