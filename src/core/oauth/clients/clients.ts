import { isPublicIssuer } from '../../base/addresses/loopback.js';
import { isAwaited } from '../../base/deadline.js';
import { UnavailableError } from '../../base/errors.js';
import { mistake, type OnWarning, type WarningCode } from '../../base/mistakes.js';
import type { MaybePromise } from '../../base/ports.js';
import { checkRegistration, checkRow, type ServerRules } from './check-registration.js';
import { type ClientLookup, UnusableClientError } from './client-finder.js';
import { CHANGED_BY_BASIC, GUESSABLE, hasShortSecret, isChangedByBasic } from './client-secret.js';
import {
  type AuthenticationMethod,
  type Client,
  type ClientOrigin,
  type ClientRegistration,
  type ClientRegistry,
  type ClientRow,
  type ClientSource,
  isRegistry,
} from './client.js';
import { isOwnRegistry } from './own-registry.js';

/** Finds the clients of features, by what their `client_id` begins with. The functions follow when the features have started. */
export type OwnClients = Map<string, (client_id: string) => MaybePromise<ClientRow | undefined>>;

/** Other origins of clients, and what is known of the server, for invalid rows. */
interface Others {
  readonly own?: OwnClients | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly issuer?: string | undefined;
}

/** More columns than a table of clients has; beyond that, no more warnings are emitted. */
const MAX_WARNINGS = 100;

/** No client of a registry has a longer `client_id`; those of features may, and no registry has to look for them. */
const MAX_ASKED_LENGTH = 512;

/** Clients by their `client_id`. @throws TypeError with the first problem. */
const listedClients = (
  registrations: readonly ClientRegistration[],
  rules: ServerRules,
): ReadonlyMap<string, Client> => {
  const listed = new Map<string, Client>();
  for (const registration of registrations) {
    const { client, problems } = checkRegistration(registration, rules);
    if (client === undefined) throw mistake(problems[0] ?? 'A client is invalid.', 'OQ108');
    const { client_id } = client;
    if (listed.has(client_id))
      throw mistake(`Client ${JSON.stringify(client_id)} is registered twice. Remove one.`, 'OQ108');
    listed.set(client_id, client);
  }
  return listed;
};

const unlessDisabled = (client: Client | undefined): Client | undefined =>
  client?.disabled === true ? undefined : client;

/** Finds prepared clients, however the application stores them. Disabled clients are not found. */
export class Clients {
  readonly #listed: ReadonlyMap<string, Client>;
  readonly #registries: readonly ClientRegistry[];
  readonly #rules: ServerRules;
  readonly #own: OwnClients;
  readonly #listeners: Omit<Others, 'own'>;
  readonly #warned = new Set<string>();
  /** If a registry returns the same object again, it is not validated again. */
  readonly #prepared = new WeakMap<ClientRow, { readonly client: Client | undefined }>();

  /** @throws TypeError for an invalid registration in the list. */
  constructor(
    source: readonly ClientSource[] | ClientRegistry,
    rules: ServerRules,
    { own = new Map(), ...listeners }: Others = {},
  ) {
    const sources: readonly ClientSource[] = isRegistry(source) ? [source] : source;
    const registrations = sources.filter((item): item is ClientRegistration => !isRegistry(item));
    this.#listed = listedClients(registrations, rules);
    this.#registries = sources.filter(isRegistry);
    this.#rules = rules;
    this.#own = own;
    this.#listeners = listeners;
  }

  /** The clients of the list, without those of registries. */
  get listed(): ReadonlyMap<string, Client> {
    return this.#listed;
  }

  /** Whether all clients are in the list. */
  get areAllListed(): boolean {
    return this.#registries.length === 0 && this.#own.size === 0;
  }

  /** The methods some client may authenticate with; a registry may have clients of every kind. */
  get authenticationMethods(): readonly AuthenticationMethod[] {
    const has = (method: AuthenticationMethod): boolean =>
      this.#registries.length > 0 ||
      [...this.#listed.values()].some((client) => client.authenticationMethod === method && client.grantTypes.size > 0);
    // Some clients use the first supported method: the header comes first.
    return [
      'client_secret_basic',
      'client_secret_post',
      ...(has('private_key_jwt') ? (['private_key_jwt'] as const) : []),
      ...(this.#own.size > 0 || has('none') ? (['none'] as const) : []),
    ];
  }

  /** Whether clients may be identified by a document at their `client_id`. */
  get haveDocuments(): boolean {
    return this.#registries.some((registry) => isOwnRegistry(registry) && registry.origin === 'document');
  }

  /** The challenge methods some client may use; for clients of a registry, only the usual one is assumed. */
  get challengeMethods(): readonly string[] {
    const plain = [...this.#listed.values()].some((client) => client.challengeMethods.has('plain'));
    return plain ? ['S256', 'plain'] : ['S256'];
  }

  /**
   * Only returns a promise if necessary, because it is called once or twice per request.
   *
   * @throws UnavailableError if a registry fails, so that it is unknown whether the client exists; UnusableClientError only
   * for a lookup with a caller.
   */
  find(client_id: string, lookup: ClientLookup = {}): MaybePromise<Client | undefined> {
    const listed = this.#listed.get(client_id);
    if (listed !== undefined || this.areAllListed) return unlessDisabled(listed);
    const next = (own: Client | undefined): MaybePromise<Client | undefined> => {
      if (own !== undefined) return unlessDisabled(own);
      if (this.#registries.length === 0 || client_id.length > MAX_ASKED_LENGTH) return undefined;
      return this.#ask(client_id, lookup).then(unlessDisabled);
    };
    const own = this.#findOwn(client_id);
    return own instanceof Promise ? own.then(next) : next(own);
  }

  /** Whether a `client_id` looks like one of a feature. */
  isOfFeature(client_id: string): boolean {
    return [...this.#own.keys()].some((prefix) => client_id.startsWith(prefix));
  }

  /**
   * A client as its registry reads it again, before it is refused for its secret. Nothing if no registry reads it now.
   *
   * @throws UnavailableError if the registry fails.
   */
  findAgain({ client_id }: Client): Promise<Client | undefined> | undefined {
    if (this.#listed.has(client_id)) return undefined;
    for (const registry of this.#registries) {
      const asked = registry.findAgain?.(client_id) ?? undefined;
      if (asked !== undefined)
        return answerOf('findAgain', () => asked).then((row) =>
          row === undefined || row === null
            ? undefined
            : unlessDisabled(this.#prepare(row, client_id, originOf(registry))),
        );
    }
    return undefined;
  }

  /**
   * Called when a client receives a grant.
   *
   * @throws UnavailableError if its registry cannot ensure that the client is found while the grant lives.
   */
  approved(client_id: string): MaybePromise<void> {
    return this.#listed.has(client_id) ? undefined : this.#tellApproved(client_id);
  }

  async #tellApproved(client_id: string): Promise<void> {
    for (const registry of this.#registries)
      if (isOwnRegistry(registry)) await answerOf('approved', () => registry.approved?.(client_id));
  }

  /**
   * Invalidates everything issued to a client before, if the registry that knows it supports this.
   *
   * @param validAfter - Seconds since the epoch.
   * @returns whether a registry did it.
   */
  async endTokens(client_id: string, validAfter: number): Promise<boolean> {
    // A client of a feature is public, so it has no tokens of its own.
    if (this.#listed.has(client_id) || (await this.#findOwn(client_id)) !== undefined) return false;
    for (const registry of this.#registries) {
      const row = await rowOf(registry, client_id);
      if (row === undefined || row === null) continue;
      await answerOf('endTokens', () => registry.endTokens?.(client_id, validAfter));
      return registry.endTokens !== undefined;
    }
    return false;
  }

  /** The client that a feature knows. */
  #findOwn(client_id: string): MaybePromise<Client | undefined> {
    const prepared = (row: ClientRow | undefined): Client | undefined =>
      row && this.#prepare(row, client_id, 'registration');
    for (const [prefix, find] of this.#own) {
      if (!client_id.startsWith(prefix)) continue;
      const found = find(client_id);
      return isAwaited(found) ? Promise.resolve(found).then(prepared) : prepared(found);
    }
    return undefined;
  }

  /** The first registry that knows the client decides, whatever the result. */
  async #ask(client_id: string, lookup: ClientLookup): Promise<Client | undefined> {
    for (const registry of this.#registries) {
      const row = await rowOf(registry, client_id, lookup);
      if (row !== undefined && row !== null) return this.#prepare(row, client_id, originOf(registry));
    }
    return undefined;
  }

  /** An invalid registration only affects this client. */
  #prepare(row: unknown, client_id: string, origin: ClientOrigin): Client | undefined {
    const { onError } = this.#listeners;
    if (typeof row !== 'object' || row === null || !('client_id' in row) || row.client_id !== client_id) {
      const what = Array.isArray(row) ? 'an array: return its first row' : 'a different client from the one requested';
      onError?.(mistake(`clients.find returned ${what}.`, 'OQ108'));
      return undefined;
    }
    const found = row as ClientRow; // What it holds is checked here, or was before.
    const known = this.#prepared.get(found);
    if (known !== undefined) return known.client;
    const { client, problems } = checkRow(found, { ...this.#rules, origin }, (column, sentence) =>
      this.#warn(column, sentence, 'OQ309'),
    );
    if (client && isPublicIssuer(this.#listeners.issuer) && hasShortSecret(found.client_secret))
      this.#warn('client_secret', `The client_secret of ${JSON.stringify(client_id)} ${GUESSABLE}`, 'OQ204');
    if (client && isChangedByBasic(found))
      this.#warn(
        'basic',
        `The client_id or client_secret of ${JSON.stringify(client_id)} ${CHANGED_BY_BASIC}`,
        'OQ211',
      );
    if (client === undefined) onError?.(mistake(problems.join(' '), 'OQ108'));
    this.#prepared.set(found, { client });
    return client;
  }

  #warn(column: string, sentence: string, code: WarningCode): void {
    if (this.#warned.has(column) || this.#warned.size >= MAX_WARNINGS) return;
    this.#warned.add(column);
    this.#listeners.onWarning?.(`clients.find: ${sentence}`, code);
  }
}

const originOf = (registry: ClientRegistry): ClientOrigin => (isOwnRegistry(registry) ? registry.origin : 'operator');

/** Clients never see the text of an unexpected exception. */
const answerOf = async (
  name: 'find' | 'findAgain' | 'endTokens' | 'approved',
  ask: () => unknown,
): Promise<unknown> => {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof UnusableClientError) throw cause;
    throw cause instanceof UnavailableError ? cause : new UnavailableError(`clients.${name} failed.`, { cause });
  }
};

const rowOf = (registry: ClientRegistry, client_id: string, lookup: ClientLookup = {}): Promise<unknown> =>
  answerOf('find', () => (isOwnRegistry(registry) ? registry.find(client_id, lookup) : registry.find(client_id)));
