import {
  type FeatureClient,
  type FeatureHost,
  isRecord,
  printable,
  UnavailableError,
} from '../../core/feature/index.js';
import type { CheckedOpenIdOptions, Claims, ClaimsRequest, OpenIdOptions } from './options.js';
import { OPENID, STANDARD_CLAIMS } from './scopes.js';

const MAX_TEXT = 4096;
const MAX_BYTES = 32_768;
const MAX_WARNINGS = 100;

const BOOLEANS: ReadonlySet<string> = new Set(['email_verified', 'phone_number_verified']);
const STANDARD: ReadonlySet<string> = new Set(Object.values(STANDARD_CLAIMS).flat());

/** What is wrong with the value of a claim, as the end of a sentence. */
const problemOf = (name: string, given: unknown): string | undefined => {
  if (typeof given === 'string' && given.length > MAX_TEXT) return `has more than ${MAX_TEXT} characters`;
  if (!STANDARD.has(name)) return undefined;
  if (BOOLEANS.has(name)) return typeof given === 'boolean' ? undefined : 'must be true or false';
  if (name === 'updated_at') return Number.isFinite(given) ? undefined : 'must be a number of seconds since the epoch';
  if (name === 'address') return isRecord(given) ? undefined : 'must be an object';
  return typeof given === 'string' ? undefined : 'must be a string';
};

const isAbsent = (given: unknown): boolean => given === undefined || given === null || given === '';

/** Whose claims, for whom. */
interface ClaimsOf extends ClaimsRequest {
  readonly sub: string;
  /** Single claims that were granted, in addition to those of the scopes. */
  readonly single: readonly string[];
  /** No others. */
  readonly only?: readonly string[];
}

/** The claims about owners, as the application tells them. Values are passed on, and never kept. */
export class ClaimSource {
  /** The claims of each scope that gives any. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
  /** Claims that every client may ask for by name. */
  readonly #forAll: readonly string[];
  readonly #ask: NonNullable<OpenIdOptions['claims']> | undefined;
  readonly #warn: FeatureHost['onWarning'];
  readonly #warned = new Set<string>();

  /** @throws TypeError for a scope that is not described. */
  constructor(
    { claims, scopes, claimNames }: CheckedOpenIdOptions,
    known: ReadonlyMap<string, unknown>,
    host: FeatureHost,
  ) {
    const own = Object.entries(scopes).map(([name, names]) => {
      const standard = Object.hasOwn(STANDARD_CLAIMS, name)
        ? STANDARD_CLAIMS[name as keyof typeof STANDARD_CLAIMS]
        : undefined;
      if (names === true && standard === undefined)
        throw new TypeError(
          `openIdConnect: options.scopes.${name}: name its claims, because the standard defines none.`,
        );
      if (!known.has(name))
        throw new TypeError(
          `openIdConnect: options.scopes names ${JSON.stringify(name)}, which options.scopes does not describe.`,
        );
      return [name, names === true ? (standard ?? []) : names] as const;
    });
    this.scopes = new Map<string, readonly string[]>([
      ['profile', STANDARD_CLAIMS.profile],
      ['email', STANDARD_CLAIMS.email],
      ...own,
    ]);
    this.#forAll = claimNames;
    this.#ask = claims && host.bound('openIdConnect: options.claims', claims);
    this.#warn = host.onWarning;
  }

  /** Every claim that may be in an answer. */
  get names(): readonly string[] {
    return [...new Set([...[...this.scopes.values()].flat(), ...this.#forAll])];
  }

  /** The claims that these scopes cover. */
  coveredBy(scopes: Iterable<string>): ReadonlySet<string> {
    return new Set([...scopes].flatMap((name) => this.scopes.get(name) ?? []));
  }

  /** Those of these names that a client may ask for one by one: a scope of its registration covers them, or every client may. */
  allowed(names: readonly string[], { scopes }: FeatureClient): readonly string[] {
    const covered = this.coveredBy(scopes);
    return names.filter((name) => covered.has(name) || this.#forAll.includes(name));
  }

  /**
   * The claims of the granted scopes, and single claims.
   *
   * @throws UnavailableError if the application does not answer, or answers something else.
   */
  async find({ sub, client_id, scope, username, use, single, only }: ClaimsOf): Promise<Claims> {
    const granted = scope.split(' ').filter((name) => name !== OPENID);
    const covered = [...new Set([...this.coveredBy(granted), ...single])];
    const names = only === undefined ? covered : covered.filter((name) => only.includes(name));
    if (names.length === 0) return {};
    if (this.#ask === undefined)
      return names.includes('preferred_username') && username !== undefined ? { preferred_username: username } : {};
    try {
      const request = { client_id, scope, ...(username !== undefined && { username }), use };
      return this.#checked(await this.#ask(sub, names, request), sub, names);
    } catch (cause) {
      throw cause instanceof UnavailableError
        ? cause
        : new UnavailableError('openIdConnect: options.claims failed.', { cause });
    }
  }

  #checked(given: unknown, sub: string, names: readonly string[]): Claims {
    if (!isRecord(given)) throw new TypeError('openIdConnect: options.claims must return an object.');
    if (!isAbsent(given['sub']) && given['sub'] !== sub)
      throw new TypeError('openIdConnect: options.claims returned the sub of a different owner.');
    const present = Object.entries(given).filter(([name, one]) => name !== 'sub' && !isAbsent(one));
    const claims = present.filter(([name]) => names.includes(name) || this.#drop(name));
    for (const [name, one] of claims) {
      const problem = problemOf(name, one);
      if (problem !== undefined) throw new TypeError(`openIdConnect: options.claims: ${name} ${problem}.`);
    }
    const checked = Object.fromEntries(claims);
    if (Buffer.byteLength(JSON.stringify(checked)) > MAX_BYTES)
      throw new TypeError(`openIdConnect: options.claims returned more than ${MAX_BYTES} bytes.`);
    return checked;
  }

  /** @returns `false`, after a warning. */
  #drop(name: string): false {
    if (!this.#warned.has(name) && this.#warned.size < MAX_WARNINGS) {
      this.#warned.add(name);
      this.#warn(
        `openIdConnect: options.claims returned ${JSON.stringify(printable(name.slice(0, 100)))}, which was not asked for, so it is left out. Return only the names of the second argument.`,
        'OQ313',
      );
    }
    return false;
  }
}
