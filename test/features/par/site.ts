import { type PushedRequestOptions, pushedRequests } from 'oauth-query/par';
import { afterAll, expect } from 'vitest';
import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { type Answer, basic, Client, type Host, type HostOptions, type RunningHost } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { Browser, PKCE } from '../../oauth/support/browser.js';
import { CLIENTS, type Fixture, fixture } from '../../oauth/support/fixture.js';

export const SECRET = 'a secret of the tests, with 32 characters';
export const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** What the client web asks for. */
export const WEB = {
  response_type: 'code',
  client_id: 'web',
  redirect_uri: 'https://app.example/cb',
  scope: 'profile',
  state: 'xyz',
  ...PKCE.request,
} as const;

export const SPA = { ...WEB, client_id: 'spa', redirect_uri: 'https://spa.example/cb' } as const;

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A running server to which clients push their requests. */
export class PushSite {
  readonly running: RunningHost;
  readonly all: Fixture;
  readonly http: Client;

  constructor(running: RunningHost, all: Fixture) {
    this.running = running;
    this.all = all;
    this.http = new Client(() => running.base);
  }

  close(): Promise<void> {
    return this.running.close();
  }

  push(form: Fields, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const secret = CLIENTS.find(({ client_id }) => client_id === form['client_id']);
    const own: Record<string, string> =
      secret !== undefined && 'client_secret' in secret ? { ...basic(secret.client_id, secret.client_secret) } : {};
    return this.http.post('/oauth/par', form, { ...own, ...headers });
  }

  /** The reference to a pushed request. */
  async reference(form: Fields, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const answer = await this.push(form, headers);
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.json['request_uri']);
  }

  browser(): Browser {
    return new Browser(this.running);
  }

  /** Redeems a code of {@link WEB} or {@link SPA}. */
  redeem(code: string | undefined, request: typeof WEB | typeof SPA, headers: Readonly<Record<string, string>> = {}) {
    const form = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: request.redirect_uri };
    const own: Record<string, string> = request.client_id === 'web' ? { ...basic('web', 'web-secret') } : {};
    const name = request.client_id === 'web' ? {} : { client_id: request.client_id };
    return this.http.post('/oauth/token', { ...form, ...name, code_verifier: PKCE.verifier }, { ...own, ...headers });
  }
}

export const startPush = async (
  host: Host,
  options: PushedRequestOptions | 'off' = {},
  more: HostOptions & { readonly clients?: readonly ClientRegistration[] } = {},
): Promise<PushSite> => {
  const { features = [], ...others } = more;
  const all = fixture({
    secret: SECRET,
    ...others,
    features: [...(options === 'off' ? [] : [pushedRequests(options)]), ...features],
  });
  return new PushSite(await host.start({ options: all.options }), all);
};

/** The same for a suite. At the end there must be no errors. */
export const usePush = (...given: Parameters<typeof startPush>): PushSite => {
  const site = useStarted(() => startPush(...given));
  afterAll(() => expect(site.all.errors).toEqual([]));
  return site;
};
