import { afterAll, expect } from 'vitest';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { dpop, type DpopOptions } from '../../../src/features/dpop/index.js';
import { type Answer, type Host, type HostOptions, type HostSetup, type RunningHost } from '../../hosts.js';
import { basic, Client } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { type Fixture, fixture } from '../../oauth/support/fixture.js';
import { Flows, type TokenSet } from '../../oauth/support/tokens.js';
import { ProofMaker, type ProofParts } from './keys.js';

export const SECRET = 'a secret of the tests, with 32 characters';

export const BOUND_CLIENTS = [
  { client_id: 'bound', redirect_uris: ['https://bound.example/cb'], scope: 'profile', dpop_bound_access_tokens: true },
  {
    client_id: 'keeper',
    redirect_uris: ['https://keeper.example/cb'],
    scope: 'profile',
    refresh: 'reusable',
    dpop_bound_access_tokens: true,
  },
] as const satisfies readonly ClientRegistration[];

/** A running server with DPoP, and its parts. */
export class Site {
  readonly running: RunningHost;
  readonly flows: Flows;
  readonly fixture: Fixture;
  readonly client: Client;

  constructor(running: RunningHost, all: Fixture) {
    this.running = running;
    this.fixture = all;
    this.flows = new Flows(running, BOUND_CLIENTS);
    this.client = new Client(running.origin);
  }

  close(): Promise<void> {
    return this.running.close();
  }

  get now(): number {
    return Math.floor(this.fixture.clock() / 1000);
  }

  get tokenUrl(): string {
    return `${this.running.base}/oauth/token`;
  }

  /** A proof for the token endpoint. */
  tokenProof(key: ProofMaker, more: Partial<ProofParts> = {}): string {
    return key.proof({ method: 'POST', url: this.tokenUrl, iat: this.now, ...more });
  }

  /** A token request, with headers. */
  token(
    client_id: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string | string[]>> = {},
  ): Promise<Answer> {
    return /^(web|box|service|api)$/.test(client_id)
      ? this.flows.client.post('/oauth/token', form, { ...headers, ...basic(client_id, `${client_id}-secret`) })
      : this.flows.client.post('/oauth/token', { ...form, client_id }, headers);
  }

  /** The tokens of a code, bound to a key if one is given. */
  async tokens(
    client_id: string,
    key: ProofMaker | undefined,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<TokenSet> {
    const code = await this.flows.code(client_id, parameters);
    const answer = await this.token(
      client_id,
      this.flows.redemption(client_id, code),
      key === undefined ? {} : { dpop: this.tokenProof(key) },
    );
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as unknown as TokenSet;
  }

  refresh(client_id: string, refresh_token: string, key?: ProofMaker): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { dpop: this.tokenProof(key) };
    return this.token(client_id, { grant_type: 'refresh_token', refresh_token }, headers);
  }

  guardedUrl(name = 'profile'): string {
    return `${this.running.origin}/guarded/${name}`;
  }

  /** A request to a guarded route with a token and a proof. */
  ask(token: string, key?: ProofMaker, more: Partial<ProofParts> = {}, route = 'profile'): Promise<Answer> {
    const headers: Record<string, string> =
      key === undefined
        ? { authorization: `Bearer ${token}` }
        : {
            authorization: `DPoP ${token}`,
            dpop: key.proof({ method: 'GET', url: this.guardedUrl(route), iat: this.now, token, ...more }),
          };
    return this.client.get(`/guarded/${route}`, headers);
  }
}

/** Starts a server with DPoP. */
export const startSite = async (
  host: Host,
  options: DpopOptions = {},
  more: HostOptions = {},
  setup: Partial<HostSetup> = {},
): Promise<Site> => {
  const features = [dpop(options), ...(more.features ?? [])];
  const all = fixture({ clients: [...BOUND_CLIENTS], secret: SECRET, ...more, features } as never);
  return new Site(await host.start({ options: all.options, ...setup }), all);
};

/** The same for a suite. At the end there must be no errors. */
export const useSite = (...given: Parameters<typeof startSite>): Site => {
  const site = useStarted(() => startSite(...given));
  afterAll(() => expect([...site.fixture.errors, ...site.running.errors]).toEqual([]));
  return site;
};
