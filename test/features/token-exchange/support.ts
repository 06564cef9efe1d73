import { expect } from 'vitest';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { dpop } from '../../../src/features/dpop/index.js';
import { tokenExchange, type TokenExchangeOptions } from '../../../src/features/token-exchange/index.js';
import { type Answer, basic, Client, type Host, type HostOptions, type RunningHost } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { type Fixture, fixture } from '../../oauth/support/fixture.js';
import { Flows } from '../../oauth/support/tokens.js';
import { ProofMaker } from '../dpop/keys.js';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const TYPE = 'urn:ietf:params:oauth:token-type:';
export const ACCESS_TOKEN = `${TYPE}access_token`;

type Fields = Readonly<Record<string, string>>;

/** The resource that a service serves. */
export const at = (service: string): string => `https://${service}.example`;

const SERVICES = ['notes', 'search', 'mail', 'files'] as const;

/** A service that may exchange, unless `from` does not have it. */
export const service = (client_id: string, more: Partial<ClientRegistration> = {}): ClientRegistration => ({
  client_id,
  client_secret: `${client_id}-secret`,
  audience: at(client_id),
  grant_types: [EXCHANGE, 'client_credentials'],
  scope: 'content.read content.write',
  default_scope: 'content.read',
  ...more,
});

/** Each service may reach each other one. */
const FROM = Object.fromEntries(SERVICES.map((name) => [name, SERVICES.filter((other) => other !== name).map(at)]));

/** A server whose services exchange tokens. */
export class ExchangeSite {
  readonly running: RunningHost;
  readonly fixture: Fixture;
  readonly flows: Flows;
  readonly client: Client;

  constructor(running: RunningHost, all: Fixture) {
    this.running = running;
    this.fixture = all;
    this.flows = new Flows(running);
    this.client = new Client(() => running.base);
  }

  proof(key: ProofMaker | undefined): Fields {
    const iat = Math.floor(this.fixture.clock() / 1000);
    return key === undefined
      ? {}
      : { dpop: key.proof({ method: 'POST', url: `${this.running.base}/oauth/token`, iat }) };
  }

  /** A token request of a service. */
  token(name: string, form: Fields | URLSearchParams, key?: ProofMaker): Promise<Answer> {
    return this.client.post('/oauth/token', form, { ...basic(name, `${name}-secret`), ...this.proof(key) });
  }

  exchange(name: string, subject_token: string, more: Fields = {}, key?: ProofMaker): Promise<Answer> {
    return this.token(name, { grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, ...more }, key);
  }

  /** The token of a successful exchange for a service. */
  async exchanged(name: string, token: string, target: string, more: Fields = {}): Promise<string> {
    const { status, json, text } = await this.exchange(name, token, { resource: at(target), ...more });
    return status === 200 ? String(json['access_token']) : expect.fail(`${status}: ${text}`);
  }

  /** A token of alice for a service, given to `web`. */
  async ofAlice(target?: string, scope = 'content.read content.write', sub = 'alice'): Promise<string> {
    const request = { sub, client_id: 'web', scope: scope.split(' ') as ['profile'] }; // Names of the fixture.
    const { access_token } = await this.running.issue({ ...request, ...(target && { resource: at(target) }) });
    return access_token;
  }

  /** A token of a user, bound to a key. */
  async boundOfAlice(key: ProofMaker, target: string): Promise<string> {
    const code = await this.flows.code('web', { scope: 'content.read content.write', resource: at(target) });
    const form = this.flows.redemption('web', code);
    return String((await this.token('web', form, key)).json['access_token']);
  }

  /** A token of a service itself. */
  async ofService(name: string, target?: string, key?: ProofMaker): Promise<string> {
    const resource = target === undefined ? {} : { resource: at(target) };
    const { json } = await this.token(name, { grant_type: 'client_credentials', ...resource }, key);
    return String(json['access_token'] ?? expect.fail(JSON.stringify(json)));
  }

  close(): Promise<void> {
    return this.running.close();
  }

  async introspect(token: string): Promise<Record<string, unknown>> {
    return (await this.flows.introspect(token)).json;
  }

  async isLive(token: string): Promise<boolean> {
    return (await this.introspect(token))['active'] === true;
  }
}

/** Options of such a server. */
export const exchangeFixture = (
  { clients = [], features = [], ...more }: Partial<HostOptions> & { clients?: readonly ClientRegistration[] } = {},
  options: TokenExchangeOptions = {},
): Fixture =>
  fixture({
    resources: Object.fromEntries(SERVICES.map((name) => [at(name), { name }])),
    clients: [...SERVICES.map((name) => service(name)), service('stranger', { audience: at('notes') }), ...clients],
    features: [
      ...(features.some(({ name }) => name === 'dpop') ? [] : [dpop()]),
      tokenExchange({ ...options, from: { ...FROM, ...options.from } }),
      ...features,
    ],
    ...more,
  });

const GUARDED = {
  search: { scope: 'content.read', audience: at('search') },
  people: { scope: 'content.read', audience: at('search'), act: 'refuse' },
} as const;

/** A server for a suite. */
export const useExchange = (
  { start }: Host,
  more: Parameters<typeof exchangeFixture>[0] = {},
  options: TokenExchangeOptions = {},
): ExchangeSite => {
  const all = exchangeFixture(more, options);
  return useStarted(async () => new ExchangeSite(await start({ options: all.options, guarded: GUARDED }), all));
};
