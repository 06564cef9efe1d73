import { findResource } from '../../base/addresses/resource.js';
import { OAuthError } from '../../base/errors.js';
import { isSubset, parseScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import { excerpt, RefusedRequest } from './refused-request.js';

/** The maximum number of characters of the request in an error_description. */
const MAX_QUOTED_LENGTH = 200;

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
  const some = known.slice(0, MAX_NAMED).join(', ') + (known.length > MAX_NAMED ? ', ...' : '');
  const remedy = known.length === 0 ? 'Leave it out: this server has none.' : `The resources of this server: ${some}`;
  return `The resource ${excerpt(named)} is not known. ${remedy}`;
};

/** What requests for access are compared with. */
export interface RequestedAccessServices {
  /** The scopes of the server, by name. */
  readonly scopes: { readonly size: number };
  readonly resources: {
    /** A resource in its canonical spelling. */
    find(name: string): string | undefined;
    readonly names: readonly string[];
    /** The resource of a server that has one. */
    readonly only: string | undefined;
  };
  readonly configuredIssuer: string | undefined;
  readonly hooks: {
    /** May omit scopes, or reject the request. */
    readonly askedScope?: (asked: {
      readonly form: Parameters;
      readonly scopes: readonly string[];
      readonly client: Client;
      readonly grant_type: string;
    }) => readonly string[];
  };
}

/** Reads the scopes and the resources of requests. */
export class RequestedAccess {
  readonly #given: RequestedAccessServices;

  constructor(given: RequestedAccessServices) {
    this.#given = given;
  }

  /**
   * The scopes of a request, or the client's default.
   *
   * @param grant_type - The grant that the request leads to.
   * @throws OAuthError `invalid_scope` for malformed scopes, and for scopes this client may not request.
   */
  scope(form: Parameters, client: Client, grant_type: string): readonly string[] {
    const named = this.named(form, client, grant_type);
    if (named !== undefined) return named;
    if (client.defaultScope.length === 0 && this.#given.scopes.size > 0) {
      throw new RefusedRequest('invalid_scope', 'The request must name a scope: the client has no default.', {
        reason: 'missing_scope',
      });
    }
    return this.#asked(form, client.defaultScope, client, grant_type);
  }

  /** Like {@link scope}, but `undefined` for a request that names none. */
  named(form: Parameters, client: Client, grant_type: string): readonly string[] | undefined {
    const text = form.get('scope');
    if (text === undefined) return undefined;
    const parsed = parseScope(text);
    if (parsed === undefined)
      throw new RefusedRequest('invalid_scope', 'The scope must be scopes separated by single spaces.', {
        value: text,
      });
    const scopes = this.#asked(form, parsed, client, grant_type);
    checkScope(scopes, client);
    return scopes;
  }

  #asked(form: Parameters, scopes: readonly string[], client: Client, grant_type: string): readonly string[] {
    return this.#given.hooks.askedScope?.({ form, scopes, client, grant_type }) ?? scopes;
  }

  /**
   * The resources of a request (RFC 8707 §2), all known to the server, each in its canonical spelling.
   *
   * @throws OAuthError `invalid_target`
   */
  resources(form: Parameters): readonly string[] {
    if (form.resources.length === 0) return form.resources;
    const { resources: known } = this.#given;
    const resources = form.resources.map((named) => {
      const resource = known.find(named);
      if (resource !== undefined) return resource;
      throw new RefusedRequest('invalid_target', unknownResource(named, known.names), {
        reason: 'unknown_resource',
        value: named,
      });
    });
    return [...new Set(resources)];
  }

  /**
   * Like {@link resources}, for a request that an owner is asked about. A client unknown to the operator cannot know which resource to name: if
   * there is only one, the request is for that one.
   *
   * @throws OAuthError `invalid_target`
   */
  resourcesOfOwner(form: Parameters, client: Client): readonly string[] {
    const { only } = this.#given.resources;
    return form.resources.length === 0 && only !== undefined && client.origin !== 'operator'
      ? [only]
      : this.resources(form);
  }

  /**
   * Like {@link resources}, at the token endpoint: the request can only narrow the grant, and without resources gets all of it.
   *
   * @throws OAuthError `invalid_target`
   */
  narrowed(form: Parameters, granted: readonly string[]): readonly string[] {
    const resources = this.resources(form);
    if (resources.length === 0) return granted;
    const { configuredIssuer: issuer } = this.#given;
    // A grant without a resource is for the issuer, which may be named.
    const known = granted.length === 0 && issuer !== undefined ? [issuer] : granted;
    const found = resources.map((resource) => findResource(known, resource));
    if (!found.every((resource) => resource !== undefined))
      throw new OAuthError('invalid_target', 'The resource was not granted.');
    return granted.length === 0 ? granted : found;
  }
}
