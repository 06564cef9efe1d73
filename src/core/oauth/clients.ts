import type { MaybePromise } from '../ports.js';
import {
  type AuthenticationMethod,
  type Client,
  type ClientRegistration,
  type ClientRegistry,
  type Inspection,
  inspectRegistration,
  inspectRegistrations,
  type ScopeRules,
} from './client.js';

/** @throws TypeError with the first problem. */
const clientOf = ({ client, problems }: Inspection): Client => {
  if (client === undefined) throw new TypeError(problems[0]);
  return client;
};

const unlessDisabled = (client: Client | undefined): Client | undefined =>
  client?.disabled === true ? undefined : client;

/** Finds prepared clients, whichever way the host keeps them. A disabled client is not found. */
export class Clients {
  readonly #known: ReadonlyMap<string, Client> | undefined;
  readonly #registry: ClientRegistry | undefined;
  readonly #rules: ScopeRules;
  /** A registry that hands out the same object again does not pay for its checks again. */
  readonly #prepared = new WeakMap<ClientRegistration, Client>();

  constructor(source: readonly ClientRegistration[] | ClientRegistry, rules: ScopeRules) {
    this.#rules = rules;
    if (Array.isArray(source)) {
      const clients = inspectRegistrations(source as readonly ClientRegistration[], rules).map(clientOf);
      this.#known = new Map(clients.map((client) => [client.client_id, client]));
    } else {
      this.#registry = source as ClientRegistry;
    }
  }

  /** The methods that some client may authenticate with; a registry may have clients of every kind. */
  get authenticationMethods(): readonly AuthenticationMethod[] {
    const known = this.#known === undefined ? undefined : [...this.#known.values()];
    const has = (method: AuthenticationMethod): boolean =>
      known === undefined || known.some((client) => client.authenticationMethod === method);
    // Some clients take the first one that they can: the header comes first.
    return [
      'client_secret_basic',
      'client_secret_post',
      ...(has('private_key_jwt') ? (['private_key_jwt'] as const) : []),
      ...(has('none') ? (['none'] as const) : []),
    ];
  }

  /** The challenge methods that some client may use; of a registry's clients only the usual one is known. */
  get challengeMethods(): readonly string[] {
    const plain = [...(this.#known?.values() ?? [])].some((client) => client.challengeMethods.has('plain'));
    return plain ? ['S256', 'plain'] : ['S256'];
  }

  /** No promise where none is needed: this is asked once or twice in every request. */
  find(client_id: string): MaybePromise<Client | undefined> {
    if (this.#known === undefined) return this.#ask(client_id).then(unlessDisabled);
    return unlessDisabled(this.#known.get(client_id));
  }

  async #ask(client_id: string): Promise<Client | undefined> {
    const registration = await this.#registry?.find(client_id);
    if (registration === undefined || registration === null) return undefined;
    if (registration.client_id !== client_id) {
      throw new TypeError('clients.find answered with another client than it was asked for.');
    }
    const known = this.#prepared.get(registration);
    if (known !== undefined) return known;
    const client = clientOf(inspectRegistration(registration, this.#rules));
    this.#prepared.set(registration, client);
    return client;
  }
}
