import { fail, isRecord } from '../base/schema.js';
import type { ClaimsPart } from '../feature/claims.js';
import { RESERVED_CLAIMS } from '../feature/claims.js';
import { type AnyDefinition, definitionsOf } from '../feature/feature.js';
import type { FeatureHost } from '../feature/host.js';
import type { Parts } from '../feature/parts.js';
import type { FeatureMaker } from '../feature/types.js';
import { CUSTOM_GRANTS } from './options/custom-grants.js';

/** The names of all parts. */
const PARTS: ReadonlySet<string> = new Set<keyof Parts<unknown>>([
  'routes',
  'grants',
  'authorization',
  'tokens',
  'clients',
  'began',
  'introspection',
  'ended',
  'owners',
  'metadata',
  'keys',
  'provide',
  'close',
]);

/** Where the features of this package are, for sentences about one that is missing. */
const ENTRIES: Readonly<Record<string, string>> = {
  query: 'query({ … }) of oauth-query/query',
  openid: 'openIdConnect({ … }) of oauth-query/openid',
  assertions: 'assertions({ … }) of oauth-query/assertions',
  'token-exchange': 'tokenExchange({ … }) of oauth-query/token-exchange',
  'personal-tokens': 'personalTokens() of oauth-query/personal-tokens',
  dpop: 'dpop() of oauth-query/dpop',
  par: 'pushedRequests() of oauth-query/par',
  fapi2: 'fapi2() of oauth-query/fapi',
  'self-registration': 'selfRegistration() of oauth-query/self-registration',
  sessions: 'sessions() of oauth-query/sessions',
  'signed-introspection': 'signedIntrospection({ keys }) of oauth-query/signed-introspection',
  'step-up': 'stepUp() of oauth-query/step-up',
};

/** How to get a feature, as a part of a sentence. */
export const remedyFor = (name: string): string => ENTRIES[name] ?? `the feature ${name}`;

const quoted = (name: string): string => JSON.stringify(name);

/** @throws TypeError if two features have one name, or exclude each other. */
const checkNames = (all: readonly AnyDefinition[]): void => {
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name)) fail(`options.features has two features named ${quoted(name)}. Leave one of them out.`);
    names.add(name);
  }
  for (const { name, excludes = {} } of all) {
    const other = Object.keys(excludes).find((excluded) => names.has(excluded));
    if (other !== undefined) fail(`options.features: ${name} and ${other} exclude each other: ${excludes[other]}.`);
  }
};

/** @throws TypeError if two features claim the same. */
const checkUnique = (
  all: readonly AnyDefinition[],
  what: string,
  namesOf: (definition: AnyDefinition) => readonly string[],
): void => {
  const owners = new Map<string, string>();
  for (const definition of all) {
    for (const one of namesOf(definition)) {
      const other = owners.get(one);
      if (other !== undefined)
        fail(
          `options.features: ${other} and ${definition.name} both have the ${what} ${quoted(one)}. Leave one of them out.`,
        );
      owners.set(one, definition.name);
    }
  }
};

/** In the order in which they start: after those that they need, and otherwise by name, whatever the order of the list. */
const inOrder = (all: readonly AnyDefinition[]): readonly AnyDefinition[] => {
  const waiting = new Map(
    all.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map((definition) => [definition.name, definition]),
  );
  const ordered: AnyDefinition[] = [];
  const place = (definition: AnyDefinition, path: readonly string[]): void => {
    const { name, needs = [] } = definition;
    if (path.includes(name)) fail(`options.features: ${[...path, name].join(' needs ')}, which is a circle.`);
    if (!waiting.has(name)) return;
    for (const { feature: needed } of needs as readonly Partial<FeatureMaker>[]) {
      if (needed === undefined)
        return fail(`feature ${name}: needs must be functions that make features, marked by featureMaker.`);
      const found = all.find((one) => one.name === needed);
      if (found === undefined)
        return fail(`options.features: ${name} needs ${needed}. Add ${remedyFor(needed)} to the list.`);
      place(found, [...path, name]);
    }
    waiting.delete(name);
    ordered.push(definition);
  };
  for (const definition of all.toSorted((one, other) => (one.name < other.name ? -1 : 1))) place(definition, []);
  return ordered;
};

const RESERVED: ReadonlySet<string> = new Set(RESERVED_CLAIMS);

/** The names of claims, validated. @param path - For errors. */
export const claimNames = (claims: ClaimsPart | undefined, path: string): readonly string[] => {
  if (claims === undefined) return [];
  const { names, of }: { readonly names?: unknown; readonly of?: unknown } = Object(claims);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && /^[\x21-\x7e]{1,100}$/.test(name)))
    return fail(`${path}.names must be an array of names, each of at most 100 visible characters.`);
  if (typeof of !== 'function') fail(`${path}.of must be a function that returns the claims of a token.`);
  const reserved = names.find((name) => RESERVED.has(name));
  if (reserved !== undefined)
    fail(`${path}.names has ${quoted(reserved)}, which is a name of the protocol. Choose another one.`);
  return names;
};

/** The features of the options, checked against each other, in the order in which they start. */
export const readFeatures = (given: readonly unknown[], path: string): readonly AnyDefinition[] => {
  const all = definitionsOf(given, path);
  checkNames(all);
  checkUnique(all, 'scope', ({ scopes = {} }) => Object.keys(scopes));
  checkUnique(all, 'resource', ({ resources = {} }) => Object.keys(resources));
  checkUnique(all, 'clientPrefix', prefixesOf);
  checkUnique(all, 'grant', ({ grantTypes = [] }) => grantTypes);
  checkUnique(all, 'claim', ({ name, claims }) => claimNames(claims, `feature ${name}: claims`));
  return inOrder(all);
};

/** Ends with its only full stop, so that none begins with another. */
const prefixesOf = ({ name, clientPrefix }: AnyDefinition): readonly string[] => {
  if (clientPrefix === undefined) return [];
  if (!/^[a-z]{1,20}\.$/.test(clientPrefix)) fail(`feature ${name}: clientPrefix must be letters and a full stop.`);
  return [clientPrefix];
};

/** Parameters that a standard defines for several others: who does not support one must read it, to refuse it. */
const SHARED_PARAMETERS: ReadonlySet<string> = new Set(['request', 'request_uri', 'registration']);

/** A feature that has started. */
export interface Started {
  readonly definition: AnyDefinition;
  readonly parts: Parts<unknown>;
}

const checkParts = ({ name, grantTypes = [], clientPrefix }: AnyDefinition, parts: unknown): Parts<unknown> => {
  if (parts instanceof Promise)
    return fail(`feature ${name}: start must return its parts, not a promise. Wait before you make the feature.`);
  if (!isRecord(parts)) return fail(`feature ${name}: start must return an object of parts; {} if it has none.`);
  const unknown = Object.keys(parts).find((part) => !PARTS.has(part));
  if (unknown !== undefined)
    fail(`feature ${name}: start returned ${unknown}, which is no part. Known are ${[...PARTS].join(', ')}.`);
  const { grants = {}, clients }: Parts<unknown> = parts;
  if ((clientPrefix === undefined) !== (clients?.find === undefined))
    fail(`feature ${name}: clientPrefix and the part clients.find require each other.`);
  const missing = grantTypes.find((grant) => !Object.hasOwn(grants, grant));
  if (missing !== undefined)
    fail(`feature ${name}: start did not return the grant ${quoted(missing)} of its grantTypes.`);
  const unnamed = Object.keys(grants).find((grant) => !grantTypes.includes(grant));
  if (unnamed !== undefined) fail(`feature ${name}: the grant ${quoted(unnamed)} must be in its grantTypes.`);
  CUSTOM_GRANTS.read(grants, `feature ${name}: grants`);
  return parts;
};

/** Starts all features, each after those that it needs. @param hostFor - What a feature gets from the server, with `use`. */
export const startFeatures = (
  definitions: readonly AnyDefinition[],
  hostFor: (definition: AnyDefinition, use: FeatureHost['use']) => FeatureHost,
): readonly Started[] => {
  const values = new Map<string, unknown>();
  const started = definitions.map((definition): Started => {
    const { name, needs = [], start } = definition;
    const use = (maker: Partial<FeatureMaker>): unknown =>
      needs.some(({ feature }) => feature === maker.feature)
        ? values.get(maker.feature ?? '')
        : fail(`feature ${name}: host.use takes one of the functions in its needs.`);
    const host = hostFor(definition, use as FeatureHost['use']) as never; // It has what this feature needs.
    const parts = checkParts(definition, start === undefined ? {} : start(host));
    values.set(name, parts.provide);
    return { definition, parts };
  });
  checkStarted(started, 'parameter', ({ authorization }) =>
    Object.keys(authorization?.parameters ?? {}).filter((name) => !SHARED_PARAMETERS.has(name)),
  );
  checkStarted(started, 'member of the metadata', ({ metadata }) => Object.keys(metadata?.('') ?? {}));
  return started;
};

const checkStarted = (
  started: readonly Started[],
  what: string,
  namesOf: (parts: Parts<unknown>) => readonly string[],
): void => {
  const byName = new Map(started.map(({ definition, parts }) => [definition, parts]));
  checkUnique([...byName.keys()], what, (definition) => namesOf(byName.get(definition) ?? {}));
};
