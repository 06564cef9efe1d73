import { randomBytes } from 'node:crypto';
import { defined } from '../../core/base/defined.js';
import { UnavailableError } from '../../core/base/errors.js';
import type { MaybePromise, Revision } from '../../core/base/ports.js';
import { type ExpiringRecord, isNumber, isText, optional, Records, type Shape } from '../../core/base/records.js';
import {
  either,
  fn,
  isRecord,
  listOf,
  neverUndefined,
  object,
  orElse,
  required,
  type Schema,
  text,
  value,
  wholeNumber,
} from '../../core/base/schema.js';
import { RandomSource, sha256 } from '../../core/base/secrets.js';
import { type ClientLookup, UnusableClientError } from '../../core/oauth/clients/client-finder.js';
import { refuse, selfDescribed } from '../../core/oauth/clients/client-metadata.js';
import type { ClientRegistration, ClientRegistry, CustomGrantName } from '../../core/oauth/clients/client.js';
import {
  type AttachableRegistry,
  type OwnRegistry,
  type RegistryServer,
} from '../../core/oauth/clients/own-registry.js';
import {
  type ClientDocument,
  documentAddressProblem,
  type Jwk,
  keysThatFit,
  readDocument,
  readKeys,
} from './client-document.js';
import { FetchBounds } from './fetch-bounds.js';
import { fetchClientDocument, type FetchDocument } from './fetch-document.js';
import { Fetched, same, type Wanted } from './fetched.js';

type TrustFunction = (document: ClientDocument, address: string) => MaybePromise<boolean>;

/** Options of `clientDocuments`. */
export interface ClientDocumentsOptions {
  /**
   * Which documents are accepted. `any` accepts every client that publishes one and leaves the decision to the owners. With a list of hosts, such
   * as `claude.ai`, no other host is contacted. A function is called with each document that was read, from its URL or from the store: any result
   * other than `true` rejects the document, and so does a function that throws or takes longer than five eighths of `timeout`.
   */
  readonly trust: 'any' | readonly string[] | TrustFunction;
  /** The scopes these clients may request; default: all but `introspect`. */
  readonly scopes?: readonly string[];
  /** Fetches documents; default: {@link fetchClientDocument}. */
  readonly fetch?: FetchDocument | undefined;
  /** Default 5000; 100 to 30000. Milliseconds for a complete fetch. */
  readonly timeout?: number | undefined;
}

const any = value<'any'>("'any'", (given) => given === 'any');

const hostName = value<string>(
  'the name of a host, such as claude.ai',
  (given) => typeof given === 'string' && documentAddressProblem(`https://${given}/client.json`) === undefined,
);

const OPTIONS = object(
  {
    trust: required(
      either(
        fn<TrustFunction>('a function of the document and its address'),
        either(any, listOf('an array of hosts', hostName)),
      ),
      "specify which documents are accepted, with a function of the document and its URL, a list of hosts such as ['claude.ai'], or 'any'",
    ),
    scopes: neverUndefined(listOf('an array of scopes', text('the name of a scope'))),
    fetch: orElse(fn<FetchDocument>('a function of a URL'), fetchClientDocument, '`fetchClientDocument`'),
    timeout: wholeNumber(5000, 100, 30_000, 'milliseconds'),
  } satisfies Schema<ClientDocumentsOptions>,
  { takes: 'an object with trust' },
);

type Settings = ReturnType<typeof OPTIONS.read>;

/** In seconds: how much longer than a new grant a copy lives, so that it is not written for every grant. */
const SPARE = 180 * 86_400;

/** A document as stored after an approval, which a changed document replaces. */
interface CopyRecord extends ExpiringRecord, Revision {
  readonly document: ClientDocument;
  /** When it was fetched, in milliseconds since the epoch. */
  readonly fetched: number;
  /** The contents of its `jwks_uri`, if that was fetched. */
  readonly keys?: readonly Jwk[];
  /** When they were fetched; 0 if they were not. */
  readonly keysFetched: number;
}

const COPY: Shape<CopyRecord> = {
  exp: isNumber,
  rev: isText,
  document: isRecord, // The server validates each field of the registration, as for every registry.
  fetched: isNumber,
  keys: optional(Array.isArray),
  keysFetched: isNumber,
};

const keyOf = (client_id: string): string => `client-document:{${sha256(client_id)}}`;

/** Clients that publish a document, for one server. */
class Documents implements OwnRegistry {
  readonly origin = 'document';
  readonly #settings: Settings;
  readonly #server: RegistryServer;
  readonly #documents: Fetched<ClientDocument>;
  readonly #keys: Fetched<readonly Jwk[]>;
  readonly #records: Records;
  readonly #random = new RandomSource(randomBytes);
  /** By document, and by keys if the client signs. The server validates each object only once, so the same one is returned again. */
  readonly #rows = new WeakMap<ClientDocument, WeakMap<object, ClientRegistration>>();

  constructor(settings: Settings, server: RegistryServer) {
    this.#settings = settings;
    this.#server = server;
    const given = { ...settings, bounds: new FetchBounds(server), server };
    this.#documents = new Fetched({
      ...given,
      read: (json, address) => this.#accept(json, address),
      parts: ({ redirect_uris, jwks, jwks_uri }) => ({ redirect_uris, keys: [jwks, jwks_uri] }),
    });
    this.#keys = new Fetched({ ...given, read: usableKeys, parts: (keys) => ({ keys }) });
    this.#records = new Records(server.store, server.clock, server.issuer);
  }

  async find(client_id: string, { caller, assertion }: ClientLookup = {}): Promise<ClientRegistration | undefined> {
    if (documentAddressProblem(client_id) !== undefined) return undefined;
    const { trust } = this.#settings;
    if (typeof trust === 'object' && !trust.includes(new URL(client_id).hostname)) {
      if (caller === undefined) return undefined;
      const sentence = `${client_id} is rejected: the option trust does not contain its host.`;
      throw new UnusableClientError('refused', sentence, 60);
    }
    const wanted = caller && { client_id, caller };
    const document = await this.#latest(this.#documents, client_id, client_id, wanted);
    if (document === undefined || !isSigned(document, assertion)) return document && this.#row(document);
    const { jwks, jwks_uri = '' } = document; // One of them is there, or it could not sign.
    const kid = assertion?.kid;
    const isLacking = (keys: readonly Jwk[]): boolean => kid !== undefined && !keys.some((key) => key['kid'] === kid);
    const keys =
      jwks?.keys ?? (await this.#latest(this.#keys, jwks_uri, client_id, wanted && { ...wanted, isLacking }));
    if (keys === undefined) throw new UnavailableError(`The keys of ${client_id} are not available to this process.`);
    return this.#row(document, keys);
  }

  async approved(client_id: string): Promise<void> {
    if (documentAddressProblem(client_id) !== undefined) return;
    const before = await this.#readCopy(client_id);
    const latest = this.#documents.usable(client_id);
    if (latest === undefined) return;
    const { value: document, fetched } = latest;
    const known = document.jwks_uri === undefined ? undefined : this.#keys.usable(document.jwks_uri);
    const keys = keysThatFit(document, known?.value ?? []);
    const key = keyOf(client_id);
    const end = Math.ceil(this.#server.clock() / 1000) + this.#server.longestGrant;
    if (before !== undefined && before.exp >= end && same([before.document, before.keys], [document, keys])) return;
    const keysFetched = known?.fetched ?? 0;
    const record: CopyRecord = { document, fetched, keys, keysFetched, rev: this.#random.rev(), exp: end + SPARE };
    const isWritten = await (before === undefined
      ? this.#records.add(key, record)
      : this.#records.swap(key, before.rev, { ...before, ...record }));
    // If another process was faster, it has also written a copy.
    if (!isWritten && (await this.#records.get(key, COPY)) === undefined)
      throw new UnavailableError('The copy of a client document expired while it was replaced.');
  }

  /** What is published at a URL, or was: from memory or the copy in the store, and fetched if a caller may wait for it. */
  async #latest<T>(source: Fetched<T>, address: string, client_id: string, wanted?: Wanted<T>): Promise<T | undefined> {
    if (source.usable(address) === undefined) await this.#readCopy(client_id);
    const latest = wanted === undefined ? source.usable(address) : await source.current(address, wanted);
    return latest?.value;
  }

  /** The copy in the store, which is remembered if it is newer than what this process has, and the application still trusts it. */
  async #readCopy(client_id: string): Promise<CopyRecord | undefined> {
    const copy = await this.#records.get(keyOf(client_id), COPY);
    if (copy === undefined || copy.document.client_id !== client_id || !(await this.#isTrusted(copy.document)))
      return copy;
    const { document, fetched, keys = [], keysFetched } = copy;
    this.#documents.offer(client_id, document, fetched);
    if (document.jwks_uri !== undefined && keys.length > 0) this.#keys.offer(document.jwks_uri, keys, keysFetched);
    return copy;
  }

  async #accept(json: unknown, address: string): Promise<ClientDocument> {
    const document = readDocument(address, json, this.#server.documentGrants);
    return (await this.#isTrusted(document)) ? document : refuse('The option trust does not accept it.');
  }

  /** @throws UnavailableError if the application's function fails: then no document is trusted. */
  async #isTrusted(document: ClientDocument): Promise<boolean> {
    const { trust } = this.#settings;
    if (typeof trust !== 'function') return true; // `find` checks its host.
    try {
      const answer: unknown = await this.#server.bound('trust of clientDocuments', trust)(document, document.client_id);
      return answer === true;
    } catch (cause) {
      throw new UnavailableError('trust of clientDocuments failed.', { cause });
    }
  }

  /** @param keys - Of a client that signs. */
  #row(document: ClientDocument, keys?: readonly Jwk[]): ClientRegistration {
    const rows = this.#rows.get(document) ?? new WeakMap<object, ClientRegistration>();
    const known = rows.get(keys ?? document);
    if (known !== undefined) return known;
    const { documentGrants } = this.#server;
    // A copy in the store may be of a process with other features.
    const further = documentGrants.filter((name) => document.feature_grant_types?.includes(name));
    const row: ClientRegistration = {
      ...selfDescribed(document, this.#settings.scopes),
      grant_types: [...document.grant_types, ...(further as CustomGrantName[])], // As the server checked when its features started.
      ...(keys !== undefined && {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys },
        ...defined({ token_endpoint_auth_signing_alg: document.token_endpoint_auth_signing_alg }),
      }),
    };
    this.#rows.set(document, rows.set(keys ?? document, row));
    return row;
  }
}

/** A client with both methods is considered signing only if the request has an assertion. */
const isSigned = (
  { token_endpoint_auth_methods_supported: methods }: ClientDocument,
  assertion: ClientLookup['assertion'],
): boolean => methods.includes('private_key_jwt') && (assertion !== undefined || !methods.includes('none'));

const usableKeys = (json: unknown): readonly Jwk[] => {
  const keys = readKeys(json);
  return keys.length > 0 ? keys : refuse('It contains no usable key.');
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
      server.checkScopes(settings, 'clientDocuments');
      return new Documents(settings, server);
    },
  };
  return registry;
};
