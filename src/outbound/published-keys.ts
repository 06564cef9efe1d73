import { isLoopbackHost } from '../core/base/addresses/loopback.js';
import { parseUrl } from '../core/base/addresses/url.js';
import { abortedInTime } from '../core/base/deadline.js';
import { UnavailableError } from '../core/base/errors.js';
import type { Clock, Timer } from '../core/base/ports.js';
import { printable } from '../core/base/printable.js';
import { isSecretKey, publicKeyProblem } from '../core/base/public-keys.js';
import { isRecord } from '../core/base/schema.js';
import type { PublicKey, PublishedKeysOf } from '../core/feature/keys.js';
import { Copies, type CopyRules, type Wanted } from './copies.js';
import { fetchJson, type FetchedJson } from './fetch-json.js';
import { type Network, publicNetwork } from './public-request.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const RULES: CopyRules = {
  fresh: { min: MINUTE, max: 60 * MINUTE, usual: 5 * MINUTE },
  usableFor: 60 * MINUTE,
  renewAfter: 30 * SECOND,
  pause: { first: 30 * SECOND, longest: MINUTE },
  isTemporary: () => true,
};

const LOOPBACK = ['127.0.0.1', '::1'];

/** Milliseconds for one fetch. */
const TIMEOUT = 5000;

const MAX_KEYS = 100;
const MAX_SHOWN = 300;

/** Fetches JSON from an address. */
export type FetchJson = (url: URL, signal: AbortSignal) => Promise<FetchedJson>;

/** What {@link PublishedKeys} depend on. */
export interface KeyServices {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Called with the reason of each failure. */
  readonly onError: (error: unknown) => void;
  /** Default: from public addresses. */
  readonly fetch?: FetchJson | undefined;
}

/** A server on this machine is for development: its own name says so. */
const loopbackNetwork = (): Network =>
  publicNetwork({ resolve: async () => LOOPBACK, isAllowed: (address) => LOOPBACK.includes(address) });

const onPublicAddresses: FetchJson = (url, signal) =>
  fetchJson(url, isLoopbackHost(url.hostname) ? loopbackNetwork() : publicNetwork(), signal);

/**
 * An address that keys may be fetched from.
 *
 * @param named - Where it was found: only what is itself on loopback may name another address there.
 */
const addressOf = (text: unknown, named: string): URL => {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') throw new Error('It has no usable jwks_uri.');
  const isOwn = isLoopbackHost(url.hostname) && isLoopbackHost(parseUrl(named)?.hostname ?? '');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwn))
    throw new Error('The address of its keys is not an https URL.');
  if (isLoopbackHost(url.hostname) && !isOwn) throw new Error('The address of its keys is not a public address.');
  return url;
};

/** The usable keys of a set; those of other kinds, and weak ones, are left out. @throws Error for a set that is none. */
const keysIn = (json: unknown): readonly PublicKey[] => {
  const keys: unknown = isRecord(json) && Object.hasOwn(json, 'keys') ? json['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every(isRecord)) throw new Error('The JWK set has no array of keys.');
  if (keys.length > MAX_KEYS) throw new Error(`The JWK set has more than ${MAX_KEYS} keys.`);
  if (keys.some(isSecretKey)) throw new Error('The JWK set contains a private or symmetric key.');
  const usable = keys.filter((key) => key['use'] !== 'enc' && publicKeyProblem(key) === undefined);
  return usable.length > 0 ? usable : fail('The JWK set contains no usable key.');
};

const nameOf = (from: PublishedKeysOf): string => {
  if ('read' in from) return `${from.name} (keys)`;
  return 'jwksUri' in from ? from.jwksUri : from.issuer;
};

const fail = (sentence: string): never => {
  throw new Error(sentence);
};

/** The two places of a server's metadata: OpenID Connect Discovery appends its path, RFC 8414 §3.1 inserts it. */
const metadataAddresses = (issuer: string): readonly URL[] => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}${path}/.well-known/openid-configuration`),
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
  ];
};

/** The keys that other servers publish: fetched from public addresses only, kept as long as they say, and shared by all who need them. */
export class PublishedKeys {
  readonly #given: KeyServices;
  readonly #fetch: FetchJson;
  readonly #keys: Copies<readonly PublicKey[]>;
  /** The address of a server's keys, by its issuer. */
  readonly #addresses: Copies<string>;

  constructor(given: KeyServices) {
    this.#given = given;
    this.#fetch = given.fetch ?? onPublicAddresses;
    this.#keys = new Copies(RULES, given.clock);
    this.#addresses = new Copies(RULES, given.clock);
  }

  /**
   * The public keys of a server, at least one.
   *
   * @param isLacking - Whether keys are insufficient, because the one that is looked for is not among them. They are fetched again at most every 30
   * seconds, whatever callers look for.
   * @throws UnavailableError if there is no usable copy, or if keys are insufficient and cannot be fetched again.
   */
  async of(from: PublishedKeysOf, isLacking?: (keys: readonly PublicKey[]) => boolean): Promise<readonly PublicKey[]> {
    const name = nameOf(from);
    try {
      const address = 'issuer' in from ? await this.#addressOf(from.issuer) : name;
      const { value } = await this.#keys.current(address, { isLacking, load: this.#loading(address, from) });
      if (isLacking?.(value) !== true || !this.#keys.hasFailed(address)) return value;
    } catch (cause) {
      throw new UnavailableError(`The keys of ${name} are not available.`, { cause });
    }
    throw new UnavailableError(`The keys of ${name} cannot be fetched again.`);
  }

  #loading(address: string, from: PublishedKeysOf): Wanted<readonly PublicKey[]>['load'] {
    const read = async (signal: AbortSignal): Promise<FetchedJson> => {
      if ('read' in from) return { json: await from.read(), seconds: undefined };
      return this.#fetch(addressOf(address, 'issuer' in from ? from.issuer : from.jwksUri), signal);
    };
    return () =>
      this.#reported(address, async (signal) => {
        const { json, seconds } = await read(signal);
        return { value: keysIn(json), seconds };
      });
  }

  async #addressOf(issuer: string): Promise<string> {
    const { value } = await this.#addresses.current(issuer, { load: () => this.#discover(issuer) });
    return value;
  }

  async #discover(issuer: string): Promise<{ readonly value: string; readonly seconds: number | undefined }> {
    const problems: unknown[] = [];
    for (const url of metadataAddresses(issuer)) {
      try {
        const { json, seconds } = await this.#reported(url.href, async (signal) => {
          addressOf(url.href, issuer);
          return this.#fetch(url, signal);
        });
        if (!isRecord(json) || json['issuer'] !== issuer) throw new Error(`${url.href} names another issuer.`);
        return { value: addressOf(json['jwks_uri'], issuer).href, seconds };
      } catch (error) {
        problems.push(error);
      }
    }
    throw new AggregateError(problems, `The metadata of ${issuer} cannot be used.`);
  }

  /** Fetches in time; what fails is reported once, whoever waits for it. */
  async #reported<T>(place: string, get: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timer, onError } = this.#given;
    const error = (): Error => new Error(`It did not arrive within ${TIMEOUT} ms.`);
    try {
      return await abortedInTime(get, { milliseconds: TIMEOUT, timer, error });
    } catch (cause) {
      const why = printable((cause instanceof Error ? cause.message : String(cause)).slice(0, MAX_SHOWN));
      const problem = new UnavailableError(`${place} cannot be used: ${why}`, { cause });
      onError(problem);
      throw problem;
    }
  }
}
