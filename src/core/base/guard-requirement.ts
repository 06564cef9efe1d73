import { defined } from './defined.js';
import type { GuardRequirement } from './http/bearer.js';
import type { GivenProof } from './possession.js';
import {
  either,
  type Entry,
  ENVIRONMENT,
  fail,
  listOf,
  neverUndefined,
  object,
  refined,
  type Schema,
  text,
  value,
} from './schema.js';
import { OFFLINE_ACCESS } from './scope.js';
import { didYouMean } from './spelling.js';

/** Scopes that a token must have, all of them: a text that is split at spaces, or a list. Not empty: `guard.any()` requires none. */
export type RequiredScope<Scope extends string = string> = Scope | readonly [Scope, ...Scope[]];

/** What a guard may require in addition to scopes. */
export interface GuardOptions {
  /** The token must be for one of these resources; default: the issuer itself. */
  readonly audience?: string | readonly string[];
  /**
   * The resource the route belongs to, by its URL or its path in `options.resources`: the token must be for it, and error responses contain
   * the URL of its metadata (RFC 9728 §5.1). Cannot be combined with `audience`.
   */
  readonly resource?: string;
  /** The owner must have signed in with one of these authentication context classes (RFC 9470). Needs the feature `openIdConnect()` or `stepUp()`. */
  readonly acr?: readonly string[];
  /** Seconds: how long ago the owner may have signed in (RFC 9470). Needs the feature `openIdConnect()` or `stepUp()`. */
  readonly maxAge?: number;
  /** `required`: the token must be bound to a key, and the request needs a proof of it (RFC 9449). Needs the feature `dpop()`. */
  readonly dpop?: 'required';
  /** `refuse`: rejects tokens that were exchanged, with which a service acts for the owner (RFC 8693 §4.1). */
  readonly act?: 'refuse';
}

/** What a token must have where there is no middleware. */
export interface CheckOptions extends GuardOptions {
  /** The proof that came with the token, for tokens that are bound to a key (RFC 9449). */
  readonly proof?: GivenProof;
}

/** What a guard needs from its server to check its arguments. */
export interface GuardingServer {
  /** Checks the scopes, if the server knows which ones exist. */
  checkScopes?(scopes: readonly string[]): void;
  /** Whether tokens may be bound to keys. */
  readonly bindsTokens?: boolean;
  /** Whether tokens of this server say when and how their owner signed in; absent if another server issues them. */
  readonly keepsSignIn?: boolean;
  /** @throws TypeError if the server does not describe the resource. */
  resourceRequirement?(resource: string): Pick<GuardRequirement, 'audience' | 'metadata'>;
}

const resource = text('a resource', /^[^]+$/, ENVIRONMENT);
/** A requirement that is there, and undefined, was meant to be something. */
const requirement = <In, Out>(entry: Entry<In, Out>): Entry<In, Out> & { readonly refusesUndefined: string } =>
  neverUndefined(entry, ' Is the environment variable set? Leave the option out to require nothing.');

const OPTIONS = object({
  audience: requirement(
    either(
      resource,
      refined(listOf('an array of resources', resource), (given, path) =>
        given.length > 0 ? given : fail(`${path} is an empty list. Name a resource, or leave it out.`),
      ),
    ),
  ),
  resource: requirement(text("an address or a path of options.resources, such as '/mcp'", /^[^]+$/, ENVIRONMENT)),
  dpop: requirement(value<'required'>("'required', or left out", (given) => given === 'required')),
  act: requirement(value<'refuse'>("'refuse', or left out", (given) => given === 'refuse')),
  acr: requirement(
    refined(listOf('an array of authentication context classes', text('text without spaces', /^\S+$/)), (given, path) =>
      given.length > 0 ? given : fail(`${path} is an empty list. Name a class, or leave it out.`),
    ),
  ),
  maxAge: requirement(
    value<number>('a whole number of seconds', (given) => Number.isSafeInteger(given) && Number(given) >= 0),
  ),
} satisfies Schema<GuardOptions>);

const isText = (given: unknown): given is string => typeof given === 'string';

const list = (given: string | readonly string[]): readonly string[] => (isText(given) ? [given] : given);

const NAME_ONE = "Name a scope: check(token, { scope: 'a' }). Any valid token passes guard.any() and check.any(token).";

/**
 * The scopes that a guard was given. What would let any token pass by mistake is an error, such as the name of a constant that does not exist. A
 * framework that receives the function itself instead of a middleware calls it with a request.
 */
export const scopesOf = (given: unknown): readonly string[] => {
  if (given === undefined) return fail(`The scope of a guard or a check is undefined. ${NAME_ONE}`, 'OQ107');
  if (!isText(given) && !(Array.isArray(given) && given.every(isText)))
    return fail(
      "guard(scope) takes a scope such as 'photos.read' or an array of scopes, and returns the middleware. Call it: pass guard('photos.read') or guard.any() to the route, not guard.",
      'OQ107',
    );
  const scopes = list(given).flatMap((names) => names.split(' ').filter((name) => name !== ''));
  return scopes.length > 0 ? scopes : fail(`A guard or a check has no scope. ${NAME_ONE}`, 'OQ107');
};

/**
 * What a guard with these options requires.
 *
 * @throws TypeError with a sentence that says how to call it.
 */
export const guardRequirement = (
  scopes: readonly string[],
  options: unknown,
  server: GuardingServer = {},
): GuardRequirement => {
  const { audience, resource: name, dpop, act, ...signIn } = OPTIONS.read(options, 'guard(scope, options): options');
  server.checkScopes?.(scopes);
  if (dpop !== undefined && server.bindsTokens !== true)
    fail(
      'guard(scope, options): options.dpop needs dpop() of oauth-query/dpop in options.features, or no token can pass.',
    );
  if (Object.keys(signIn).length > 0 && server.keepsSignIn === false)
    fail(
      'guard(scope, options): options.acr and options.maxAge need stepUp() of oauth-query/step-up or openIdConnect() of oauth-query/openid in options.features, or no token says how its owner signed in.',
    );
  const more = { ...defined({ dpop, act }), ...signIn };
  if (name === undefined) return { scopes, ...(audience !== undefined && { audience: list(audience) }), ...more };
  if (audience !== undefined)
    fail(
      'guard(scope, options): options.audience and options.resource exclude each other. A resource is its own audience: leave out options.audience.',
    );
  if (server.resourceRequirement === undefined)
    return fail(
      'guard(scope, options): options.resource must be set when the verifier is created: introspectionVerifier({ resource }).',
    );
  if (scopes.includes(OFFLINE_ACCESS))
    fail('guard(scope, options): offline_access is not a scope of a resource. Leave it out.');
  return { scopes, ...server.resourceRequirement(name), ...more };
};

/** The warning about a guard that no token can pass; `undefined` if tokens can have its scopes. */
export const undeclaredScope = (scopes: readonly string[], declared: ReadonlySet<string>): string | undefined => {
  const unknown = scopes.find((name) => !declared.has(name));
  if (unknown === undefined) return undefined;
  const advice = didYouMean(unknown, declared, ' Add it there.');
  return `guard(${JSON.stringify(unknown)}) refuses every request: options.scopes does not declare this scope, so no token can have it.${advice}`;
};
