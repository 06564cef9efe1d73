import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../../core/base/errors.js';
import type { MaybePromise, Revision } from '../../core/base/ports.js';
import { type ExpiringRecord, isNumber, isText, optional, Records, type Shape } from '../../core/base/records.js';
import {
  either,
  fn,
  isRecord,
  listOf,
  object,
  orElse,
  required,
  type Schema,
  text,
  value,
  wholeNumber,
} from '../../core/base/schema.js';
import { INTROSPECT } from '../../core/base/scope.js';
import { RandomSource, sha256 } from '../../core/base/secrets.js';
import { refuse } from '../../core/oauth/clients/client-metadata.js';
import type { ClientRegistration, ClientRegistry } from '../../core/oauth/clients/client.js';
import {
  type AttachableRegistry,
  type ClientCaller,
  type ClientLookup,
  type OwnRegistry,
  type RegistryServer,
  UnusableClientError,
} from '../../core/oauth/clients/own-registry.js';
import {
  type ClientDocument,
  type Jwk,
  keysThatFit,
  readDocument,
  readKeys,
  registrationOf,
} from './client-document.js';
import { documentAddressProblem, isDocumentAddress } from './document-address.js';
import { FetchBounds } from './fetch-bounds.js';
import { fetchClientDocument, type FetchDocument } from './fetch-document.js';
import { Fetched, type Good } from './fetched.js';

/** Which documents are accepted. `any` accepts every client that publishes one and leaves the decision to the owners. */
export type DocumentTrust =
  | 'any'
  /** Hosts, such as `claude.ai`; no other host is contacted. */
  | readonly string[]
  /**
   * Called with each document that was read, from its URL or from the store. Any result other than `true` rejects the document, and so does a
   * function that throws or takes longer than five eighths of `timeout`.
   */
  | ((document: ClientDocument, address: string) => MaybePromise<boolean>);

/** Options of `clientDocuments`. */
export interface ClientDocumentsOptions {
  /** Which documents are accepted. */
  readonly trust: DocumentTrust;
  /** The scopes these clients may request; default: all but the introspection scope. */
  readonly scopes?: readonly string[];
  /** Fetches documents; default: {@link fetchClientDocument}. */
  readonly fetch?: FetchDocument;
  /** Default 5000; 100 to 30000. Milliseconds for a complete fetch. */
  readonly timeout?: number;
}

const hostName = value<string>(
  'the name of a host, such as claude.ai',
  (given) => typeof given === 'string' && documentAddressProblem(`https://${given}/client.json`) === undefined,
);

const OPTIONS = object(
  {
    trust: required(
      either(
        fn<Extract<DocumentTrust, (document: ClientDocument, address: string) => unknown>>(
          'a function of the document and its address',
        ),
        either(
          value<'any'>("'any'", (given) => given === 'any'),
          listOf('an array of hosts', hostName),
        ),
      ),
      "specify which documents are accepted, with a function of the document and its URL, a list of hosts such as ['claude.ai'], or 'any'",
    ),
    scopes: listOf('an array of scopes', text('the name of a scope')),
    fetch: orElse(fn<FetchDocument>('a function of a URL'), fetchClientDocument, '`fetchClientDocument`'),
    timeout: wholeNumber(5000, 100, 30_000, 'milliseconds'),
  } satisfies Schema<ClientDocumentsOptions>,
  { takes: 'an object with trust' },
);

type Settings = ReturnType<typeof OPTIONS.read>;

/** Milliseconds for which a copy from the store is used without reading it again. */
const COPY_FRESH = 300_000;
const MAX_COPIES = 1000;

/** In seconds: how much longer than a new grant a copy lives, so that it is not written for every grant. */
const SPARE = 180 * 86_400;

/** A document as stored after an approval, which a changed document replaces. Times are in milliseconds since the epoch. */
interface CopyRecord extends ExpiringRecord, Revision {
  readonly document: ClientDocument;
  /** The contents of its `jwks_uri`, if that was fetched. */
  readonly keys?: readonly Jwk[];
  /** The time it was fetched. */
  readonly at: number;
  readonly fresh_until: number;
}

const COPY: Shape<CopyRecord> = {
  exp: isNumber,
  rev: isText,
  document: isRecord, // The server validates each field of the registration, as for every registry.
  keys: optional(Array.isArray),
  at: isNumber,
  fresh_until: isNumber,
};

const keyOf = (client_id: string): string => `client-document:{${sha256(client_id)}}`;

interface KeySet {
  readonly keys: readonly Jwk[];
}

/** The current knowledge about a client. */
interface Snapshot {
  readonly document: Good<ClientDocument>;
  /** The contents of its `jwks_uri`. */
  readonly keys?: Good<KeySet> | undefined;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const changesOf = (before: ClientDocument, after: ClientDocument): readonly ('redirect_uris' | 'keys')[] => [
  ...(same(before.redirect_uris, after.redirect_uris) ? [] : (['redirect_uris'] as const)),
  ...(same([before.jwks, before.jwks_uri], [after.jwks, after.jwks_uri]) ? [] : (['keys'] as const)),
];

/** Clients that publish a document, for one server. */
class Documents implements OwnRegistry {
  readonly origin = 'document';
  readonly #settings: Settings;
  readonly #server: RegistryServer;
  readonly #documents: Fetched<ClientDocument>;
  readonly #keySets: Fetched<KeySet>;
  readonly #records: Records;
  readonly #random = new RandomSource(randomBytes);
  readonly #copies = new LRUCache<string, Snapshot & { readonly until: number }>({ max: MAX_COPIES });
  /** By document, and by keys if the client signs. The server validates each object only once, so the same one is returned again. */
  readonly #rows = new WeakMap<ClientDocument, WeakMap<object, ClientRegistration>>();

  constructor(settings: Settings, server: RegistryServer) {
    const bounds = new FetchBounds(server);
    this.#settings = settings;
    this.#server = server;
    this.#documents = new Fetched(settings, bounds, server);
    this.#keySets = new Fetched(settings, bounds, server);
    this.#records = new Records(server.store, server.clock, server.issuer);
  }

  find(client_id: string, { caller, assertion }: ClientLookup = {}): MaybePromise<ClientRegistration | undefined> {
    if (!isDocumentAddress(client_id)) return undefined;
    return caller === undefined ? this.#known(client_id, assertion) : this.#current(client_id, caller, assertion);
  }

  async approved(client_id: string): Promise<void> {
    if (!isDocumentAddress(client_id)) return;
    const known = this.#remembered(client_id) ?? (await this.#copy(client_id));
    if (known === undefined) return;
    const { value: document, at, freshUntil: fresh_until } = known.document;
    const keys = keysThatFit(document, known.keys?.value.keys ?? []);
    const key = keyOf(client_id);
    const before = await this.#records.get(key, COPY);
    const end = Math.ceil(this.#server.clock() / 1000) + this.#server.longestGrant;
    if (before !== undefined && before.exp >= end && same([before.document, before.keys ?? []], [document, keys]))
      return;
    const rev = this.#random.rev();
    const record: CopyRecord = { ...before, document, keys, at, fresh_until, rev, exp: end + SPARE };
    const isWritten = await (before === undefined
      ? this.#records.add(key, record)
      : this.#records.swap(key, before.rev, record));
    // If another process was faster, it has also written a copy.
    if (!isWritten && (await this.#records.get(key, COPY)) === undefined)
      throw new UnavailableError('The copy of a client document expired while it was replaced.');
  }

  /** From memory or the store. */
  async #known(client_id: string, assertion: ClientLookup['assertion']): Promise<ClientRegistration | undefined> {
    const known = this.#remembered(client_id) ?? (await this.#copy(client_id));
    if (known === undefined) return undefined;
    if (!isSigned(known.document.value, assertion)) return this.#row(known.document.value, undefined);
    const keys = known.document.value.jwks ?? known.keys?.value ?? (await this.#copy(client_id))?.keys?.value;
    if (keys === undefined) throw new UnavailableError(`The keys of ${client_id} are not available to this process.`);
    return this.#row(known.document.value, keys);
  }

  /** The published version, or the last one that could be fetched. */
  async #current(
    client_id: string,
    caller: ClientCaller,
    assertion: ClientLookup['assertion'],
  ): Promise<ClientRegistration> {
    const { trust } = this.#settings;
    if (typeof trust !== 'function' && !isTrustedHost(trust, client_id))
      throw new UnusableClientError(
        'refused',
        `${client_id} is rejected: the option trust does not contain its host.`,
        60,
      );
    const wanted = { client_id, caller };
    const { value: document } = await this.#documents.current(client_id, {
      ...wanted,
      read: (json) => this.#accept(json, client_id),
      stored: async () => (await this.#copy(client_id))?.document,
      changes: changesOf,
    });
    if (!isSigned(document, assertion)) return this.#row(document, undefined);
    const { jwks, jwks_uri } = document;
    if (jwks !== undefined || jwks_uri === undefined) return this.#row(document, jwks);
    const kid = assertion?.kid;
    const { value: keys } = await this.#keySets.current(jwks_uri, {
      ...wanted,
      read: usableKeys,
      stored: async () => (await this.#copy(client_id))?.keys,
      changes: (before, after) => (same(before, after) ? [] : ['keys']),
      isLacking: (known) => kid !== undefined && !known.keys.some((key) => key['kid'] === kid),
    });
    return this.#row(document, keys);
  }

  /** What this process has fetched within a day. */
  #remembered(client_id: string): Snapshot | undefined {
    const document = this.#documents.usable(client_id);
    if (document === undefined) return undefined;
    const { jwks_uri } = document.value;
    return { document, keys: jwks_uri === undefined ? undefined : this.#keySets.usable(jwks_uri) };
  }

  /** The copy in the store, if the application still trusts it. */
  async #copy(client_id: string): Promise<Snapshot | undefined> {
    const now = this.#server.clock();
    const read = this.#copies.get(client_id);
    if (read !== undefined && now < read.until) return read;
    const copy = await this.#records.get(keyOf(client_id), COPY);
    if (copy === undefined || copy.document.client_id !== client_id) return undefined;
    if (!(await this.#isTrusted(copy.document))) return undefined;
    const { document, keys, at, fresh_until: freshUntil } = copy;
    const snapshot = {
      document: { value: document, at, freshUntil },
      // Keys are fetched separately, at another time that the copy does not contain.
      keys: keys && { value: { keys }, at, freshUntil: at },
      until: now + COPY_FRESH,
    };
    this.#copies.set(client_id, snapshot);
    return snapshot;
  }

  async #accept(json: unknown, address: string): Promise<ClientDocument> {
    const document = readDocument(address, json);
    const isTrusted = await this.#isTrusted(document).catch((error: unknown) => {
      this.#server.onError(error);
      throw error;
    });
    return isTrusted ? document : refuse('The option trust does not accept it.');
  }

  /** @throws UnavailableError if the application's function fails: then no document is trusted. */
  async #isTrusted(document: ClientDocument): Promise<boolean> {
    const { trust } = this.#settings;
    const { client_id } = document;
    if (typeof trust !== 'function') return isTrustedHost(trust, client_id);
    try {
      const answer: unknown = await this.#server.bound('trust of clientDocuments', trust)(document, client_id);
      return answer === true;
    } catch (cause) {
      throw new UnavailableError('trust of clientDocuments failed.', { cause });
    }
  }

  #row(document: ClientDocument, keySet: KeySet | undefined): ClientRegistration {
    const rows = this.#rows.get(document) ?? new WeakMap<object, ClientRegistration>();
    const row = rows.get(keySet ?? document) ?? registrationOf(document, keySet?.keys, this.#settings.scopes);
    this.#rows.set(document, rows.set(keySet ?? document, row));
    return row;
  }
}

const isTrustedHost = (trust: 'any' | readonly string[], address: string): boolean =>
  trust === 'any' || trust.includes(new URL(address).hostname);

/** A client with both methods is considered signing only if the request has an assertion. */
const isSigned = (
  { token_endpoint_auth_methods_supported: methods }: ClientDocument,
  assertion: ClientLookup['assertion'],
): boolean => methods.includes('private_key_jwt') && (assertion !== undefined || !methods.includes('none'));

const usableKeys = (json: unknown): KeySet => {
  const keys = readKeys(json);
  if (keys.length === 0) return refuse('It contains no usable key.');
  return { keys };
};

const checkScopes = ({ scopes = [] }: Settings, server: RegistryServer): void => {
  const unknown = scopes.find((name) => !server.scopes.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `clientDocuments: scopes names ${JSON.stringify(unknown)}, which options.scopes does not have.`,
    );
  if (scopes.includes(INTROSPECT))
    throw new TypeError(
      `clientDocuments: scopes names ${JSON.stringify(INTROSPECT)}, which lets a client introspect every token. Leave it out.`,
    );
};

/**
 * Clients without registration: their `client_id` is an https URL that serves a document about them. Use it as
 * `options.clients`, alone or in a list with other clients and registries.
 *
 * A document is fetched when its client sends a browser, redeems a code or signs an assertion; guards, introspection and the refresh of a public
 * client never wait for it. Once an owner has approved the client, a copy is stored for as long as its grants may live.
 *
 * @throws TypeError with a sentence that names the option.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ | OAuth Client ID Metadata Document}
 * @example
 * const oauth = oauthQuery({ issuer, secret, owner, loginUrl, scopes, clients: clientDocuments({ trust: ['claude.ai'] }) });
 */
export const clientDocuments = (options: ClientDocumentsOptions): ClientRegistry => {
  const settings = OPTIONS.read(options ?? {}, 'clientDocuments');
  const registry: AttachableRegistry = {
    find: () => {
      throw new TypeError('clientDocuments only works as part of a server: pass it to options.clients.');
    },
    attach: (server) => {
      checkScopes(settings, server);
      return new Documents(settings, server);
    },
  };
  return registry;
};
