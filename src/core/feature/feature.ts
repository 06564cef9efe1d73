import type { ResourceDefinition } from '../base/resource-metadata.js';
import type { Rules } from '../base/rules.js';
import { fail } from '../base/schema.js';
import type { ClientRegistration } from '../oauth/clients/client.js';
import type { ClaimsPart } from './claims.js';
import type { FeatureHost } from './host.js';
import type { Parts } from './parts.js';
import type { AllowedClaims, Feature, FeatureMaker, FeatureOf, FeatureScopes, NameIn, Verifying } from './types.js';
import type { Verify } from './verify.js';

/** The version of the port. A feature that was made for another version is refused. */
const PORT: Feature['port'] = 1;

/** What a feature is made of. Every member but the name may be absent. */
export interface FeatureDefinition<
  Name extends string,
  S extends FeatureScopes,
  C extends object,
  Value,
  N extends readonly FeatureMaker[],
  V extends Verify | undefined,
> {
  /** Unique in a server: in errors, warnings and the keys of its records. Letters, digits and `. : / - _`. */
  readonly name: Name;
  /** The functions that make the features it needs. Its `start` gets what they provide from `host.use`. */
  readonly needs?: N | undefined;
  /** Features that must not be in the same server, by name, and why: the end of the sentence "… and … exclude each other: …". */
  readonly excludes?: Readonly<Record<string, string>> | undefined;
  /** Features that it brings along. One of them may be in the list as well, with options of its own, which then counts instead; `rules` limit those too. */
  readonly includes?: readonly Feature[] | undefined;
  /** Limits that the server, its clients and the other features must keep: an option that contradicts one is an error at the start. */
  readonly rules?: Rules | undefined;
  /** Its scopes, which need no entry in `options.scopes`. They are never granted by default; an application may describe them itself. */
  readonly scopes?: S | undefined;
  /** Protected resources (RFC 9728) that it serves, by their path below the issuer. */
  readonly resources?: Readonly<Record<string, ResourceDefinition>> | undefined;
  /** The `grant_type` of each of its grants, which its `start` returns. Clients must have them in their `grant_types`. */
  readonly grantTypes?: readonly string[] | undefined;
  /**
   * Whether clients that describe themselves in a document may use its grants, by naming them there. Nobody registered such a client, so its `decide` must find
   * out who allowed that: `client.origin` is `document`. Default: `false`.
   */
  readonly allowsDocuments?: boolean | undefined;
  /** Whether its part `clients.authenticate` authenticates clients that have neither a secret nor keys. Default: `false`. */
  readonly vouchesForClients?: boolean | undefined;
  /**
   * What the `client_id` of each client begins with that its part `clients.find` finds: letters and a full stop, such as `app.`. Such a
   * `client_id` may have 1,500 characters, all others 512.
   */
  readonly clientPrefix?: string | undefined;
  /** A client that what it issues belongs to. It should have neither credentials nor grants: then it can request nothing itself. */
  readonly client?: ClientRegistration | undefined;
  /** Whether the server keeps when and how owners sign in (`auth_time`, `acr`, `amr`), because it reads that. Default: `false`. */
  readonly keepsSignIn?: boolean | undefined;
  /** What it puts into access tokens. */
  readonly claims?: AllowedClaims<C> | undefined;
  /** What guards check beyond the token. A verifier in another process calls it too: it has neither the records of the server nor its clients. */
  readonly verify?: V | undefined;
  /**
   * Creates its parts, once, when the server is created.
   *
   * @throws TypeError with a sentence, if its options do not fit this server.
   */
  readonly start?: ((host: FeatureHost<N[number]>) => Parts<Value>) | undefined;
}

/** A definition whose types are not known, as the server reads it. */
export interface AnyDefinition extends Omit<
  FeatureDefinition<string, FeatureScopes, object, unknown, readonly FeatureMaker[], Verify | undefined>,
  'claims'
> {
  readonly claims?: ClaimsPart | undefined;
}

/** Without a name for the compiler, so that two copies of the package find it in each other's features. */
const DEFINITION = '~definition';

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'needs',
  'excludes',
  'includes',
  'rules',
  'scopes',
  'resources',
  'grantTypes',
  'allowsDocuments',
  'clientPrefix',
  'client',
  'vouchesForClients',
  'keepsSignIn',
  'claims',
  'verify',
  'start',
]);

/**
 * Makes a feature.
 *
 * @throws TypeError for a name that is none, and for a member that is unknown.
 * @example
 * const tenant = (tenantOf: (sub: string) => string) =>
 *   feature({ name: 'tenant', claims: { names: ['tenant'], of: ({ owner }) => ({ tenant: owner && tenantOf(owner.sub) }) } });
 */
export const feature = <
  const Name extends string,
  S extends FeatureScopes = {},
  C extends object = {},
  Value = undefined,
  const N extends readonly FeatureMaker[] = [],
  V extends Verify | undefined = Verify | undefined,
>(
  definition: FeatureDefinition<Name, S, C, Value, N, V>,
): Feature<keyof S & string, C, Value, Name, NameIn<N[number]>> & (V extends Verify ? Verifying : unknown) => {
  const { name } = definition;
  if (typeof name !== 'string' || !/^[A-Za-z][\w.:/-]{0,99}$/.test(name))
    fail('feature(): name must be up to 100 letters, digits and . : / - _, such as photo-albums.');
  const unknown = Object.keys(definition).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) fail(`feature ${name}: ${unknown} is unknown. Known are ${[...MEMBERS].join(', ')}.`);
  const made: Feature<keyof S & string, C, Value, Name, NameIn<N[number]>> = { name, port: PORT };
  return Object.defineProperty(made, DEFINITION, { value: definition });
};

/** Marks a function with the name of the features that it makes, so that `needs: [query]` finds them and types follow. */
export const featureMaker = <const Name extends string, F extends FeatureOf<unknown>>(
  name: Name,
  make: F,
): F & FeatureMaker<Name> => Object.assign(make, { feature: name });

/** The definition of a feature. @throws TypeError for anything else. */
export const definitionOf = (given: unknown, path: string): AnyDefinition => {
  if (given instanceof Promise) fail(`${path} is a promise: await it first.`, 'OQ103');
  if (typeof given === 'function')
    fail(`${path} is a function, not a feature. Call it: ${given.name || 'feature'}().`, 'OQ104');
  const { port, [DEFINITION]: definition }: { readonly port?: unknown; readonly [DEFINITION]?: AnyDefinition } =
    Object(given);
  if (definition === undefined)
    return fail(
      `${path} must be a feature, such as query({ … }) of oauth-query/query; your own are made by feature({ … }) of oauth-query/feature.`,
    );
  if (port !== PORT)
    return fail(
      `${path} (${definition.name}) was made for version ${String(port)} of the port, and this server has ${PORT}. Install versions of both packages that fit.`,
    );
  return definition;
};

/**
 * The definitions of a list, and those of what its features include. What stands in the list itself counts instead of what another one includes.
 *
 * @throws TypeError for something that is no feature.
 */
export const definitionsOf = (given: readonly unknown[], path: string): readonly AnyDefinition[] => {
  const listed = given.map((one, at) => definitionOf(one, `${path}[${at}]`));
  const all = [...listed];
  const names = new Set(listed.map(({ name }) => name));
  for (const { name, includes = [] } of all) {
    for (const [at, one] of includes.entries()) {
      const included = definitionOf(one, `feature ${name}: includes[${at}]`);
      if (names.has(included.name)) continue;
      names.add(included.name);
      // It is looked at too, for what it includes.
      all.push(included);
    }
  }
  return all;
};
