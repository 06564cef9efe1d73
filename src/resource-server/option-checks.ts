import { isLoopbackHost } from '../core/option-checks.js';
import type { Clock } from '../core/ports.js';

/** What both kinds of guard can be told. */
export interface CommonOptions {
  /** Tokens must be for one of these; for the issuer itself if absent, as tokens are that were asked for without a resource. */
  readonly audience?: string | readonly string[];
  /** Tokens that are remembered; 1000 if absent. */
  readonly cacheSize?: number;
  /** Milliseconds for one question to the authorization server; 2000 if absent. */
  readonly timeout?: number;
  /** `Date.now` if absent. */
  readonly clock?: Clock;
  /** Gets every failure that a client only sees as 503; `console.error` if absent. */
  readonly onError?: (error: unknown) => void;
}

/** {@link CommonOptions} that have been checked and completed. */
export interface ResolvedCommonOptions {
  readonly audience: readonly string[] | undefined;
  readonly cacheSize: number;
  readonly timeout: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const COMMON_NAMES = ['audience', 'cacheSize', 'timeout', 'clock', 'onError'];

/** Tokens and secrets travel there, so nobody may listen on the way. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));

/** Checks the options of one guard; every sentence begins with the guard's name. */
export class OptionChecks {
  readonly #guard: string;

  constructor(guard: string) {
    this.#guard = guard;
  }

  error(problem: string): TypeError {
    return new TypeError(`${this.#guard}: ${problem}`);
  }

  /** A name that is not known is a typing error more often than not, and would be without effect. */
  names(options: unknown, own: readonly string[]): void {
    const known = [...own, ...COMMON_NAMES];
    if (typeof options !== 'object' || options === null) throw this.error(`takes an object with ${known.join(', ')}.`);
    const unknown = Object.keys(options).find((name) => !known.includes(name));
    if (unknown !== undefined) throw this.error(`${unknown} is not known; known are ${known.join(', ')}.`);
  }

  url(name: string, value: unknown): URL | undefined {
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || !URL.canParse(value)) throw this.error(`${name} must be an absolute URL.`);
    const url = new URL(value);
    if (!isProtected(url))
      throw this.error(`${name} must begin with https://; http:// is only for loopback addresses.`);
    if (url.username !== '' || url.password !== '')
      throw this.error(`${name} must have neither a user name nor a password.`);
    return url;
  }

  /** An issuer stays the text that it is, because it is compared as one. */
  issuer(value: unknown): string | undefined {
    const url = this.url('issuer', value);
    if (url === undefined) return undefined;
    if (url.search !== '' || url.hash !== '') throw this.error('issuer must have neither a query nor a fragment.');
    return String(value);
  }

  wholeNumber(name: string, value: unknown, [fallback, min, max]: readonly [number, number, number]): number {
    const given = value ?? fallback;
    if (typeof given !== 'number' || !Number.isInteger(given) || given < min || given > max) {
      throw this.error(`${name} must be a whole number from ${min} to ${max}.`);
    }
    return given;
  }

  common({
    audience,
    cacheSize,
    timeout,
    clock = Date.now,
    onError = () => undefined,
  }: CommonOptions): ResolvedCommonOptions {
    const resources: unknown = typeof audience === 'string' ? [audience] : audience;
    if (
      resources !== undefined &&
      !(Array.isArray(resources) && resources.length > 0 && resources.every(isFilledText))
    ) {
      throw this.error('audience must be a resource or an array of them; is the environment variable set?');
    }
    if (typeof clock !== 'function') throw this.error('clock must be a function that gives milliseconds.');
    if (typeof onError !== 'function') throw this.error('onError must be a function.');
    return {
      audience: resources,
      cacheSize: this.wholeNumber('cacheSize', cacheSize, [1000, 1, 1_000_000]),
      timeout: this.wholeNumber('timeout', timeout, [2000, 1, 60_000]),
      clock,
      onError,
    };
  }
}

export const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';
