import type { FeatureHost, FoundToken, GrantPart } from '../../core/feature/index.js';
import type { Policy } from './policy.js';
import { notForClient, Refusal } from './refusal.js';

type GrantCall = Parameters<GrantPart['decide']>[0];

/** RFC 8693 §3 */
const TYPE = 'urn:ietf:params:oauth:token-type:';
const ACCESS_TOKEN = `${TYPE}access_token`;
const JWT = `${TYPE}jwt`;

/** What tokens of a request are compared with. */
type TokenHost = Pick<FeatureHost, 'findToken' | 'findResource' | 'issuer' | 'signsTokens'>;

const malformed = (sentence: string): Refusal => new Refusal('type', sentence);

const checkType = (name: string, type: string | undefined): void => {
  if (type === undefined) throw malformed(`The parameter ${name}_type is missing: ${ACCESS_TOKEN}.`);
  if (type !== ACCESS_TOKEN && type !== JWT)
    throw malformed(
      `The ${name}_type is not supported: this server exchanges its own access tokens. It is ${ACCESS_TOKEN}, or ${JWT} for a signed one.`,
    );
};

/** The type of the token that is issued. */
export const issuedType = ({ form }: GrantCall, { signsTokens }: TokenHost): string => {
  const type = form.get('requested_token_type') ?? ACCESS_TOKEN;
  if (type === ACCESS_TOKEN || (type === JWT && signsTokens)) return type;
  throw malformed(`The requested_token_type is not supported. Request ${ACCESS_TOKEN}, or leave it out.`);
};

/** A token of the request. @returns `undefined` unless it is live and of the type that the request says. */
const tokenIn = async ({ form }: GrantCall, name: string, host: TokenHost): Promise<FoundToken | undefined> => {
  const type = form.get(`${name}_type`);
  checkType(name, type);
  const text = form.get(name);
  if (text === undefined) throw malformed(`The parameter ${name} is missing.`);
  const found = await host.findToken(text);
  return type === JWT && found?.isSigned === false ? undefined : found;
};

/** Whether the client serves a resource that the token is for: otherwise a token that was stolen would be worth something at another service. */
const isMeantFor = (
  { resources }: FoundToken,
  { audience = [] }: GrantCall['client'],
  { issuer, findResource }: TokenHost,
): boolean => {
  const meant = resources.length > 0 ? resources : [issuer];
  return audience.some((served) => meant.includes(findResource(served) ?? served));
};

/** The token that is exchanged. @throws Refusal with one sentence for all that the client may not exchange. */
export const subjectOf = async (call: GrantCall, { own }: Policy, host: TokenHost): Promise<FoundToken> => {
  const { client, jkt } = call;
  const found = await tokenIn(call, 'subject_token', host);
  if (found === undefined) throw notForClient('subject');
  // A service that received a bound token cannot have its key, but a client has the keys of its own tokens.
  const isOwn = own && found.client_id === client.client_id && (found.jkt === undefined || found.jkt === jkt);
  if (!isOwn && !isMeantFor(found, client, host)) throw notForClient('foreign');
  return found;
};

/** Checks who acts: the client itself, which may prove it with a token of its own (RFC 8693 §2.1). */
export const checkActor = async (call: GrantCall, host: TokenHost): Promise<void> => {
  const { form, client, jkt } = call;
  const names = ['actor_token', 'actor_token_type'].filter((name) => form.get(name) !== undefined);
  if (names.length === 0) return;
  if (names.length === 1) throw malformed('The parameters actor_token and actor_token_type need each other.');
  const actor = await tokenIn(call, 'actor_token', host);
  const isClient = actor?.isOfClient === true && actor.ancestors === 0 && actor.client_id === client.client_id;
  if (!isClient || (actor.jkt !== undefined && actor.jkt !== jkt))
    throw new Refusal('actor', 'The actor_token is not a live access token that the client requested for itself.');
};

/** The owner, or who issued the token, may say who acts (RFC 8693 §4.4). @throws Refusal unless the client is named. */
export const checkMayAct = ({ claims: { may_act: allowed } }: FoundToken, { client_id }: GrantCall['client']): void => {
  if (allowed === undefined) return;
  const { sub, client_id: named }: { readonly sub?: unknown; readonly client_id?: unknown } = Object(allowed);
  const areClient =
    (sub === undefined || sub === `client:${client_id}`) && (named === undefined || named === client_id);
  if (!areClient || (sub === undefined && named === undefined))
    throw new Refusal('may_act', 'The may_act of the subject_token does not name the client.');
};
