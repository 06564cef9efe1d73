import { fail, type FeatureClient, type FeatureHost } from '../../core/feature/index.js';
import type { Checked } from './options.js';

/** RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** What a client may exchange. */
export interface Policy {
  /** In their canonical spelling. */
  readonly resources: readonly string[];
  readonly own: boolean;
  readonly impersonate: boolean;
  readonly translate: ReadonlyMap<string, readonly string[]>;
}

const DENIED: Policy = { resources: [], own: false, impersonate: false, translate: new Map() };

const scopeProblem = (name: string, path: string, { scopes }: FeatureHost): void => {
  if (!scopes.has(name)) fail(`${path} names the scope ${JSON.stringify(name)}, which options.scopes does not have.`);
};

/** A client of the list that could never exchange anything is a mistake. */
const checkListed = (client: FeatureClient, { own }: Policy, path: string): void => {
  const { client_id, grantTypes, audience } = client;
  const about = `${path}: the client ${JSON.stringify(client_id)}`;
  if (client.public)
    fail(`${about} is public: any program could exchange tokens as it. Give it a client_secret or jwks.`);
  if (!grantTypes.has(TOKEN_EXCHANGE)) fail(`${about} may not exchange: add ${TOKEN_EXCHANGE} to its grant_types.`);
  if (audience === undefined && !own)
    fail(
      `${about} can exchange no token. None is meant for it: set its audience to the resources that it serves, or add own: true.`,
    );
};

/** What clients may exchange: nothing that is not written down. */
export class Policies {
  readonly #host: FeatureHost;
  readonly #named: ReadonlyMap<string, Policy>;

  /** @throws TypeError for what is not in the options of the server. */
  constructor({ from = {} }: Checked, host: FeatureHost) {
    this.#host = host;
    const { listed, areAllListed } = host.clients;
    const named = new Map<string, Policy>();
    for (const [client_id, given] of Object.entries(from)) {
      const path = `tokenExchange: options.from[${JSON.stringify(client_id)}]`;
      const policy = this.#policyOf('resources' in given ? given : { resources: given }, path);
      const client = listed.get(client_id);
      if (client === undefined && areAllListed) fail(`${path} is no client of options.clients. Is its name right?`);
      if (client !== undefined) checkListed(client, policy, path);
      named.set(client_id, policy);
    }
    this.#named = named;
    const others = [...listed.values()].filter(({ exchangeResources }) => exchangeResources.length > 0);
    for (const client of others) {
      const path = `Client ${JSON.stringify(client.client_id)}: exchange_resources`;
      this.#known(client.exchangeResources, path);
      checkListed(client, named.get(client.client_id) ?? DENIED, path);
    }
    if (areAllListed && named.size + others.length === 0)
      fail('tokenExchange: options.from is missing: it says which client may exchange tokens for which resource.');
  }

  /** For a client that has authenticated itself. */
  of({ client_id, exchangeResources }: FeatureClient): Policy {
    const policy = this.#named.get(client_id) ?? DENIED;
    // Those of a registry that the server does not have match no request.
    const further = exchangeResources.flatMap((named) => this.#host.findResource(named) ?? []);
    return further.length === 0 ? policy : { ...policy, resources: [...new Set([...policy.resources, ...further])] };
  }

  #known(resources: readonly string[], path: string): readonly string[] {
    return resources.map(
      (named) =>
        this.#host.findResource(named) ??
        fail(`${path} names ${JSON.stringify(named)}, which options.resources does not have.`),
    );
  }

  #policyOf(
    { resources, own = false, impersonate = false, translate = {} }: Exclude<ReadFrom, readonly string[]>,
    path: string,
  ): Policy {
    for (const [name, others] of Object.entries(translate))
      for (const scope of [name, ...others]) scopeProblem(scope, `${path}.translate`, this.#host);
    if (impersonate)
      this.#host.onWarning(
        `${path}.impersonate is set: nobody who sees its tokens knows that it acts for a user. Leave it out, and the tokens name it in act.`,
        'OQ213',
      );
    return { resources: this.#known(resources, path), own, impersonate, translate: new Map(Object.entries(translate)) };
  }
}

type ReadFrom = Partial<Extract<NonNullable<Checked['from']>[string], { readonly own: boolean }>> & {
  readonly resources: readonly string[];
};
