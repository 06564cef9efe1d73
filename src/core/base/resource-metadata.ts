import { urlProblem } from './addresses/request-addresses.js';
import { resourceMetadataAddress } from './addresses/resource.js';
import { defined } from './defined.js';
import type { Route } from './http/messages.js';
import { publicDocument } from './http/public-document.js';
import type { ProofChecker } from './key-proofs.js';
import { fail, listOf, refined, type Schema, text, value } from './schema.js';
import { isScopeToken, OFFLINE_ACCESS } from './scope.js';

/** What clients can discover about a protected resource (RFC 9728). */
export interface ResourceDefinition {
  /** The scopes a client requests first; never `offline_access`, which grants no access to a resource. */
  readonly scopes?: readonly string[] | undefined;
  /** A name for users. */
  readonly name?: string | undefined;
  /** The URL of a page for developers: https, or http on loopback. */
  readonly documentation?: string | undefined;
}

/** A protected resource with its URL, which tokens contain as `aud`. */
export interface ResourceDescription extends ResourceDefinition {
  readonly resource: string;
}

const scope = refined(
  value<string>('the name of a scope', (given) => typeof given === 'string' && isScopeToken(given)),
  (name, at) =>
    name === OFFLINE_ACCESS ? fail(`${at} is offline_access, which is not a scope of a resource. Leave it out.`) : name,
);

const documentation = refined(text('an absolute URL such as https://example.org'), (address, at) => {
  const problem = urlProblem(address);
  return problem === undefined ? address : fail(`${at} ${problem}.`);
});

/** How each field is validated. */
export const RESOURCE_DEFINITION = {
  scopes: listOf('an array of scopes', scope),
  name: text('a non-empty string'),
  documentation,
} satisfies Schema<ResourceDefinition>;

/**
 * Serves the metadata of a protected resource at its well-known path. It is the same for all callers, and every origin may read it.
 *
 * @param issuer - The authorization server whose tokens the resource accepts.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-2 | RFC 9728 §2}
 */
export const resourceMetadataRoute = (
  { resource, scopes, name, documentation }: ResourceDescription,
  issuer: string,
  proofs?: Pick<ProofChecker, 'algorithms' | 'required'>,
): Route =>
  publicDocument(new URL(resourceMetadataAddress(resource)).pathname, () => ({
    resource,
    authorization_servers: [issuer],
    ...(scopes !== undefined && scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(proofs !== undefined && { dpop_signing_alg_values_supported: proofs.algorithms }),
    ...(proofs?.required === true && { dpop_bound_access_tokens_required: true }),
    ...defined({ resource_name: name, resource_documentation: documentation }),
  }));
