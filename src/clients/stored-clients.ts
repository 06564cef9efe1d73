import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock, Store } from '../core/base/ports.js';
import { isNumber, isText, type ExpiringRecord, Records, type Shape } from '../core/base/records.js';
import { sha256 } from '../core/base/secrets.js';
import { checkClient, type ClientCheckOptions } from '../core/oauth/clients/check-client.js';
import type { ClientRegistration } from '../core/oauth/clients/client.js';
import { hashedSecrets, newSecret, rotatedSecrets } from './secrets.js';
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
import { StoredClientError } from './stored-client-error.js';
import { type Version, Versions } from './versions.js';

/** The name of a client, for listing. It remains when the client is removed. */
interface NameRecord extends ExpiringRecord {
  readonly client_id: string;
}

const NAME: Shape<NameRecord> = { exp: isNumber, client_id: isText };

const GROUP = 'clients';
const nameKey = (id: string): string => `client:{${id}}:name`;

/** Clients a process remembers, and unknown names: callers can invent those, so they have a separate cache. */
const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 1000;

/** In seconds: records need an expiry, and a hundred years are as good as none. */
const FOR_EVER = 100 * 365 * 86_400;

const endOf = (clock: Clock): number => Math.floor(clock() / 1000) + FOR_EVER;

/** How often a change that does not depend on the previous state is retried after a concurrent change. */
const MAX_ATTEMPTS = 5;

interface Remembered {
  readonly version: Version<ClientRegistration>;
  readonly until: number;
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
  readonly #versions: Versions<ClientRegistration>;
  readonly #clock: Clock;
  readonly #cacheTime: number;
  readonly #server: ClientCheckOptions;
  readonly #known = new LRUCache<string, Remembered>({ max: MAX_KNOWN });
  readonly #unknown = new LRUCache<string, number>({ max: MAX_UNKNOWN });
  readonly #lookups = new Map<string, Promise<ClientRegistration | undefined>>();

  constructor(
    store: Store,
    { issuer, cacheSeconds = 5, server = {}, onError, clock = Date.now }: StoredClientsOptions,
  ) {
    if (!Number.isFinite(cacheSeconds) || cacheSeconds < 0 || cacheSeconds > 60)
      throw new TypeError('storedClients: cacheSeconds must be a number from 0 to 60.');
    this.#records = new Records(store, clock, issuer);
    this.#versions = new Versions(this.#records, clock, onError ?? (() => undefined), {
      kind: 'client',
      end: () => endOf(clock),
    });
    this.#clock = clock;
    this.#cacheTime = cacheSeconds * 1000;
    this.#server = server;
  }

  find(client_id: string): ClientRegistration | undefined | Promise<ClientRegistration | undefined> {
    const id = sha256(client_id);
    const now = this.#clock();
    const known = this.#known.get(id);
    if (known !== undefined && now < known.until) return known.version.registration;
    if (now < (this.#unknown.get(id) ?? 0)) return undefined;
    const running = this.#lookups.get(id);
    if (running !== undefined) return running;
    const lookup = this.#newest(id)
      .then((version) => version?.registration)
      .finally(() => this.#lookups.delete(id));
    this.#lookups.set(id, lookup);
    return lookup;
  }

  async get(client_id: string): Promise<StoredClient | undefined> {
    return stored(await this.#newest(sha256(client_id)));
  }

  async list({ after, limit = 50 }: { after?: string | undefined; limit?: number } = {}): Promise<ClientPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
      throw new TypeError('storedClients: limit must be a whole number from 1 to 1000.');
    const { keys, next } = await this.#records.list(GROUP, { after, limit });
    const names = await this.#records.getMany(keys, NAME);
    const there = names.filter((name) => name !== undefined);
    const versions = await Promise.all(there.map(({ client_id }) => this.#newest(sha256(client_id))));
    const clients = versions.flatMap((version) => stored(version) ?? []);
    return { clients, ...(next !== undefined && { next }) };
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
    const before = await this.#versions.newest(id);
    if (before?.registration !== undefined)
      throw new StoredClientError('exists', `The client ${JSON.stringify(client_id)} already exists.`);
    await this.#records.add(nameKey(id), { client_id, exp: endOf(this.#clock) }, [GROUP]);
    const client = await this.#write(
      id,
      before,
      before === undefined ? checked : reborn(checked, before.at_ms, this.#clock()),
    );
    if (client === undefined) throw conflict(client_id);
    return { ...client, ...(secret && { client_secret: secret.text }) };
  }

  async change(
    client_id: string,
    changes: ClientChanges,
    { version }: { readonly version?: number } = {},
  ): Promise<StoredClient> {
    if ('client_id' in changes) throw invalid(['client_id cannot be changed. Add another client.']);
    const id = sha256(client_id);
    const before = await this.#versions.newest(id);
    if (before?.registration === undefined) throw unknown(client_id);
    if (version !== undefined && version !== before.number) throw conflict(client_id);
    const after = await this.#write(id, before, this.#checked({ ...before.registration, ...changes }));
    if (after === undefined) throw conflict(client_id);
    return after;
  }

  async rotateSecret(client_id: string, { overlap }: { readonly overlap: number }): Promise<WithSecret> {
    if (!Number.isInteger(overlap) || overlap < 0)
      throw new TypeError('storedClients: overlap must be a whole number of seconds, 0 or more.');
    const secret = newSecret();
    const client = await this.#edit(client_id, (registration) => {
      if (registration.client_secret === undefined)
        throw invalid([
          `Client ${JSON.stringify(client_id)} has no client_secret. Set one with change, or add another client.`,
        ]);
      const now = this.#clock();
      return { client_secret: [secret.hash, ...rotatedSecrets(registration.client_secret, now, now + overlap * 1000)] };
    });
    return { ...client, client_secret: secret.text };
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
      const before = await this.#versions.newest(id);
      if (before?.registration === undefined) return;
      const after = await this.#versions.add(id, before.number, undefined);
      if (after === undefined) continue;
      this.#remember(id, after);
      return;
    }
    throw conflict(client_id);
  }

  /** A change that is valid whatever the current state of the client. */
  async #edit(client_id: string, edit: (registration: ClientRegistration) => ClientChanges): Promise<StoredClient> {
    const id = sha256(client_id);
    for (let n = 0; n < MAX_ATTEMPTS; n += 1) {
      const before = await this.#versions.newest(id);
      if (before?.registration === undefined) throw unknown(client_id);
      const changed = { ...before.registration, ...edit(before.registration) };
      const after = await this.#write(id, before, this.#checked(changed));
      if (after !== undefined) return after;
    }
    throw conflict(client_id);
  }

  async #write(
    id: string,
    before: Version<ClientRegistration> | undefined,
    registration: ClientRegistration,
  ): Promise<StoredClient | undefined> {
    const after = await this.#versions.add(id, before?.number ?? 0, registration);
    if (after !== undefined) this.#remember(id, after);
    return stored(after);
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

  async #newest(id: string): Promise<Version<ClientRegistration> | undefined> {
    const version = await this.#versions.newest(id, this.#known.get(id)?.version.number);
    if (version === undefined) this.#unknown.set(id, this.#clock() + this.#cacheTime);
    return version === undefined ? undefined : this.#remember(id, version);
  }

  /** A version read before a change may arrive after it, and is then older than the remembered one. */
  #remember(id: string, version: Version<ClientRegistration>): Version<ClientRegistration> {
    const known = this.#known.get(id)?.version;
    // The server need not validate the same object again.
    const newest = known !== undefined && known.number >= version.number ? known : version;
    this.#known.set(id, { version: newest, until: this.#clock() + this.#cacheTime });
    this.#unknown.delete(id);
    return newest;
  }
}

/** Tokens of a removed client must not become valid again with a new client of the same name. */
const reborn = (registration: ClientRegistration, removedAt: number, now: number): ClientRegistration => ({
  ...registration,
  tokens_valid_after: Math.max(
    registration.tokens_valid_after ?? 0,
    Math.floor(removedAt / 1000) + 1,
    Math.floor(now / 1000),
  ),
});

const stored = (version: Version<ClientRegistration> | undefined): StoredClient | undefined => {
  const registration = version?.registration;
  if (version === undefined || registration === undefined) return undefined;
  return { client_id: registration.client_id, registration, version: version.number, changedAt: version.at_ms };
};

/**
 * Clients in a store: `add`, `get` and `delete` are sufficient, and `list` needs a store that can list. Pass it to a server as `clients`, alone or in a list
 * with others.
 *
 * @param store - The server's store, or another one.
 * @throws TypeError with a sentence that names the option.
 * @example
 * const clients = storedClients(store);
 * const oauth = oauthQuery({ store, clients });
 * const { client_secret } = await clients.add({ client_id: 'web', redirect_uris: ['https://app.example/cb'] }, { generateSecret: true });
 */
export const storedClients = (store: Store, options: StoredClientsOptions = {}): StoredClients =>
  new Registry(store, options);
