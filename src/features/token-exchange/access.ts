import type { FeatureHost, FoundToken, GrantPart } from '../../core/feature/index.js';
import type { Policy } from './policy.js';
import { Refusal } from './refusal.js';

type GrantCall = Parameters<GrantPart['decide']>[0];

/** Scopes that mean something to the server itself, and nothing to a resource: who somebody is, and that access lasts. */
const OF_THE_SERVER = ['openid', 'offline_access', 'introspect'];

/** The scopes of OpenID Connect that stand for claims (OpenID Connect Core 1.0 §5.4). */
const OF_CLAIMS = ['profile', 'email', 'address', 'phone'];

const target = (sentence: string): Refusal => new Refusal('target', sentence, 'invalid_target');

/** The only resource that the token is for (RFC 8693 §2.1): the list of the client decides, whatever the exchanged token is for. */
export const resourceOf = (
  { form, resources: named }: GrantCall,
  { resources: allowed }: Policy,
  { findResource }: Pick<FeatureHost, 'findResource'>,
): string => {
  const audience = form.get('audience');
  const found = audience === undefined ? undefined : findResource(audience);
  if (audience !== undefined && found === undefined)
    throw target('The audience is not a resource of this server. Name one by its URL.');
  const asked = [...new Set([...named, ...(found === undefined ? [] : [found])])];
  const [only, ...others] = asked.length > 0 ? asked : allowed;
  if (only === undefined || others.length > 0)
    throw target('The request must name one resource, in resource or in audience.');
  if (!allowed.includes(only)) throw target('The client may not exchange tokens for this resource.');
  return only;
};

/** These scopes, and those that they imply. */
const expanded = (given: readonly string[], scopes: FeatureHost['scopes']): ReadonlySet<string> => {
  const all = new Set(given);
  for (const name of all) for (const implied of scopes.get(name)?.implies ?? []) all.add(implied);
  return all;
};

/** The scopes that are requested, that the exchanged token has, or that are a translation of these, and that the client may have. */
export const scopeOf = (
  { scope: asked, client }: GrantCall,
  { scope: had }: FoundToken,
  { translate }: Policy,
  { scopes }: Pick<FeatureHost, 'scopes'>,
): readonly string[] => {
  const dropped = new Set(scopes.has('openid') ? [...OF_THE_SERVER, ...OF_CLAIMS] : OF_THE_SERVER);
  const within = new Set([...had, ...had.flatMap((name) => translate.get(name) ?? [])]);
  const wanted = asked === undefined ? within : expanded(asked, scopes);
  const granted = [...wanted].filter((name) => within.has(name) && client.scopes.has(name) && !dropped.has(name));
  if (granted.length === 0 && scopes.size > 0)
    throw new Refusal(
      'scope',
      'No scope is left that is requested, in the subject_token, and registered for the client.',
      'invalid_scope',
    );
  return granted;
};
