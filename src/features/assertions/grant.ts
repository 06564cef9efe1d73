import type { FeatureHost, GrantPart } from '../../core/feature/index.js';
import { resourcesOf, scopeOf } from './access.js';
import type { Checked } from './claim-checks.js';
import type { ClientStatements } from './client-statements.js';
import { ended, Refusal, refusalIn, tellRefusal } from './refusal.js';
import { assertionIn } from './statement.js';
import type { Subjects } from './subject.js';
import type { Uses } from './uses.js';
import type { AssertionVerifier } from './verifier.js';

type GrantCall = Parameters<GrantPart['decide']>[0];
type Granted = Awaited<ReturnType<GrantPart['decide']>>;

/** What the grant is made of. */
interface GrantServices {
  readonly host: FeatureHost;
  readonly verifier: AssertionVerifier;
  readonly subjects: Subjects;
  readonly statements: ClientStatements;
  readonly uses: Uses;
  /** Seconds. */
  readonly tokenLifetime: number;
}

/** A key that an assertion is bound to must sign the request (RFC 9449). */
const checkKey = ({ jkt }: GrantCall, checked: Checked): void => {
  if (checked.jkt !== undefined && checked.jkt !== jkt)
    throw new Refusal('binding', 'The request needs a DPoP proof of the key in the cnf of the assertion.');
};

/** @throws Refusal unless the client of the request is that of the assertion. */
const checkClient = ({ client }: GrantCall, { issuer, claims }: Checked): void => {
  const { client_id: named } = claims;
  if (issuer.kind === 'id-jag' && named === undefined) throw new Refusal('claims', 'The assertion lacks client_id.');
  if (named !== undefined && issuer.kind === 'id-jag' && named !== client.client_id)
    throw new Refusal('client', 'The client_id of the assertion is not the client that sends it.');
  // Whoever has a bearer assertion may use it, so its client must be one that the operator knows; that of an ID-JAG is named by its issuer.
  if (client.origin !== 'operator' && issuer.kind !== 'id-jag')
    throw new Refusal(
      'client',
      'A client that nobody registered may only present an assertion of the kind id-jag.',
      'unauthorized_client',
    );
  if (client.public)
    throw new Refusal(
      'client',
      'A public client may not present assertions, because any program could act as it. It needs a secret or keys.',
      'unauthorized_client',
    );
};

/** What assertions about programs give: a token of the client itself. */
const decideForClient = async (call: GrantCall, checked: Checked, services: GrantServices): Promise<Granted> => {
  const { host, statements, tokenLifetime } = services;
  if ((await statements.clientOf(checked, call)) !== call.client.client_id)
    throw new Refusal('client', 'The assertion is about another client.');
  return {
    scope: scopeOf(call, checked),
    resources: resourcesOf(call, checked, host),
    lifetime: tokenLifetime,
    issuer: checked.issuer.issuer,
    spend: () => spend(checked, `client:${call.client.client_id}`, call, services),
  };
};

/** What assertions about people give: a token of their owner. */
const decideForOwner = async (call: GrantCall, checked: Checked, services: GrantServices): Promise<Granted> => {
  const { host, subjects, uses, tokenLifetime } = services;
  const { issuer: of, iat, act } = checked;
  const { issuer } = of;
  const { client_id } = call.client;
  const scope = scopeOf(call, checked);
  const resources = resourcesOf(call, checked, host);
  const owner = await subjects.ownerOf(checked, client_id);
  return {
    owner,
    act,
    scope,
    resources,
    lifetime: tokenLifetime,
    issuer,
    ...(of.kind === 'id-jag' && { fields: { resource: resources.length === 1 ? resources[0] : resources } }),
    spend: () => spend(checked, owner.sub, call, services),
    // Again, because an end that begins after the first time may miss a grant that is written after it.
    confirm: () =>
      told(call, issuer, async () => {
        if (await uses.isEnded(iat, { issuer, client_id, sub: owner.sub })) throw ended();
      }),
  };
};

/** Uses an assertion up, if it works once. @throws OAuthError if it was used, or is older than an end of access. */
const spend = (checked: Checked, sub: string, call: GrantCall, { uses }: GrantServices): Promise<void> =>
  told(call, checked.issuer.issuer, async () => {
    const refusal = await uses.refusal(checked, { client_id: call.client.client_id, sub });
    if (refusal !== undefined) throw refusal;
  });

/** Tells the listeners if an assertion is refused. @throws what the client gets. */
const told = async <T>(call: GrantCall, issuer: string | undefined, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    throw tellRefusal(refusal.by(refusal.issuer ?? issuer), call, call.client.client_id).error;
  }
};

/**
 * Exchanges an assertion for an access token.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.1 | RFC 7523 §2.1}
 */
export const assertionGrant = (services: GrantServices): GrantPart => ({
  fields: { assertion: 'vschar' },
  decide: async (call) => {
    const { verifier } = services;
    const { client_id } = call.client;
    const text = assertionIn(call);
    const proven = await told(call, undefined, () => verifier.prove({ text, client_id }, call));
    return told(call, proven.issuer.issuer, async () => {
      const checked = verifier.check(proven, 'grant');
      checkClient(call, checked);
      checkKey(call, checked);
      return proven.issuer.clients === undefined
        ? decideForOwner(call, checked, services)
        : decideForClient(call, checked, services);
    });
  },
});
