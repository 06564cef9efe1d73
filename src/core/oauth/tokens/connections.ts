import { UnavailableError } from '../../base/errors.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { formatScope, isSubset, parseScope } from '../../base/scope.js';
import { keyedHash, type RandomSource } from '../../base/secrets.js';
import {
  CONNECTION,
  type ConnectionRecord,
  endedConnection,
  type GrantRecord,
  groups,
  keys,
} from '../records/stored-records.js';
import { CONNECTION_ID_LENGTH, TOKEN_BYTES } from '../records/token-id.js';
import type { Connection } from './grant.js';

/** A lost race is repeated, but not for ever. */
const ATTEMPTS = 20;

/** A connection that has not ended. */
const live = (record: ConnectionRecord | undefined): ConnectionRecord | undefined =>
  record?.ended === true ? undefined : record;

const changedTooOften = (): UnavailableError =>
  new UnavailableError('A connection was changed too often at the same moment.');

/** What {@link Connections} depend on. */
interface ConnectionDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** Derived from the current secret and from older ones. Without them, a token would show whether it is of a certain owner. */
  readonly connectionKeys: readonly string[];
  /** Seconds for which a connection lives at least, because an approval may be remembered for so long. */
  readonly lifetimes: { readonly rememberedConsent: number };
}

/**
 * An owner's connection to a client is one record, on which all grants of this owner for this client depend: they are valid only while it
 * has the generation they were created in. So another generation revokes any number of them at once, in every process, also one that is being
 * created at the same moment. What has ended stays, so that no command that is carried out late brings back an older one, and the command that
 * ends it is a swap, which ends nothing newer.
 */
export class Connections {
  readonly #given: ConnectionDependencies;

  constructor(given: ConnectionDependencies) {
    this.#given = given;
  }

  /** A connection that began under an older secret stays where it is. */
  find(sub: string, client_id: string): Promise<Connection> {
    const { records, connectionKeys } = this.#given;
    const pair = JSON.stringify([sub, client_id]);
    const ids = connectionKeys.map((key) => keyedHash(key, pair).slice(0, CONNECTION_ID_LENGTH));
    return records.getMany(ids.map(keys.connection), CONNECTION).then((found) => {
      const at = found.findIndex((record) => live(record) !== undefined);
      return { id: ids[Math.max(at, 0)] ?? '', record: found[Math.max(at, 0)] };
    });
  }

  /** Whether a connection has not ended: then all its grants have its generation. */
  isLive({ record }: Connection): boolean {
    return live(record) !== undefined;
  }

  /** The generation of a new grant: that of the connection, or one that no grant has. */
  generationFor({ record }: Connection): string {
    return live(record)?.generation ?? this.#newGeneration();
  }

  #newGeneration(): string {
    return this.#given.random.string(TOKEN_BYTES.generation);
  }

  /** Ends a connection, and every grant that depends on it. One that has begun again meanwhile stays. */
  async end(key: string, connection: ConnectionRecord): Promise<void> {
    const { records, random } = this.#given;
    let known = connection;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const end = endedConnection(known, { rev: random.rev(), generation: this.#newGeneration() });
      if (await records.swap(key, known.rev, end)) return;
      const now = await records.get(key, CONNECTION);
      if (now === undefined || now.generation !== connection.generation) return;
      known = now;
    }
    throw changedTooOften();
  }

  /**
   * Writes a connection for a grant that is written next, or makes an existing one last as long as the grant.
   *
   * @returns the generation of the connection: that of the grant, unless another request has connected them meanwhile.
   */
  keep({ id, record }: Connection, grant: GrantRecord): MaybePromise<string> {
    const known = live(record);
    return known !== undefined && this.#covers(known, grant) ? known.generation : this.#write(id, record, grant);
  }

  async #write(id: string, record: ConnectionRecord | undefined, grant: GrantRecord): Promise<string> {
    const { records, random } = this.#given;
    const { sub, client_id, connection: generation } = grant;
    const key = keys.connection(id);
    let known = record;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = live(known);
      if (before !== undefined && this.#covers(before, grant)) return before.generation;
      const all = this.#including(grant, before, known?.exp);
      // Copies all members, because a newer version may write more of them.
      const next = { ...before, ...all, rev: random.rev(), generation: before?.generation ?? generation };
      const listedIn = [groups.connectionsOfOwner(sub), groups.connectionsOfClient(client_id)];
      const isWritten = await (known === undefined
        ? records.add(key, next, listedIn)
        : records.swap(key, known.rev, next, listedIn));
      if (isWritten) return next.generation;
      known = await records.get(key, CONNECTION);
      // Disconnected meanwhile, which has ended this grant too.
      if (before !== undefined && known?.generation !== before.generation) return generation;
    }
    throw changedTooOften();
  }

  #end({ exp }: GrantRecord): number {
    const { clock, lifetimes } = this.#given;
    return Math.max(exp, Math.ceil(clock() / 1000) + lifetimes.rememberedConsent);
  }

  #covers({ exp, scope, aud, listed = false }: ConnectionRecord, grant: GrantRecord): boolean {
    return (
      listed &&
      exp >= this.#end(grant) &&
      isSubset(parseScope(grant.scope) ?? [], parseScope(scope) ?? []) &&
      isSubset(grant.aud, aud)
    );
  }

  /** @param until - How long what is there must be outlived. */
  #including(
    grant: GrantRecord,
    known: ConnectionRecord | undefined,
    until = 0,
  ): Omit<ConnectionRecord, 'rev' | 'generation'> {
    const { client_id, iat = Math.floor(this.#given.clock() / 1000) } = grant;
    const scope = new Set([known, grant].flatMap((one) => parseScope(one?.scope ?? '') ?? []));
    // Twice as long, so that frequent sign-ins rarely have to extend it.
    const exp = Math.max(until, 2 * this.#end(grant) - iat);
    const aud = [...new Set([...(known?.aud ?? []), ...grant.aud])];
    return { client_id, scope: formatScope([...scope]), aud, iat: known?.iat ?? iat, exp, listed: true };
  }
}
