import { LRUCache } from 'lru-cache';
import { fail, type FeatureHost, isRecord, UnavailableError } from '../../core/feature/index.js';
import {
  type AssertionIssuer,
  type AssertionOptions,
  checkDistinct,
  type Issuer,
  type PublicKey,
  readIssuer,
} from './options.js';

type PublishedKeysOf = Parameters<FeatureHost['publishedKeys']>[0];

const KEPT = 1000;
const KEPT_FOR = 60_000;

/** What an answer of `find` was, and until when it counts: milliseconds since the epoch. */
interface Found {
  readonly issuers: readonly Issuer[];
  readonly until: number;
}

/** Whether issuers are listed, and not found by a function. */
export const isList = (given: AssertionOptions['issuers']): given is readonly AssertionIssuer[] => Array.isArray(given);

const asClient = (issuer: string, path: string): never =>
  fail(
    `${path}.issuer, ${JSON.stringify(issuer)}, is the client_id of a client too. Its statements could be either; rename the client.`,
  );

/** @throws TypeError if an issuer vouches for a client that cannot be one. */
const checkClients = ({ issuer, clients }: AssertionIssuer, path: string, { clients: known }: FeatureHost): void => {
  if (known.listed.has(issuer)) asClient(issuer, path);
  if (!isRecord(clients)) return;
  for (const [sub, client_id] of Object.entries(clients)) {
    const client = known.listed.get(String(client_id));
    const at = `${path}.clients[${JSON.stringify(sub)}]: the client ${JSON.stringify(client_id)}`;
    if (client === undefined && known.areAllListed) fail(`${at} is not in options.clients.`);
    if (client?.public === true) fail(`${at} is public. Give it token_endpoint_auth_method: 'private_key_jwt'.`);
  }
};

/** The issuers whose assertions are accepted, and their keys. */
export class Issuers {
  readonly #host: FeatureHost;
  readonly #listed: ReadonlyMap<string, readonly Issuer[]>;
  readonly #find: ((issuer: string) => unknown) | undefined;
  readonly #found = new LRUCache<string, Found>({ max: KEPT });
  readonly #own: string;

  /** @throws TypeError for an issuer that is invalid. */
  constructor(given: AssertionOptions['issuers'], own: string, host: FeatureHost) {
    this.#host = host;
    this.#own = own;
    this.#find = isList(given)
      ? undefined
      : host.bound('assertions: issuers.find', (issuer: string) => given.find(issuer));
    const pathOf = (index: number): string => `assertions: options.issuers[${index}]`;
    const all = isList(given) ? given : [];
    const listed = all.map((one, index) => readIssuer(one, pathOf(index), own));
    for (const [index, one] of all.entries()) checkClients(one, pathOf(index), host);
    checkDistinct(listed, 'assertions: options.issuers');
    this.#listed = grouped(listed);
  }

  /** Those of the options. */
  get listed(): readonly Issuer[] {
    return [...this.#listed.values()].flat();
  }

  /** Whether this is one of the options. */
  isListed(issuer: string): boolean {
    return this.#listed.has(issuer);
  }

  /** Whether a function finds them, so that there may be any. */
  get areFound(): boolean {
    return this.#find !== undefined;
  }

  /** The issuers of this name: at most two, of which one has the kind `id-jag`. */
  async named(iss: string): Promise<readonly Issuer[]> {
    if (this.#find === undefined) return this.#listed.get(iss) ?? [];
    const known = this.#found.get(iss);
    const now = this.#host.clock();
    if (known !== undefined && now < known.until) return known.issuers;
    const issuers = await this.#ask(iss, this.#find);
    this.#found.set(iss, { issuers, until: now + KEPT_FOR });
    return issuers;
  }

  /** A mistake in an answer is that of the application: the client may come again. */
  async #ask(iss: string, find: (issuer: string) => unknown): Promise<readonly Issuer[]> {
    try {
      const answer = await find(iss);
      if (answer === undefined || answer === null) return [];
      const read = readIssuer(answer, 'assertions: the answer of issuers.find', this.#own);
      if (read.issuer !== iss)
        throw new TypeError('assertions: issuers.find returned another issuer than the one asked for.');
      if ((await this.#host.clients.find(iss)) !== undefined) asClient(iss, 'assertions: the answer of issuers.find');
      return [read];
    } catch (cause) {
      throw new UnavailableError(cause instanceof Error ? cause.message : 'assertions: issuers.find failed.', {
        cause,
      });
    }
  }

  /** The keys of an issuer. @throws UnavailableError if there is no usable copy. */
  async keysOf(
    { issuer, jwks, jwksUri, keys }: Issuer,
    isLacking: (keys: readonly PublicKey[]) => boolean,
  ): Promise<readonly PublicKey[]> {
    if (jwks !== undefined) return jwks.keys;
    const from: PublishedKeysOf =
      keys === undefined
        ? jwksUri === undefined
          ? { issuer }
          : { jwksUri }
        : { name: issuer, read: this.#host.bound(`assertions: keys of ${issuer}`, keys) };
    return this.#host.publishedKeys(from, isLacking);
  }
}

const grouped = (issuers: readonly Issuer[]): ReadonlyMap<string, readonly Issuer[]> =>
  new Map(issuers.map(({ issuer }) => [issuer, issuers.filter((one) => one.issuer === issuer)]));
