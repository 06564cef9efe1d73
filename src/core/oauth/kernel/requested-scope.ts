import { findResource } from '../../base/addresses/resource.js';
import { OAuthError } from '../../base/errors.js';
import { isSubset, parseScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import type { OAuthContext } from './context.js';
import { printable, RefusedRequest } from './refusal.js';

/** The maximum number of characters of the request in an error_description. */
const MAX_QUOTED_LENGTH = 200;

/**
 * The scopes of a request, or the client's default.
 *
 * @param grant_type - The grant that the request leads to.
 * @throws OAuthError `invalid_scope` for malformed scopes, and for scopes this client may not request.
 */
export const requestedScope = (
  form: Parameters,
  client: Client,
  grant_type: string,
  context: OAuthContext,
): readonly string[] => {
  const { askedScope = ({ scopes }) => scopes } = context.hooks;
  const text = form.get('scope');
  if (text === undefined) {
    if (client.defaultScope.length === 0 && context.config.scopes.size > 0) {
      throw new RefusedRequest('invalid_scope', 'The request must name a scope: the client has no default.', {
        reason: 'missing_scope',
      });
    }
    return askedScope({ scopes: client.defaultScope, client, grant_type });
  }
  const parsed = parseScope(text);
  if (parsed === undefined)
    throw new RefusedRequest('invalid_scope', 'The scope must be scopes separated by single spaces.', { value: text });
  const scopes = askedScope({ scopes: parsed, client, grant_type });
  checkScope(scopes, client);
  return scopes;
};

/** @throws OAuthError `invalid_scope` for a scope that the client may not request. */
export const checkScope = (scopes: readonly string[], client: Client): void => {
  if (isSubset(scopes, client.scopes)) return;
  const value = scopes.filter((scope) => !isSubset([scope], client.scopes)).join(' ');
  throw new RefusedRequest(
    'invalid_scope',
    value.length > MAX_QUOTED_LENGTH
      ? 'The client may not request this scope.'
      : `The client may not request the scope ${value}.`,
    { reason: 'scope_not_allowed', value },
  );
};

/** The maximum number of resources in an error_description. */
const MAX_NAMED = 5;

const unknownResource = (named: string, known: readonly string[]): string => {
  const some = known.slice(0, MAX_NAMED).join(', ') + (known.length > MAX_NAMED ? ', …' : '');
  const remedy = known.length === 0 ? 'Leave it out: this server has none.' : `The resources of this server: ${some}`;
  return `The resource ${printable(named)} is not known. ${remedy}`;
};

/**
 * The resources of a request (RFC 8707 §2), all known to the server, each in its canonical spelling.
 *
 * @throws OAuthError `invalid_target`
 */
export const requestedResources = (form: Parameters, context: OAuthContext): readonly string[] => {
  if (form.resources.length === 0) return form.resources;
  const resources = form.resources.map((named) => {
    const resource = context.config.resources.find(named);
    if (resource !== undefined) return resource;
    throw new RefusedRequest('invalid_target', unknownResource(named, context.config.resources.names), {
      reason: 'unknown_resource',
      value: named,
    });
  });
  return [...new Set(resources)];
};

/**
 * Like {@link requestedResources}, for a request that an owner is asked about. A client unknown to the operator cannot know which resource to name: if
 * there is only one, the request is for that one.
 *
 * @throws OAuthError `invalid_target`
 */
export const ownerResources = (form: Parameters, client: Client, context: OAuthContext): readonly string[] => {
  const { only } = context.config.resources;
  return form.resources.length === 0 && only !== undefined && client.origin !== 'operator'
    ? [only]
    : requestedResources(form, context);
};

/**
 * Like {@link requestedResources}, at the token endpoint: the request can only narrow the grant, and without resources gets all of it.
 *
 * @throws OAuthError `invalid_target`
 */
export const narrowedResources = (
  form: Parameters,
  granted: readonly string[],
  context: OAuthContext,
): readonly string[] => {
  const resources = requestedResources(form, context);
  if (resources.length === 0) return granted;
  const { issuer } = context.config;
  // A grant without a resource is for the issuer, which may be named.
  const known = granted.length === 0 && issuer !== undefined ? [issuer] : granted;
  const found = resources.map((resource) => findResource(known, resource));
  if (!found.every((resource) => resource !== undefined))
    throw new OAuthError('invalid_target', 'The resource was not granted.');
  return granted.length === 0 ? granted : found;
};
