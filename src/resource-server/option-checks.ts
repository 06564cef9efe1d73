import { urlProblem } from '../core/base/addresses/request-addresses.js';
import { resourceProblem } from '../core/base/addresses/resource.js';
import { guarded } from '../core/base/listeners.js';
import { movedFrom } from '../core/base/moved.js';
import type { Clock } from '../core/base/ports.js';
import { RESOURCE_DEFINITION, type ResourceDefinition } from '../core/base/resource-metadata.js';
import {
  type Checked,
  either,
  ENVIRONMENT,
  fail,
  fn,
  listOf,
  neverUndefined,
  object,
  orElse,
  refined,
  type Schema,
  type Table,
  text,
  value,
  wholeNumber,
} from '../core/base/schema.js';
import { type AnyDefinition, definitionOf, definitionsOf } from '../core/feature/feature.js';
import type { Feature } from '../core/feature/types.js';

/** Options of both verifiers. */
export interface CommonOptions extends ResourceDefinition {
  /** Tokens must be for one of these; default: the issuer itself, the audience of tokens requested without a resource. */
  readonly audience?: string | readonly string[];
  /**
   * The URL of the resource these routes belong to, instead of `audience`: tokens must be for it, and error responses contain the URL of its
   * metadata, which `guard.metadata` serves (RFC 9728). The metadata contains `scopes`, `name` and `documentation`.
   */
  readonly resource?: string;
  /**
   * What checks tokens or adds claims to them. With `dpop()` of `oauth-query/dpop`, tokens that are bound to a key are accepted together with a proof
   * (RFC 9449), and without it they are rejected. Nonces need its option `secret`.
   */
  readonly features?: readonly Feature[] | undefined;
  /** Number of cached live tokens; default 1000. Other answers have a separate cache a tenth of this size. */
  readonly cacheSize?: number | undefined;
  /** Milliseconds for one request to the authorization server; default 2000. */
  readonly timeout?: number | undefined;
  /** Default: `Date.now`. */
  readonly clock?: Clock | undefined;
  /** Called with every failure that clients see as a 503; default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const resource = text('a resource', /^[^]+$/, ENVIRONMENT);

const address = refined(text('the URL of a resource', /^[^]+$/, ENVIRONMENT), (given, path) => {
  const problem = resourceProblem(given);
  return problem === undefined ? given : fail(`${path} ${problem}.`);
});

/** In another process there is neither a store nor a sign-in, so only what checks tokens, or describes them, has an effect. */
const verifyingFeatures = (given: readonly unknown[], path: string): readonly AnyDefinition[] => {
  for (const [at, one] of given.entries()) {
    const { name, verify, claims, rules } = definitionOf(one, `${path}[${at}]`);
    if (verify === undefined && claims === undefined && rules === undefined)
      fail(`${path}[${at}]: ${name} does nothing in a verifier. Use it where the server is created.`);
  }
  return definitionsOf(given, path);
};

export const COMMON_OPTIONS = {
  audience: neverUndefined(
    refined(either(resource, listOf('an array of resources', resource)), (given, path): readonly string[] => {
      const audience = typeof given === 'string' ? [given] : given;
      return audience.length > 0 ? audience : fail(`${path} is an empty list. Name a resource, or leave it out.`);
    }),
  ),
  resource: neverUndefined(address),
  ...RESOURCE_DEFINITION,
  features: orElse(
    refined(value<readonly Feature[]>('an array of features, such as [dpop()]', Array.isArray), verifyingFeatures),
    [],
    'none',
  ),
  cacheSize: wholeNumber(1000, 1, 1_000_000),
  timeout: wholeNumber(2000, 1, 60_000, 'milliseconds'),
  clock: orElse(fn<Clock>('a function that returns milliseconds'), Date.now, '`Date.now`'),
  onError: refined(
    orElse(
      fn<(error: unknown) => void>('a function of the error'),
      (error: unknown) => console.error(error),
      '`console.error`',
    ),
    (onError) => guarded(onError, console.error),
  ),
} satisfies Schema<CommonOptions>;

/** The algorithms of signatures that a server publishes keys for. */
export const ALGORITHMS = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const;

/** {@link CommonOptions}, validated and completed. */
export type ResolvedCommonOptions = Checked<typeof COMMON_OPTIONS>;

const checkedUrl = (given: string, path: string): URL => {
  const problem = urlProblem(given);
  return problem === undefined ? new URL(given) : fail(`${path} ${problem}.`);
};

const anyText = value<string>('an absolute URL such as https://example.org', (given) => typeof given === 'string');

/** A URL of the authorization server. */
export const url = refined(anyText, checkedUrl);

/** An issuer is used as written, because it is compared as a string. */
export const issuer = refined(anyText, (given, path) => {
  const { search, hash } = checkedUrl(given, path);
  return search === '' && hash === '' ? given : fail(`${path} must have neither a query nor a fragment.`);
});

/** Reads the options of a verifier; every error message begins with its name. */
export const verifierOptions = <const T extends Table>(
  verifier: string,
  fields: T,
): ((given: unknown) => Checked<T>) => {
  const entry = object(fields, { moved: movedFrom(verifier) });
  return (given) => {
    const options = entry.read(given, `${verifier}: options`);
    checkResource(verifier, options as ResolvedCommonOptions & { readonly issuer?: string }); // Every verifier has them.
    return options;
  };
};

/** Rules between the resource and the other options. */
const checkResource = (verifier: string, options: ResolvedCommonOptions & { readonly issuer?: string }): void => {
  const { resource: own, audience, issuer: by } = options;
  if (own === undefined) {
    const idle = Object.keys(RESOURCE_DEFINITION).find((name) => Object.hasOwn(options, name));
    if (idle !== undefined) fail(`${verifier}: options.${idle} describes a resource. Set options.resource to its URL.`);
    return;
  }
  if (audience !== undefined)
    fail(
      `${verifier}: options.audience and options.resource exclude each other. A resource is its own audience: leave out options.audience.`,
    );
  if (by === undefined)
    fail(
      `${verifier}: options.issuer is missing: the metadata of options.resource names the authorization server by it.`,
    );
};
