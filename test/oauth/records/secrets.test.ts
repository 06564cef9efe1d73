import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import type { OAuthEvent } from '../../../src/core/oauth/events/events.js';
import { type Answer, basic, bearer, type Host, hostFor, type HostOptions, type RunningHost } from '../../hosts.js';
import { Browser, formOf, locationOf, PKCE, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { read } from '../support/jwt.js';
import { FaultyStore } from '../support/stores.js';
import { Flows } from '../support/tokens.js';

const LEGACY = {
  client_id: 'legacy',
  client_secret: 'legacy-secret',
  grant_types: ['password', 'implicit', 'refresh_token'],
  redirect_uris: ['https://legacy.example/cb'],
  scope: 'profile',
} as const;

const SERVER_SECRET = 'a secret of the server that must never appear';

/** The secrets of a run, and everything that the run wrote. */
class Ledger {
  readonly secrets = new Map<string, string>();
  readonly traces = new Map<string, string[]>();

  /** Records secrets, also as part of other values. */
  secret(kind: string, ...values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value !== 'string' || value.length < 6) throw new Error(`There is no ${kind}.`);
      this.secrets.set(value, kind);
    }
  }

  /** A success of an endpoint: what is secret in it is noted. */
  success(answer: Answer): Record<string, string> {
    if (answer.status !== 200) throw new Error(`Status ${answer.status}: ${answer.text}`);
    for (const name of ['access_token', 'refresh_token', 'device_code']) {
      if (name in answer.json) this.secret(name, answer.json[name]);
    }
    const access = String(answer.json['access_token']);
    // What a JWT is known by, and the part of it behind the id of the grant, which is no secret.
    const jti = access.includes('.') ? String(read(access).claims['jti']) : access;
    if (jti !== 'undefined') this.secret('access_token', jti, jti.slice(-43));
    const { user_code } = answer.json;
    if (typeof user_code === 'string') this.secret('user code', user_code, user_code.replace('-', ''));
    return answer.json as Record<string, string>; // The members that are read are text.
  }

  /** Something that was refused: its answer is left behind. */
  failure(answer: Answer): Answer {
    if (answer.status < 400) throw new Error(`Status ${answer.status}: ${answer.text}`);
    const isPage = answer.headers['content-type']?.startsWith('text/html') ?? false;
    const { 'set-cookie': _, ...headers } = answer.headers; // The place of the session cookie.
    this.trace(isPage ? 'error pages' : 'error bodies', answer.text, JSON.stringify(headers));
    return answer;
  }

  trace(where: string, ...texts: readonly string[]): void {
    const known = this.traces.get(where) ?? [];
    known.push(...texts);
    this.traces.set(where, known);
  }

  /** Where which kind of secret can be read, also in the usual disguises. */
  findings(): readonly string[] {
    const found = new Set<string>();
    for (const [where, texts] of this.traces) {
      const all = texts.join('\n');
      for (const [secret, kind] of this.secrets) {
        const bytes = Buffer.from(secret);
        const disguises = [
          secret,
          encodeURIComponent(secret),
          bytes.toString('base64'),
          bytes.toString('base64url'),
          bytes.toString('hex'),
        ];
        if (disguises.some((text) => all.includes(text.replace(/=+$/, '')))) found.add(`${kind} in ${where}`);
      }
    }
    return [...found].toSorted();
  }
}

/** A store that remembers every word that was ever said to it, deleted and expired ones too. */
const recordingStore = (store: Store, ledger: Ledger): Store => ({
  add: (key, value, expiresAt) => {
    ledger.trace('what the store was told', key, JSON.stringify(value));
    return store.add(key, value, expiresAt);
  },
  swap: (key, before, value, expiresAt) => {
    ledger.trace('what the store was told', key, JSON.stringify(value));
    return store.swap(key, before, value, expiresAt);
  },
  get: (key) => {
    ledger.trace('what the store was told', key);
    return store.get(key);
  },
  delete: (key) => {
    ledger.trace('what the store was told', key);
    return store.delete(key);
  },
});

/** One run through every flow, with all that can go wrong in it. */
class Run {
  readonly #ledger: Ledger;
  readonly #running: RunningHost;
  readonly #flows: Flows;
  readonly #advance: (seconds: number) => void;
  readonly #faulty: FaultyStore;

  constructor(running: RunningHost, ledger: Ledger, faulty: FaultyStore, advance: (seconds: number) => void) {
    this.#running = running;
    this.#ledger = ledger;
    this.#flows = new Flows(running, [LEGACY]);
    this.#faulty = faulty;
    this.#advance = advance;
  }

  async all(): Promise<void> {
    await this.signIn();
    await this.codes();
    await this.refreshing();
    await this.devices();
    await this.clientsAndPasswords();
    await this.resources();
    await this.malformed();
    await this.brokenStore();
    for (const username of ['alice', 'bob'] as const) this.#cookies(this.#flows.browser(username));
  }

  #cookies(browser: Browser): void {
    for (const { value } of browser.cookies.values()) this.#ledger.secret('session cookie', value);
  }

  async signIn(): Promise<void> {
    const browser = new Browser(this.#running);
    const request = { response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request };
    const page = await browser.authorize(request);
    this.#cookies(browser);
    const wrong = this.#ledger.failure(await browser.submit(page, { username: 'alice', password: 'not-my-password' }));
    const consent = await browser.signIn(wrong, { username: 'alice', password: 'wonderland' });
    this.#ledger.secret('password', 'wonderland', 'not-my-password');
    this.#cookies(browser);
    this.#ledger.failure(
      await browser.submit(
        { text: consent.text.replace(/(name="form_token" value=")[^"]+/, '$1forged') },
        { decision: 'approve' },
      ),
    );
    const denied = await browser.submit(consent, { decision: 'deny' });
    this.#ledger.trace('error redirects', locationOf(denied));
    this.#ledger.failure(await browser.submit(consent, { decision: 'approve' }));
    this.#ledger.failure(await browser.open(`${this.#running.base}/oauth/authorize?resume=damaged`));
  }

  async codes(): Promise<void> {
    const code = await this.#flows.code('web');
    this.#ledger.secret('code', code);
    const wrongVerifier = 'a-verifier-that-is-wrong-but-has-a-good-length';
    this.#ledger.secret('code_verifier', PKCE.verifier, wrongVerifier);
    this.#ledger.failure(await this.#flows.redeem('web', code, { code_verifier: wrongVerifier }));
    this.#ledger.failure(await this.#flows.redeem('web', code, { redirect_uri: 'https://app.example/other' }));
    this.#ledger.failure(await this.#flows.redeem('native', code));
    this.#ledger.success(await this.#flows.redeem('web', code));
    this.#ledger.failure(await this.#flows.redeem('web', code));
    const implicit = await this.#flows.authorize('legacy', {
      response_type: 'token',
      code_challenge: [],
      code_challenge_method: [],
    });
    this.#ledger.secret(
      'access_token',
      new URLSearchParams(new URL(locationOf(implicit)).hash.slice(1)).get('access_token'),
    );
    this.#ledger.trace(
      'error redirects',
      locationOf(await this.#flows.browser().authorize({ response_type: 'code', client_id: 'spa', state: 'xyz' })),
    );
  }

  async refreshing(): Promise<void> {
    for (const client_id of ['web', 'native']) {
      const code = await this.#flows.code(client_id);
      this.#ledger.secret('code', code);
      const first = this.#ledger.success(await this.#flows.redeem(client_id, code));
      const token = first['refresh_token'] ?? '';
      this.#ledger.success(await this.#flows.refresh(client_id, token));
      this.#ledger.success(await this.#flows.refresh(client_id, token));
      this.#ledger.failure(await this.#flows.refresh(client_id, token, { scope: 'introspect' }));
      this.#advance(11);
      this.#ledger.failure(await this.#flows.refresh(client_id, token));
    }
  }

  async devices(): Promise<void> {
    for (const decision of ['approve', 'deny'] as const) {
      const answer = this.#ledger.success(await this.#flows.post('/oauth/device', 'tv', {}));
      const { device_code = '', user_code = '', verification_uri = '' } = answer;
      this.#ledger.failure(await this.#flows.poll('tv', device_code));
      this.#ledger.failure(await this.#flows.poll('tv', device_code));
      await this.#flows.decide({ device_code, user_code, verification_uri, interval: 5 }, decision);
      // A second browser tries to enter a code that already has an owner.
      await this.#flows.code('web', {}, 'bob').then((code) => this.#ledger.secret('code', code));
      const bob = this.#flows.browser('bob');
      this.#ledger.failure(
        await bob.submit(await bob.open(`${this.#running.base}/oauth/device?user_code=${user_code}`)),
      );
      if (decision === 'approve') this.#ledger.success(await this.#flows.poll('tv', device_code));
      this.#ledger.failure(await this.#flows.poll('tv', device_code));
      this.#ledger.failure(await this.#flows.poll('native', device_code));
    }
    this.#ledger.secret('password', 'builder');
  }

  async clientsAndPasswords(): Promise<void> {
    const { client } = this.#flows;
    const form = { grant_type: 'client_credentials' };
    this.#ledger.secret(
      'client secret',
      'web-secret',
      'service-secret',
      'api-secret',
      'legacy-secret',
      'not-the-secret',
      SERVER_SECRET,
    );
    this.#ledger.success(await this.#flows.token('service', form));
    this.#ledger.failure(await client.post('/oauth/token', form, basic('service', 'not-the-secret')));
    this.#ledger.failure(
      await client.post('/oauth/token', { ...form, client_id: 'service', client_secret: 'not-the-secret' }),
    );
    this.#ledger.failure(
      await client.post(
        '/oauth/token',
        { ...form, client_secret: 'service-secret' },
        basic('service', 'service-secret'),
      ),
    );
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    this.#ledger.success(await this.#flows.token('legacy', password));
    this.#ledger.failure(await this.#flows.token('legacy', { ...password, password: 'not-my-password' }));
  }

  async resources(): Promise<void> {
    const { client } = this.#flows;
    const code = await this.#flows.code('web');
    this.#ledger.secret('code', code);
    const { access_token = '', refresh_token = '' } = this.#ledger.success(await this.#flows.redeem('web', code));
    const { access_token: own = '' } = this.#ledger.success(
      await this.#flows.token('api', { grant_type: 'client_credentials', scope: 'introspect' }),
    );
    this.#ledger.success(await this.#flows.introspect(access_token));
    await client.post('/oauth/introspect', { token: refresh_token }, bearer(own));
    this.#ledger.failure(await client.post('/oauth/introspect', { token: access_token }, bearer(refresh_token)));
    this.#ledger.failure(await this.#flows.guarded('profile', refresh_token));
    this.#ledger.failure(await this.#flows.guarded('profile', own));
    this.#ledger.failure(await this.#flows.revoke('native', access_token));
    await this.#flows.revoke('web', access_token);
    await this.#flows.revoke('web', refresh_token);
    this.#ledger.failure(await this.#flows.guarded('profile', access_token));
    this.#ledger.failure(await this.#flows.refresh('web', refresh_token));
  }

  async malformed(): Promise<void> {
    const { client } = this.#flows;
    const code = await this.#flows.code('web');
    this.#ledger.secret('code', code);
    const form = `grant_type=authorization_code&client_id=web&client_secret=web-secret&code=${code}`;
    const bodies = [
      `${form}&code=${code}`,
      `${form}%zz`,
      `${form}%00`,
      `${form}&client_secret=web-secret`,
      `${form}&code[]=${code}`,
    ];
    for (const body of [...bodies, `${form}&${'x=1&'.repeat(200)}`, `${form}&x=${'y'.repeat(70_000)}`]) {
      this.#ledger.failure(await client.post('/oauth/token', body));
    }
    this.#ledger.failure(await client.post(`/oauth/token?${form}`, ''));
    this.#ledger.failure(await client.get(`/oauth/token?${form}`));
    this.#ledger.failure(await client.post('/oauth/token', form, { 'content-type': 'application/json' }));
    this.#ledger.failure(await client.post('/oauth/token', form, { authorization: `Basic web:web-secret` }));
  }

  async brokenStore(): Promise<void> {
    let calls = 3;
    for (let call = 1; call <= calls; call += 1) {
      const code = await this.#flows.code('web');
      this.#ledger.secret('code', code);
      this.#faulty.watch(call);
      this.#ledger.failure(await this.#flows.redeem('web', code));
      calls = Math.max(calls, this.#faulty.calls.length);
      this.#faulty.watch();
    }
    const page = await this.#flows
      .browser()
      .authorize({ response_type: 'code', client_id: 'web', state: 'xyz', ...PKCE.request });
    expect(formOf(page).buttons).toContain('decision=approve');
    this.#faulty.watch(1);
    expect(responseOf(await this.#flows.browser().submit(page, { decision: 'approve' }))).toMatchObject({
      error: 'temporarily_unavailable',
    });
    this.#faulty.watch();
  }
}

describe.each(hostFor(import.meta.url))('secrets of a complete flow on $name', (host) => {
  const CONSOLE = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
  let ledger: Ledger;

  beforeEach(() => {
    ledger = new Ledger();
    const { traces } = ledger;
    for (const method of CONSOLE) {
      vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
        traces.set('the console', [...(traces.get('the console') ?? []), inspect(values, { depth: 10 })]);
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const play = async (target: Host, more: HostOptions = {}): Promise<void> => {
    const events: OAuthEvent[] = [];
    const { options, store, advance } = fixture({
      clients: [LEGACY],
      grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
      secret: SERVER_SECRET,
      onEvent: (event) => events.push(event),
    });
    const { onError: _onError, onWarning: _onWarning, ...quiet } = options; // Errors and warnings go where they go by default.
    const faulty = new FaultyStore(recordingStore(store, ledger));
    const running = await target.start({ options: { ...quiet, store: faulty, ...more } });
    await new Run(running, ledger, faulty, advance).all();
    ledger.trace('events', ...events.map((event) => JSON.stringify(event)));
    ledger.trace('the store', ...[...store.entries()].map(([key, value]) => `${key} ${JSON.stringify(value)}`));
    // A body parser of the host keeps the body that it could not read in its error; that is between the host and it.
    const ours = target.mount === 'parser' ? [] : running.errors;
    ledger.trace("the host's error handler", ...ours.map((error) => inspect(error, { depth: 10 })));
  };

  const expectNothing = (): void => {
    expect(new Set(ledger.secrets.values())).toEqual(
      new Set([
        'code',
        'access_token',
        'refresh_token',
        'device_code',
        'user code',
        'password',
        'client secret',
        'session cookie',
        'code_verifier',
      ]),
    );
    expect(ledger.secrets.size).toBeGreaterThan(40);
    for (const where of [
      'what the store was told',
      'the store',
      'events',
      'the console',
      'error bodies',
      'error pages',
      'error redirects',
    ]) {
      expect(ledger.traces.get(where)?.length, where).toBeGreaterThan(0);
    }
    // The page for a user code shows the typed code to its own visitor only.
    expect(ledger.findings().filter((finding) => finding !== 'user code in error pages')).toEqual([]);
  };

  test('#115 no code, token, device code, user code, password, secret or cookie is in store, events, errors or console (RFC 6819 §5.1.4.1.3)', async () => {
    await play(host);
    expectNothing();
  });

  test('#115 nor with JWT access tokens', async () => {
    await play(host, { jwt: true });
    expectNothing();
  });

  test('#115 the search finds secrets, plain and encoded', () => {
    ledger.secret('token', 'the-planted-secret+/=');
    for (const text of [
      'x the-planted-secret+/= y',
      encodeURIComponent('the-planted-secret+/='),
      Buffer.from('the-planted-secret+/=').toString('hex'),
    ]) {
      ledger.traces.clear();
      ledger.trace('here', 'something else', text);
      expect(ledger.findings()).toEqual(['token in here']);
    }
    ledger.traces.clear();
    ledger.trace('here', 'the-planted-secre');
    expect(ledger.findings()).toEqual([]);
  });
});
