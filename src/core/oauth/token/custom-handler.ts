import { OAuthError } from '../../base/errors.js';
import {
  condition,
  either,
  listOf,
  neverUndefined,
  object,
  required,
  type Schema,
  text,
  value,
} from '../../base/schema.js';
import { formatScope, isSubset, parseScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import type { CustomGrant, CustomGrantAnswer, GrantParameters } from '../kernel/custom-grant.js';
import type { GrantHandler, Issued, TokenRequest } from '../kernel/grant-handler.js';
import { type AllowedIssueServices, issueIfAllowed } from '../kernel/issue-first.js';
import type { RequestedAccess } from '../kernel/requested-access.js';
import { checkOwner, CLIENT_SUBJECT, type Owner } from '../records/owner.js';
import type { CreateGrant } from '../tokens/grant.js';
import type { TokenResponse } from '../tokens/token-response.js';

const resource = text('a resource');

const FIELDS = {
  sub: text(),
  username: text(),
  scope: neverUndefined(text('scopes separated by spaces', /^/)),
  resource: neverUndefined(either(resource, listOf('an array of resources', resource))),
  refresh: condition,
  fields: value<NonNullable<CustomGrantAnswer['fields']>>('an object', (given) => typeof given === 'object'),
} satisfies Schema<CustomGrantAnswer>;

/** The result is validated, because handlers may be written in JavaScript. */
const ANSWER = required(object(FIELDS));

/** The completed result of a handler. */
interface Allowed {
  readonly scope: string;
  readonly aud: readonly string[];
  readonly refresh: boolean;
  readonly grant_type: string;
}

const read = (form: Parameters, definitions: GrantParameters): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      const given = form.get(name);
      if (given === undefined && definition.required === true)
        throw new OAuthError('invalid_request', `The parameter ${name} is missing.`);
      return [name, given];
    }),
  );

interface CustomGrantServices extends AllowedIssueServices {
  readonly requested: RequestedAccess;
  readonly resources: { find(named: string): string | undefined };
  readonly impliedScopes: { expand(scopes: readonly string[]): readonly string[] };
  readonly tokens: AllowedIssueServices['tokens'] & {
    readonly newGrant: CreateGrant;
    issueOwn(
      client: Client,
      grant_type: string,
      scope: string,
      aud: readonly string[],
      jkt?: string,
    ): Promise<TokenResponse>;
  };
}

/** A handler that grants more than was requested, or than exists, is a mistake. */
const checkWithin = (
  { scope, aud }: Allowed,
  asked: { readonly scope: readonly string[]; readonly aud: readonly string[] },
  { impliedScopes, resources }: CustomGrantServices,
): void => {
  if (!isSubset(parseScope(scope) ?? [scope], impliedScopes.expand(asked.scope)))
    throw new TypeError('A custom grant returned a scope that was not requested.');
  const isKnown = (resource: string): boolean =>
    asked.aud.length > 0 ? asked.aud.includes(resource) : resources.find(resource) !== undefined;
  if (!aud.every(isKnown))
    throw new TypeError('A custom grant returned a resource that was not requested, or is unknown.');
};

/** Issues tokens for an owner, under a grant that lives as long as its refresh token could. */
const issueFor = async (
  owner: Owner,
  { scope, aud, refresh, grant_type }: Allowed,
  { client, emit, jkt }: TokenRequest,
  services: CustomGrantServices,
): Promise<Issued> => {
  const allowed: Client = refresh ? client : { ...client, refresh: 'none' };
  const grant = await services.tokens.newGrant(allowed, owner, scope, aud, { grant_type });
  const response = await issueIfAllowed({ grant, client: allowed, jkt }, emit, services);
  return { response, sub: grant.sub, grant_id: grant.id };
};

const issueOwn = async (
  { scope, aud, refresh, grant_type }: Allowed,
  { client, jkt }: TokenRequest,
  { tokens }: CustomGrantServices,
): Promise<Issued> => {
  if (client.public || refresh)
    throw new TypeError(
      `A custom grant returned ${refresh ? 'a refresh token' : 'a token for a public client'} without a sub. Return the sub of its owner.`,
    );
  return {
    response: await tokens.issueOwn(client, grant_type, scope, aud, jkt),
    sub: CLIENT_SUBJECT + client.client_id,
  };
};

/** Handles a custom grant: the rules for scopes, resources and owners are those of every grant. */
export const customHandler =
  (name: string, { parameters = {}, handle }: CustomGrant, services: CustomGrantServices): GrantHandler =>
  async (tokenRequest) => {
    const { request, form, client } = tokenRequest;
    const { requested, resources } = services;
    const asked = { scope: requested.scope(form, client, name), aud: requested.resources(form) };
    const answer = await handle({
      client: { client_id: client.client_id, client_name: client.name, public: client.public },
      parameters: read(form, parameters),
      scope: formatScope(asked.scope),
      resources: asked.aud,
      ip: request.ip,
    });
    const given = ANSWER.read(answer, `The handle of the grant ${JSON.stringify(name)}: the answer`);
    const aud = [given.resource ?? asked.aud].flat().map((named) => resources.find(named) ?? named);
    const scope = given.scope ?? formatScope(asked.scope);
    const allowed = { scope, aud, refresh: given.refresh ?? false, grant_type: name };
    checkWithin(allowed, asked, services);
    const issued =
      given.sub === undefined
        ? await issueOwn(allowed, tokenRequest, services)
        : await issueFor(checkOwner(given), allowed, tokenRequest, services);
    return { ...issued, response: { ...given.fields, ...issued.response } };
  };
