import { type FeatureHost, type GrantPart, isSubset, parseScope } from '../../core/feature/index.js';
import type { Checked } from './claim-checks.js';
import { Refusal } from './refusal.js';

type GrantCall = Parameters<GrantPart['decide']>[0];

const intersection = (all: readonly (readonly string[] | undefined)[]): readonly string[] | undefined => {
  const given = all.filter((one) => one !== undefined);
  const [first, ...others] = given;
  return first?.filter((name) => others.every((other) => other.includes(name)));
};

/**
 * The scopes of a token: those that are requested, that the assertion has, that its issuer may vouch for, and that the client may have. What an
 * assertion leaves open is left to the others.
 *
 * @throws Refusal if none is left.
 */
export const scopeOf = ({ scope: asked, client }: GrantCall, { issuer, claims }: Checked): readonly string[] => {
  // The claims of a platform are about its own resources: its clients have what they are registered for.
  const claim = issuer.kind === 'workload' ? undefined : claims['scope'];
  const claimed = claim === undefined ? undefined : typeof claim === 'string' ? parseScope(claim) : undefined;
  if (claim !== undefined && claimed === undefined)
    throw new Refusal('claims', 'The scope of the assertion must be scopes separated by single spaces, in one text.');
  const vouched = issuer.scopes === undefined ? undefined : parseScope(issuer.scopes);
  const allowed = intersection([asked ?? claimed ?? client.defaultScope, claimed, vouched, [...client.scopes]]) ?? [];
  if (allowed.length === 0 && client.scopes.size > 0)
    throw new Refusal(
      'scope',
      'No scope is left that is requested, in the assertion, and allowed for the client.',
      'invalid_scope',
    );
  return allowed;
};

/** @throws Refusal unless the claim is a text, or an array of texts. */
const resourcesIn = ({ claims: { resource }, issuer }: Checked): readonly string[] | undefined => {
  if (resource === undefined || issuer.kind === 'workload') return undefined;
  const all: readonly unknown[] = Array.isArray(resource) ? resource : [resource];
  if (!all.every((one): one is string => typeof one === 'string'))
    throw new Refusal('claims', 'The resource of the assertion must be a URL, or an array of them.');
  return all;
};

/**
 * The resources of a token: the requested ones, or all that the assertion and its issuer allow.
 *
 * @throws Refusal if the assertion does not allow what is requested, or nothing that this server knows.
 */
export const resourcesOf = (
  { resources: asked }: GrantCall,
  checked: Checked,
  { findResource }: Pick<FeatureHost, 'findResource'>,
): readonly string[] => {
  const { issuer } = checked;
  const known = (all: readonly string[] | undefined): readonly string[] | undefined =>
    all && [...new Set(all.flatMap((named) => findResource(named) ?? []))];
  const claimed = known(resourcesIn(checked));
  if (claimed === undefined && issuer.kind === 'id-jag' && issuer.requireResource)
    throw new Refusal('claims', 'The assertion lacks resource.');
  const allowed = intersection([claimed, known(issuer.resources)]);
  if (allowed === undefined) return asked;
  if (allowed.length === 0)
    throw new Refusal('resource', 'The assertion is for no resource of this server.', 'invalid_target');
  if (!isSubset(asked, allowed))
    throw new Refusal('resource', 'The assertion is not for the requested resource.', 'invalid_target');
  return asked.length === 0 ? allowed : asked;
};
