import { type FeatureHost, UnavailableError } from '../../core/feature/index.js';
import type { Checked } from './claim-checks.js';
import type { AssertionClaims, AssertionContext, Issuer, IssuerContext, Owner } from './options.js';
import { Refusal } from './refusal.js';

/** What a function of the application answered. @throws UnavailableError if it failed: the client may come again. */
const answerOf = async <T>(name: string, ask: () => T): Promise<Awaited<T>> => {
  try {
    return await ask();
  } catch (cause) {
    throw new UnavailableError(`assertions: ${name} failed.`, { cause });
  }
};

/** Whom assertions are about, by the functions of the application. */
export class Subjects {
  readonly #host: FeatureHost;

  constructor(host: FeatureHost) {
    this.#host = host;
  }

  /** @throws Refusal if there is no such owner; UnavailableError if the function fails. */
  async ownerOf({ issuer, claims }: Checked, client_id: string): Promise<Owner> {
    const { owner } = issuer;
    const name = `owner of ${issuer.issuer}`;
    const ask = this.#host.bound(`assertions: ${name}`, (given: AssertionClaims, context: AssertionContext) =>
      owner?.(given, context),
    );
    const found = await answerOf(name, () => ask(claims, { issuer: issuer.issuer, client_id }));
    if (found === undefined || found === null)
      throw new Refusal('owner', 'The server has no account for the sub of the assertion.');
    return { ...signInOf(issuer, claims), ...found };
  }

  /** The `client_id`. @throws Refusal if no client is meant; UnavailableError if the function fails. */
  async clientOf({ issuer, claims }: Checked): Promise<string> {
    const { clients } = issuer;
    const name = `clients of ${issuer.issuer}`;
    const ask = this.#host.bound(`assertions: ${name}`, (given: AssertionClaims, context: IssuerContext) =>
      clients?.(given, context),
    );
    const found: unknown = await answerOf(name, () => ask(claims, { issuer: issuer.issuer }));
    if (found === undefined || found === null)
      throw new Refusal('workload', 'The server has no client for the sub of the assertion.').by(issuer.issuer);
    if (typeof found !== 'string')
      throw new UnavailableError(`assertions: ${name} must return a client_id, or nothing.`);
    return found;
  }
}

/** How a person signed in at an identity provider; the application may know better. */
const signInOf = ({ kind }: Issuer, { auth_time, acr, amr }: AssertionClaims): object =>
  kind === 'id-jag'
    ? Object.fromEntries(Object.entries({ auth_time, acr, amr }).filter(([, one]) => one !== undefined))
    : {};
