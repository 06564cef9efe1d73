import { OAuthError } from '../errors.js';
import type { Client } from './client.js';
import type { OAuthContext } from './context.js';
import type { Parameters } from './parameters.js';
import { isSubset, parseScope } from './scope.js';

/**
 * The scopes that a request asks for, or the client's default.
 *
 * @throws OAuthError `invalid_scope` for text that is no scope, and for scopes that this client may not ask for.
 */
export const requestedScope = (form: Parameters, client: Client, context: OAuthContext): readonly string[] => {
  const text = form.get('scope');
  if (text === undefined) {
    if (client.defaultScope.length === 0 && context.config.scopes.size > 0) {
      throw new OAuthError('invalid_scope', 'The request must name a scope: the client has no default.');
    }
    return client.defaultScope;
  }
  const scopes = parseScope(text);
  if (scopes === undefined)
    throw new OAuthError('invalid_scope', 'The scope is not scopes separated by single spaces.');
  if (!isSubset(scopes, client.scopes)) throw new OAuthError('invalid_scope', 'The client may not ask for this scope.');
  return scopes;
};

/**
 * The resources that a request names (RFC 8707 §2), which must be known to the server.
 *
 * @throws OAuthError `invalid_target`
 */
export const requestedResources = (form: Parameters, context: OAuthContext): readonly string[] => {
  if (form.resources.length === 0) return form.resources;
  const resources = [...new Set(form.resources)];
  for (const resource of resources) {
    if (!context.config.resources.has(resource)) throw new OAuthError('invalid_target', 'The resource is not known.');
  }
  return resources;
};

/**
 * As {@link requestedResources}, at the token endpoint: it can only narrow what was granted; nothing named means all.
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
  if (!isSubset(resources, granted)) throw new OAuthError('invalid_target', 'The resource was not granted.');
  return resources;
};
