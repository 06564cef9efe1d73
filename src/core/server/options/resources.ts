import { resourceKey, resourceProblem } from '../../base/addresses/resource.js';
import type { ResourceDefinition, ResourceDescription } from '../../base/resource-metadata.js';
import { fail } from '../../base/schema.js';
import { INTROSPECT } from '../../base/scope.js';
import { didYouMean } from '../../base/spelling.js';
import { Resources } from '../../oauth/facts/resources.js';
import type { CheckedOptions } from './server-table.js';

/** The URL of a resource. A path is relative to the host, whatever the path of the issuer is. */
const addressOf = (name: string, issuer: string, at: string): string => {
  const address = /^\/(?!\/)/.test(name) ? new URL(issuer).origin + name : name;
  const problem = resourceProblem(address);
  if (problem === undefined) return address;
  const path = /^\w[\w/-]*$/.test(name) ? `, or a path such as ${JSON.stringify(`/${name}`)}` : '';
  return fail(`${at} ${problem}${path}.`);
};

/** The scopes of an option must be scopes of the server. */
export const checkScopes = (
  { scopes = [] }: { readonly scopes?: readonly string[] | undefined },
  known: CheckedOptions['scopes'],
  at: string,
): void => {
  const unknown = scopes.find((scope) => !Object.hasOwn(known, scope));
  if (unknown === undefined) return;
  const advice = didYouMean(unknown, Object.keys(known));
  fail(`${at}.scopes names ${JSON.stringify(unknown)}, which options.scopes does not have.${advice}`);
};

/** The scopes of clients that describe themselves: like {@link checkScopes}, and without `introspect`. */
export const checkSelfDescribedScopes: typeof checkScopes = (given, known, at) => {
  checkScopes(given, known, at);
  if (given.scopes?.includes(INTROSPECT))
    fail(
      `${at}.scopes names ${JSON.stringify(INTROSPECT)}, which would let any client introspect every token. Leave it out.`,
    );
};

/**
 * The resources of the options, keyed by URL.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const resourcesOf = (options: CheckedOptions): Resources => {
  const { resources, issuer } = options;
  if (!Array.isArray(resources)) {
    const described = describe(resources as Readonly<Record<string, ResourceDefinition>>, options);
    return new Resources([], withFeatures(described, options), issuer);
  }
  const own = withFeatures([], options);
  const identifiers = resources.filter((one) =>
    own.every(({ resource }) => resourceKey(resource) !== resourceKey(one)),
  );
  return new Resources(identifiers, own, issuer);
};

/** Resources that a feature serves, unless the options describe them themselves. */
const withFeatures = (
  described: readonly ResourceDescription[],
  { features, scopes, issuer }: CheckedOptions,
): readonly ResourceDescription[] => {
  const served = features.flatMap(({ name, resources = {} }) =>
    Object.entries(resources).map(([path, definition]): ResourceDescription => {
      const resource = resourceAt(path, issuer);
      checkScopes(definition, scopes, `${name}(): ${path}`);
      return { resource, ...definition };
    }),
  );
  const isDescribed = ({ resource }: ResourceDescription): boolean =>
    described.some((one) => resourceKey(one.resource) === resourceKey(resource));
  return [...described, ...served.filter((one) => !isDescribed(one))];
};

/**
 * The address of a resource of a feature, which tokens for it are for.
 *
 * @throws TypeError without an issuer.
 */
export const resourceAt = (path: string, issuer: string | undefined): string =>
  issuer === undefined
    ? fail(
        `${path} is a resource of its own, so it needs options.issuer: tokens and the Host header name the address of the server.`,
      )
    : issuer.replace(/\/$/, '') + path;

const describe = (
  resources: Readonly<Record<string, ResourceDefinition>>,
  { issuer, scopes }: CheckedOptions,
): readonly ResourceDescription[] => {
  const definitions = Object.entries(resources);
  if (definitions.length === 0) return [];
  if (issuer === undefined)
    return fail('options.resources: resource metadata names the issuer of the tokens, so options.issuer is needed.');
  const names = new Map<string, string>();
  return definitions.map(([name, definition]): ResourceDescription => {
    const at = `options.resources[${JSON.stringify(name)}]`;
    const resource = addressOf(name, issuer, at);
    const other = names.get(resourceKey(resource));
    if (other !== undefined) fail(`${at} is the same resource as ${JSON.stringify(other)}. Name it once.`);
    names.set(resourceKey(resource), name);
    checkScopes(definition, scopes, at);
    return { resource, ...definition };
  });
};
