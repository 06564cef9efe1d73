import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { fromCaller, mistake } from '../core/base/mistakes.js';
import type { Clock, Revision, Store } from '../core/base/ports.js';
import { isNumber, isText, type ExpiringRecord, optional, Records, type Shape } from '../core/base/records.js';
import { RandomSource, sha256 } from '../core/base/secrets.js';
import { singleFlight } from '../core/base/single-flight.js';
import { checkClient, type ClientCheckOptions } from '../core/oauth/clients/check-client.js';
import type { ClientRegistration } from '../core/oauth/clients/client.js';
import { hashedSecrets, newSecret, rotatedSecrets } from './secrets.js';
import { StoredClientError } from './stored-client-error.js';
import type {
  AddClientOptions,
  ClientChanges,
  ClientPage,
  NewClientRegistration,
  StoredClient,
  StoredClients,
  StoredClientsOptions,
  WithSecret,
} from './stored-client.js';

/** A client, by the hash of its name. Each change replaces the record; only its latest registration is stored. */
interface ClientRecord extends ExpiringRecord, Revision {
  /** Incremented by each change. */
  readonly number: number;
  /** `null` if the client was removed: a new one of the same name must not revive its tokens. */
  readonly registration: ClientRegistration | null;
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
  /** How many clients of this name were removed. */
  readonly removed?: number;
}

const CLIENT: Shape<ClientRecord> = {
  exp: isNumber,
  rev: isText,
  number: isNumber,
  at_ms: isNumber,
  removed: optional(isNumber),
  // The server validates each field, as for every registry.
  registration: (value) => typeof value === 'object' && !Array.isArray(value),
};

const keyOf = (id: string): string => `client:{${id}}`;

/** Versions before 0.3 listed other keys in `clients`. */
const GROUP = 'stored-clients';

/** Clients a process remembers, and unknown names: callers can invent those, so they have a separate cache. */
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 1000;

/** Milliseconds between two reads of one client for callers whose secrets are wrong: anyone can send those. */
const FRESH = 1000;

/** In seconds: records need an expiry, and a hundred years are as good as none. */
const FOR_EVER = 100 * 365 * 86_400;

/** How often a change that does not depend on the previous state is retried after a concurrent change. */
const MAX_ATTEMPTS = 5;

interface Remembered {
  readonly client: ClientRecord;
  readonly until: number;
  /** When it was last read for a caller whose secret was wrong. */
  readonly readAt: number;
}

const unknown = (client_id: string): StoredClientError =>
  new StoredClientError('unknown', `There is no client ${JSON.stringify(client_id)}.`);

const conflict = (client_id: string): StoredClientError =>
  new StoredClientError(
    'conflict',
    `Client ${JSON.stringify(client_id)} was changed in the meantime. Reload it before you change it again.`,
  );

const invalid = (problems: readonly string[]): StoredClientError =>
  new StoredClientError('invalid', problems.join(' '), problems);

class Registry implements StoredClients {
  readonly #records: Records;
  readonly #random = new RandomSource(randomBytes);
  readonly #clock: Clock;
  readonly #cacheTime: number;
  readonly #server: ClientCheckOptions;
  readonly #known = new LRUCache<string, Remembered>({ max: MAX_KNOWN });
  readonly #unknown = new LRUCache<string, number>({ max: MAX_UNKNOWN });
  /** Reads under way, for callers whose secrets are wrong. */
  readonly #again = new Map<string, Promise<ClientRegistration | undefined>>();
  readonly #lookUp = singleFlight(async (id: string) => (await this.#current(id))?.registration ?? undefined);

  constructor(store: Store, { issuer, cacheSeconds = 5, server = {}, clock = Date.now }: StoredClientsOptions) {
    if (!Number.isFinite(cacheSeconds) || cacheSeconds < 0 || cacheSeconds > 60)
      throw mistake('storedClients: cacheSeconds must be a number from 0 to 60.', 'OQ100');
    if (typeof (store as Partial<Store> | undefined)?.swap !== 'function')
      throw mistake(
        'storedClients: the store has no function swap. Await openStore first; for a store of your own, see docs/stores.md.',
        'then' in Object(store) ? 'OQ103' : 'OQ100',
      );
    this.#records = new Records(store, clock, issuer);
    this.#clock = clock;
    this.#cacheTime = cacheSeconds * 1000;
    this.#server = server;
  }

  find(client_id: string): ClientRegistration | undefined | Promise<ClientRegistration | undefined> {
    const id = sha256(client_id);
    const now = this.#clock();
    const known = this.#known.get(id);
    if (known !== undefined && now < known.until) return known.client.registration ?? undefined;
    return now < (this.#unknown.get(id) ?? 0) ? undefined : this.#lookUp(id);
  }

  findAgain(client_id: string): Promise<ClientRegistration | undefined> | undefined {
    const id = sha256(client_id);
    const now = this.#clock();
    const known = this.#known.get(id);
    if (known === undefined) return undefined;
    const reading = this.#again.get(id);
    if (reading !== undefined || now < known.readAt + FRESH) return reading;
    this.#known.set(id, { ...known, readAt: now });
    const read = this.#current(id).then((client) => client?.registration ?? undefined);
    this.#again.set(id, read);
    const end = (): void => void this.#again.delete(id);
    read.then(end, end);
    return read;
  }

  async get(client_id: string): Promise<StoredClient | undefined> {
    return stored(await this.#current(sha256(client_id)));
  }

  async list({ after, limit = 50 }: { after?: string | undefined; limit?: number } = {}): Promise<ClientPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
      throw mistake('storedClients: limit must be a whole number from 1 to 1000.', 'OQ100');
    const { keys, next } = await this.#records.list(GROUP, { after, limit });
    const found = await this.#records.getMany(keys, CLIENT);
    return { clients: found.flatMap((client) => stored(client) ?? []), ...(next !== undefined && { next }) };
  }

  async add(given: NewClientRegistration, { generateSecret = false }: AddClientOptions = {}): Promise<WithSecret> {
    const { client_id = randomBytes(12).toString('hex'), ...fields } = given;
    const secret = generateSecret ? newSecret() : undefined;
    const registration = { client_id, ...fields, ...(secret && { client_secret: [secret.hash] }) };
    if (secret !== undefined && 'client_secret' in fields)
      throw invalid([
        `Client ${JSON.stringify(client_id)}: generateSecret cannot be combined with a client_secret. Leave one out.`,
      ]);
    const checked = this.#checked(registration);
    const id = sha256(client_id);
    const before = await this.#read(id);
    if (exists(before))
      throw new StoredClientError('exists', `The client ${JSON.stringify(client_id)} already exists.`);
    // Nothing of a removed client becomes valid again with a new one of its name.
    const generation = Math.max(checked.generation ?? 0, removalsIn(before));
    const client = await this.#write(id, before, generation === 0 ? checked : { ...checked, generation });
    if (client === undefined) throw conflict(client_id);
    return { ...client, ...(secret && { client_secret: secret.text }) };
  }

  async change(
    client_id: string,
    changes: ClientChanges,
    { version }: { readonly version?: number } = {},
  ): Promise<StoredClient> {
    if ('client_id' in changes) throw invalid(['client_id cannot be changed. Add another client.']);
    if ('generation' in changes) throw invalid(['generation cannot be changed: it counts the clients of this name.']);
    return this.#replace(await this.#existing(client_id, version), changes);
  }

  /** Another rotation at the same moment must not succeed as well: with no overlap, its secret would be dead. */
  async rotateSecret(
    client_id: string,
    { overlap, version }: { readonly overlap: number; readonly version?: number | undefined },
  ): Promise<WithSecret> {
    if (!Number.isInteger(overlap) || overlap < 0)
      throw mistake('storedClients: overlap must be a whole number of seconds, 0 or more.', 'OQ100');
    const before = await this.#existing(client_id, version);
    const { client_secret } = before.registration;
    if (client_secret === undefined)
      throw invalid([
        `Client ${JSON.stringify(client_id)} has no client_secret. Set one with change, or add another client.`,
      ]);
    const secret = newSecret();
    const now = this.#clock();
    const rotated = [secret.hash, ...rotatedSecrets(client_secret, now, now + overlap * 1000)];
    return { ...(await this.#replace(before, { client_secret: rotated })), client_secret: secret.text };
  }

  disable(client_id: string): Promise<StoredClient> {
    return this.#edit(client_id, () => ({ disabled: true }));
  }

  enable(client_id: string): Promise<StoredClient> {
    return this.#edit(client_id, () => ({ disabled: null }));
  }

  endTokens(client_id: string, validAfter = Math.floor(this.#clock() / 1000) + 1): Promise<StoredClient> {
    return this.#edit(client_id, ({ tokens_valid_after: before = 0 }) => ({
      tokens_valid_after: Math.max(before, validAfter),
    }));
  }

  async remove(client_id: string): Promise<void> {
    const id = sha256(client_id);
    for (let n = 0; n < MAX_ATTEMPTS; n += 1) {
      const before = await this.#read(id);
      if (!exists(before) || (await this.#write(id, before, null)) !== undefined) return;
    }
    throw conflict(client_id);
  }

  /** @param version - That of the client, if it must not have changed. */
  async #existing(client_id: string, version: number | undefined): Promise<ExistingClient> {
    const client = await this.#read(sha256(client_id));
    if (!exists(client)) throw unknown(client_id);
    if (version !== undefined && version !== client.number) throw conflict(client_id);
    return client;
  }

  async #replace(before: ExistingClient, changes: ClientChanges): Promise<StoredClient> {
    const { client_id } = before.registration;
    const after = await this.#write(sha256(client_id), before, this.#checked({ ...before.registration, ...changes }));
    if (after === undefined) throw conflict(client_id);
    return after;
  }

  /** A change that is valid whatever the current state of the client. */
  async #edit(client_id: string, edit: (registration: ClientRegistration) => ClientChanges): Promise<StoredClient> {
    const id = sha256(client_id);
    for (let n = 0; n < MAX_ATTEMPTS; n += 1) {
      const before = await this.#read(id);
      if (!exists(before)) throw unknown(client_id);
      const changed = { ...before.registration, ...edit(before.registration) };
      const after = await this.#write(id, before, this.#checked(changed));
      if (after !== undefined) return after;
    }
    throw conflict(client_id);
  }

  /** @returns `undefined` if another call was faster. */
  async #write(
    id: string,
    before: ClientRecord | undefined,
    registration: ClientRegistration | null,
  ): Promise<StoredClient | undefined> {
    const at_ms = this.#clock();
    const client: ClientRecord = {
      ...before,
      rev: this.#random.rev(),
      number: (before?.number ?? 0) + 1,
      registration,
      at_ms,
      ...(registration === null && { removed: removalsIn(before) + 1 }),
      exp: Math.floor(at_ms / 1000) + FOR_EVER,
    };
    const isWritten = await (before === undefined
      ? this.#records.add(keyOf(id), client, [GROUP])
      : this.#records.swap(keyOf(id), before.rev, client, [GROUP]));
    return isWritten ? stored(this.#remember(id, client)) : undefined;
  }

  /** A registration as it is stored: without absent fields, and with hashes instead of secrets. */
  #checked(given: object): ClientRegistration {
    const present = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
    );
    const registration = present as unknown as ClientRegistration; // Validated next.
    const problems = checkClient(registration, this.#server);
    if (problems.length > 0) throw invalid(problems);
    const { client_secret } = registration;
    return client_secret === undefined
      ? registration
      : { ...registration, client_secret: hashedSecrets(client_secret) };
  }

  #read(id: string): Promise<ClientRecord | undefined> {
    return this.#records.get(keyOf(id), CLIENT);
  }

  async #current(id: string): Promise<ClientRecord | undefined> {
    const client = await this.#read(id);
    if (client === undefined) this.#unknown.set(id, this.#clock() + this.#cacheTime);
    return client === undefined ? undefined : this.#remember(id, client);
  }

  /** A record read before a change may arrive after it, and is then older than the remembered one. */
  #remember(id: string, client: ClientRecord): ClientRecord {
    const now = this.#clock();
    const known = this.#known.get(id);
    const isKnown = known !== undefined && (known.client.rev === client.rev || isNewer(known, client, now));
    // The server need not validate the same object again.
    const current = isKnown ? known.client : client;
    this.#known.set(id, { client: current, until: now + this.#cacheTime, readAt: known?.readAt ?? 0 });
    this.#unknown.delete(id);
    return current;
  }
}

const isNewer = ({ client, until }: Remembered, { number }: ClientRecord, now: number): boolean =>
  client.number > number && now < until;

type ExistingClient = ClientRecord & { readonly registration: ClientRegistration };

const exists = (client: ClientRecord | undefined): client is ExistingClient =>
  client !== undefined && client.registration !== null;

/** One that 0.3 removed was the first to be counted. */
const removalsIn = (client: ClientRecord | undefined): number =>
  client === undefined ? 0 : (client.removed ?? (client.registration === null ? 1 : 0));

const stored = (client: ClientRecord | undefined): StoredClient | undefined => {
  if (!exists(client)) return undefined;
  const { registration, number, at_ms } = client;
  return { client_id: registration.client_id, registration, version: number, changedAt: at_ms };
};

/**
 * Clients in a store; `list` needs a store that can list. Pass it to a server as `clients`, alone or in a list with others.
 *
 * @param store - The server's store, or another one.
 * @throws TypeError with a sentence that names the option.
 * @example
 * const clients = storedClients(store);
 * const oauth = oauthQuery({ store, clients });
 * const { client_secret } = await clients.add({ client_id: 'web', redirect_uris: ['https://app.example/cb'] }, { generateSecret: true });
 */
export const storedClients = (store: Store, options: StoredClientsOptions = {}): StoredClients =>
  fromCaller(storedClients, () => new Registry(store, options));
