import { type FeatureHost, type FoundToken, type GrantPart, OAuthError, RateLimit } from '../../core/feature/index.js';
import { resourceOf, scopeOf } from './access.js';
import type { Policies } from './policy.js';
import { Refusal } from './refusal.js';
import { checkActor, checkMayAct, issuedType, subjectOf } from './tokens.js';

type GrantCall = Parameters<GrantPart['decide']>[0];
type Granted = Awaited<ReturnType<GrantPart['decide']>> & { readonly from: FoundToken };

/** Exchanges of one token by one client in a minute: a client keeps the token that it gets. */
const PER_MINUTE = 60;

/** What the grant is made of. */
interface GrantServices {
  readonly host: FeatureHost;
  readonly policies: Policies;
  /** How many times a token may be exchanged. */
  readonly depth: number;
}

/** What a client gets for a token. */
const decide = async (call: GrantCall, { host, policies, depth }: GrantServices): Promise<Granted> => {
  const { client } = call;
  const { client_id } = client;
  const policy = policies.of(client);
  if (client.public || policy.resources.length === 0)
    throw new Refusal('client', 'The client may not exchange tokens.', 'unauthorized_client');
  const issued_token_type = issuedType(call, host);
  await checkActor(call, host);
  const from = await subjectOf(call, policy, host);
  checkMayAct(from, client);
  if (from.ancestors >= depth)
    throw new Refusal(
      'depth',
      `The subject_token was exchanged ${depth} times, one after the other. That is the limit.`,
    );
  const resource = resourceOf(call, policy, host);
  const { act: before } = from;
  const own = { sub: `client:${client_id}`, client_id, ...(before !== undefined && { act: before }) };
  return {
    from,
    act: policy.impersonate ? before : own,
    scope: scopeOf(call, from, policy, host),
    resources: [resource],
    fields: { issued_token_type },
  };
};

/**
 * Exchanges an access token for another, with which a service acts for the owner.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693#section-2 | RFC 8693 §2}
 */
export const exchangeGrant = (services: GrantServices): GrantPart => {
  const { host } = services;
  const rate = new RateLimit(host.clock, PER_MINUTE, 60);
  // Only what would be issued counts: texts that are no tokens could push the counts of tokens out.
  const checkRate = ({ client, request }: GrantCall, { id }: FoundToken): void => {
    const refused = rate.take(JSON.stringify([client.client_id, id]));
    if (refused === undefined) return;
    if (refused.isFirst) host.onLimit({ type: 'limit.reached', limit: 'token exchange' }, request);
    throw new OAuthError(
      'temporarily_unavailable',
      'This token was exchanged too often. Keep the token that you got.',
      {
        status: 429,
        headers: { 'retry-after': String(refused.retryAfter) },
      },
    );
  };
  return {
    fields: {
      subject_token: 'vschar',
      subject_token_type: 'uri',
      actor_token: 'vschar',
      actor_token_type: 'uri',
      requested_token_type: 'uri',
      audience: 'vschar',
    },
    decide: async (call) => {
      const { emit, client } = call;
      try {
        const granted = await decide(call, services);
        checkRate(call, granted.from);
        return granted;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        emit?.({ type: 'exchange.refused', reason: error.reason, client_id: client.client_id });
        throw error.error;
      }
    },
  };
};
