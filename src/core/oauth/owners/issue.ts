import { either, fail, listOf, neverUndefined, object, required, type Schema, text } from '../../base/schema.js';
import { formatScope, isSubset, parseScope } from '../../base/scope.js';
import type { ClientFinder } from '../clients/client-finder.js';
import type { Emit } from '../events/events.js';
import { needsProof, type ProofServices } from '../kernel/bound-tokens.js';
import { type FirstIssueServices, issueFirst } from '../kernel/issue-first.js';
import { checkOwner } from '../records/owner.js';
import type { CreateGrant } from '../tokens/grant.js';
import type { TokenResponse } from '../tokens/token-response.js';

/** Describes the token to issue. */
interface IssueRequest<Scope extends string = string> {
  /** The owner, as identified by the application's sign-in. */
  readonly sub: string;
  /** The owner's user name. */
  readonly username?: string | undefined;
  /** The client the token is for. */
  readonly client_id: string;
  /** One scope, or a list of them; only scopes the client may have. Default: its `default_scope`. */
  readonly scope?: Scope | readonly Scope[];
  /** The resource of the token, from `options.resources`; default: the issuer itself. */
  readonly resource?: string | readonly string[];
}

/**
 * Issues tokens without a request of the client: for a personal access token that an owner copies from a page of the application, and for
 * tests. The grant is like any other: it is listed with the `grant_type` `issue`, can be revoked, and has the
 * lifetimes of its client. A refresh token is included if the client may have one.
 *
 * The owner is not asked, so check who is signed in before calling this.
 *
 * @throws TypeError if the client is unknown, may not have the scope or the resource, or only gets tokens that are bound to a key (RFC 9449); UnavailableError if the store fails.
 */
export type Issue<Scope extends string = string> = IssueMethod<Scope>['issue'];

/** A method, so that what issues some scopes fits where any may be named. */
interface IssueMethod<Scope extends string> {
  issue(request: IssueRequest<Scope>): Promise<TokenResponse>;
}

const resource = text('a resource');

const REQUEST = required(
  object({
    sub: required(text()),
    username: text(),
    client_id: required(text()),
    scope: neverUndefined(either(text(), listOf('an array of scopes', text()))),
    resource: neverUndefined(either(resource, listOf('an array of resources', resource))),
  } satisfies Schema<IssueRequest>),
);

const unknownResource = (resource: string): never => {
  return fail(`issue: options.resources does not have ${JSON.stringify(resource)}.`);
};

interface IssueServices extends FirstIssueServices, Pick<ProofServices, 'proofs'> {
  readonly clients: ClientFinder;
  readonly resources: { find(named: string): string | undefined };
  readonly tokens: FirstIssueServices['tokens'] & { readonly newGrant: CreateGrant };
  readonly emit: Emit | undefined;
}

export const issueIn =
  (services: IssueServices): Issue =>
  async (request) => {
    const { sub, username, client_id, scope, resource: given = [] } = REQUEST.read(request, 'issue');
    const { clients, resources, tokens, emit } = services;
    const owner = checkOwner({ sub, username });
    const client = await clients.find(client_id);
    if (client === undefined) return fail(`issue: there is no client ${JSON.stringify(client_id)}.`);
    if (needsProof(client, services))
      return fail(
        `issue: the tokens of ${JSON.stringify(client_id)} are bound to a key of the client, which can only prove it in a token request. Let the client request them, or leave out dpop({ required: true }) and dpop_bound_access_tokens.`,
      );
    const scopes = scope === undefined ? client.defaultScope : parseScope([scope].flat().join(' '));
    if (scopes === undefined || !isSubset(scopes, client.scopes))
      return fail(`issue: the client ${JSON.stringify(client_id)} may not have the scope ${JSON.stringify(scope)}.`);
    const aud = [given].flat().map((named) => resources.find(named) ?? unknownResource(named));

    const grant = await tokens.newGrant(client, owner, formatScope(scopes), [...new Set(aud)], { grant_type: 'issue' });
    const response = await issueFirst({ grant, client }, emit, services);
    emit?.({ type: 'token.issued', grant_type: 'issue', client_id, sub, scope: grant.scope, grant_id: grant.id });
    return response;
  };
