import { OAuthError } from '../../base/errors.js';
import { condition, either, listOf, object, required, type Schema, text, value } from '../../base/schema.js';
import { formatScope, isSubset, parseScope } from '../../base/scope.js';
import type { Client } from '../clients/client.js';
import type { Parameters } from '../facts/parameters.js';
import type { OAuthContext } from '../kernel/context.js';
import type { CustomGrant, CustomGrantAnswer, GrantParameters } from '../kernel/custom-grant.js';
import type { GrantHandler, Issued } from '../kernel/grant-handler.js';
import { issueFirst } from '../kernel/issue-first.js';
import { requestedResources, requestedScope } from '../kernel/requested-scope.js';
import { isStillAllowed } from '../kernel/still-allowed.js';
import { checkOwner, CLIENT_SUBJECT, type Owner } from '../records/owner.js';

const resource = text('a resource');

const FIELDS = {
  sub: text(),
  username: text(),
  scope: text('scopes separated by spaces', /^/),
  resource: either(resource, listOf('an array of resources', resource)),
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
  /** The key that the token is bound to. */
  readonly jkt?: string | undefined;
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

/** A handler that grants more than was requested, or than exists, is a mistake. */
const checkWithin = (
  { scope, aud }: Allowed,
  asked: { readonly scope: readonly string[]; readonly aud: readonly string[] },
  context: OAuthContext,
): void => {
  if (!isSubset(parseScope(scope) ?? [scope], context.config.impliedScopes.expand(asked.scope)))
    throw new TypeError('A grant of options.customGrants returned a scope that was not requested.');
  const isKnown = (resource: string): boolean =>
    asked.aud.length > 0 ? asked.aud.includes(resource) : context.config.resources.find(resource) !== undefined;
  if (!aud.every(isKnown))
    throw new TypeError('A grant of options.customGrants returned a resource that was not requested, or is unknown.');
};

/** Issues tokens for an owner, under a grant that lives as long as its refresh token could. */
const issueFor = async (
  grant_type: string,
  owner: Owner,
  client: Client,
  allowed: Allowed,
  context: OAuthContext,
): Promise<Issued> => {
  const allowedClient: Client = allowed.refresh ? client : { ...client, refresh: 'none' };
  const grant = await context.tokens.newGrant(allowedClient, owner, allowed.scope, allowed.aud, { grant_type });
  if (!(await isStillAllowed(grant, client, context)))
    throw new OAuthError('invalid_grant', 'The grant is not allowed for this resource owner.');
  return { response: await issueFirst(grant, allowedClient, context, allowed.jkt), sub: grant.sub, grant_id: grant.id };
};

const issueOwn = async (
  client: Client,
  { scope, aud, refresh, jkt }: Allowed,
  context: OAuthContext,
): Promise<Issued> => {
  if (client.public || refresh)
    throw new TypeError(
      `A grant of options.customGrants returned ${refresh ? 'a refresh token' : 'a token for a public client'} without a sub. Return the sub of its owner.`,
    );
  return { response: await context.tokens.issueOwn(client, scope, aud, jkt), sub: CLIENT_SUBJECT + client.client_id };
};

/** Handles a custom grant: the rules for scopes, resources and owners are those of every grant. */
export const customHandler =
  (name: string, { parameters = {}, handle }: CustomGrant): GrantHandler =>
  async ({ request, form, client, context, jkt }) => {
    const asked = { scope: requestedScope(form, client, name, context), aud: requestedResources(form, context) };
    const answer = await handle({
      client: { client_id: client.client_id, client_name: client.name, public: client.public },
      parameters: read(form, parameters),
      scope: formatScope(asked.scope),
      resources: asked.aud,
      ip: request.ip,
    });
    const given = ANSWER.read(answer, `options.customGrants[${JSON.stringify(name)}].handle: the answer`);
    const aud = [given.resource ?? asked.aud].flat().map((named) => context.config.resources.find(named) ?? named);
    const allowed = { scope: given.scope ?? formatScope(asked.scope), aud, refresh: given.refresh ?? false };
    checkWithin(allowed, asked, context);
    const issued =
      given.sub === undefined
        ? await issueOwn(client, { ...allowed, jkt }, context)
        : await issueFor(name, checkOwner(given), client, { ...allowed, jkt }, context);
    return { ...issued, response: { ...given.fields, ...issued.response } };
  };
