import type { RequestListener } from 'node:http';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Framework } from '../candidates.js';
import { API, LIFETIMES, OWNER, PATHS, REDIRECT_URI, SCOPE, SERVICE, WEB, type Setup } from './setting.js';

/** The documented adapter, in Maps. The built-in one keeps only a thousand records. */
class MapAdapter implements Adapter {
  readonly #records = new Map<string, AdapterPayload>();
  readonly #byUid = new Map<string, string>();
  static readonly #grants = new Map<string, Set<() => void>>();

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#records.set(id, payload);
    if (payload.uid !== undefined) this.#byUid.set(payload.uid, id);
    if (payload.grantId !== undefined) {
      const members = MapAdapter.#grants.get(payload.grantId) ?? new Set();
      MapAdapter.#grants.set(
        payload.grantId,
        members.add(() => this.#records.delete(id)),
      );
    }
  }
  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#records.get(id);
  }
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#records.get(this.#byUid.get(uid) ?? '');
  }
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }
  async consume(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record !== undefined) record.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string): Promise<void> {
    this.#records.delete(id);
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const remove of MapAdapter.#grants.get(grantId) ?? []) remove();
    MapAdapter.#grants.delete(grantId);
  }
}

const common = { token_endpoint_auth_method: 'client_secret_basic', scope: SCOPE } as const;

export const listener = async (_framework: Framework, { origin }: Setup): Promise<RequestListener> => {
  const provider = new Provider(origin, {
    adapter: MapAdapter,
    clients: [
      { ...SERVICE, ...common, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      { ...API, ...common, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      {
        ...WEB,
        ...common,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [REDIRECT_URI],
        response_types: ['code'],
      },
    ],
    scopes: [SCOPE],
    cookies: { keys: ['a key of the benchmark, which is public'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      introspection: { enabled: true },
    },
    routes: { authorization: PATHS.authorize, token: PATHS.token, introspection: PATHS.introspect },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: LIFETIMES.access,
      ClientCredentials: LIFETIMES.access,
      AuthorizationCode: LIFETIMES.code,
      RefreshToken: LIFETIMES.refresh,
      Grant: LIFETIMES.refresh,
      Session: LIFETIMES.refresh,
      Interaction: LIFETIMES.code,
    },
    // The owner has allowed everything: a grant exists as soon as the owner is signed in.
    async loadExistingGrant({ oidc }) {
      const {
        client,
        session,
        provider: { Grant },
      } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const known = await Grant.find(session.grantIdFor(client.clientId) ?? '');
      if (known !== undefined) return known;
      const grant = new Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  return (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) {
      void provider.interactionFinished(request, response, { login: { accountId: OWNER } });
    } else void handle(request, response);
  };
};
