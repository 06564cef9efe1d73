/** The commands and the bytes of each operation of a client, on one store. */
import { oauthQuery } from 'oauth-query/fetch';
import { consentOf, VERIFIER } from '../http/authorization.js';
import {
  API,
  basic,
  type BenchClient,
  FORM_TYPE,
  PATHS,
  REDIRECT_URI,
  SCOPE,
  SERVICE,
  WEB,
} from '../servers/setting.js';
import type { Engine } from './engines.js';
import type { EngineResults } from './results.js';

const ISSUER = 'https://auth.example';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const FIVE_MINUTES = 300_000;

type Fields = Readonly<Record<string, unknown>>;

/** A server on the store, and the requests that its clients and owners send. */
class Client {
  readonly #oauth;
  #owner = '';
  /** Milliseconds by which the server's clock is ahead. */
  #ahead = 0;

  constructor({ store }: Engine) {
    this.#oauth = oauthQuery({
      store,
      issuer: ISSUER,
      secret: 'a secret of the benchmark, which is public',
      clients: [
        { ...SERVICE, grant_types: ['client_credentials'], scope: SCOPE },
        { ...WEB, redirect_uris: [REDIRECT_URI], scope: SCOPE },
        { ...API, grant_types: ['client_credentials'], introspect: true },
      ],
      scopes: { [SCOPE]: 'Read the content' },
      owner: () => ({ sub: this.#owner }),
      loginUrl: '/login',
      runtime: { clock: () => Date.now() + this.#ahead },
      onWarning: () => undefined,
    });
  }

  async #post(path: string, client: BenchClient, form: Readonly<Record<string, string>>): Promise<Fields> {
    const headers = { authorization: basic(client), 'content-type': FORM_TYPE };
    const body = new URLSearchParams(form).toString();
    const response = await this.#oauth.handler(new Request(ISSUER + path, { method: 'POST', headers, body }));
    const fields: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(fields)}`);
    return fields as Fields; // every 200 of these endpoints is an object
  }

  async token(): Promise<string> {
    const { access_token } = await this.#post(PATHS.token, SERVICE, { grant_type: 'client_credentials', scope: SCOPE });
    return String(access_token);
  }

  async introspect(token: string): Promise<void> {
    const { active } = await this.#post(PATHS.introspect, API, { token });
    if (active !== true) throw new Error('A live token was not active.');
  }

  /** Lets enough time pass for the next refresh to be no repetition of the last one. */
  wait(): void {
    this.#ahead += FIVE_MINUTES;
  }

  async refresh(token: string): Promise<string> {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    return String((await this.#post(PATHS.token, WEB, form))['refresh_token']);
  }

  /** The refresh token of a new grant, without a browser. */
  async grant(sub: string): Promise<string> {
    return (await this.#oauth.issue({ sub, client_id: WEB.client_id })).refresh_token ?? '';
  }

  /** An owner who is signed in at the host allows the client access, and the client redeems the code. */
  async signIn(sub: string): Promise<void> {
    this.#owner = sub;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: WEB.client_id,
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state: 'state',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    const page = await this.#oauth.handler(new Request(`${ISSUER}${PATHS.authorize}?${query.toString()}`));
    const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const { address, form } = consentOf(await page.text(), page.status);
    const decision = new Request(new URL(address, ISSUER), {
      method: 'POST',
      headers: { cookie: cookie.join('; '), origin: ISSUER, 'content-type': FORM_TYPE },
      body: form.toString(),
    });
    const location = (await this.#oauth.handler(decision)).headers.get('location') ?? '';
    const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null;
    if (code === null) throw new Error(`The decision returned no code: ${location}`);
    await this.#post(PATHS.token, WEB, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    });
  }
}

const SAMPLES = 20;
const WARM_UP = 1_000;
const TOGETHER = 50;

/** Until the server has written what it writes after its responses. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

/** Runs one operation for each of these, some at a time. */
async function forAll<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += TOGETHER) {
    results.push(...(await Promise.all(items.slice(start, start + TOGETHER).map(run))));
  }
  return results;
}

/**
 * @param count - How often each operation is done to measure its bytes.
 * @returns for each operation its commands, including those after the response, and the bytes that it adds to the store.
 */
export async function measureOperations(engine: Engine, count: number): Promise<Pick<EngineResults, 'operations'>> {
  const client = new Client(engine);
  const owners = Array.from({ length: count }, (_one, index) => `owner-${index}`);
  const commandsOf = async (run: (sample: number) => Promise<unknown>): Promise<number> => {
    const before = engine.commands();
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      await run(sample);
      // What the server writes after its response belongs to the operation.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return (engine.commands() - before) / SAMPLES;
  };
  const grantsFor = (subjects: readonly string[]): Promise<string[]> => forAll(subjects, (sub) => client.grant(sub));
  const refreshed = (tokens: readonly string[]): Promise<string[]> => {
    client.wait();
    return forAll(tokens, (token) => client.refresh(token));
  };
  const bytesOf = async <R>(run: () => Promise<R>): Promise<{ bytes: number; result: R }> => {
    const before = await engine.size();
    const result = await run();
    await settled();
    return { bytes: ((await engine.size()) - before) / count, result };
  };

  const probe = await client.token();
  // Compiled code and pools are no part of what a record takes.
  const warm = Array.from({ length: WARM_UP }, (_one, index) => `warm-up-${index}`);
  await forAll(warm, () => client.token());
  const refreshTokens = await refreshed(await grantsFor(warm));
  client.wait();
  await settled();
  const commands = {
    token: await commandsOf(() => client.token()),
    introspect: await commandsOf(() => client.introspect(probe)),
    signIn: await commandsOf((sample) => client.signIn(`signed-in-${sample}`)),
    refresh: await commandsOf((sample) => client.refresh(refreshTokens[sample] ?? '')),
  };
  const tokens = await bytesOf(() => forAll(owners, () => client.token()));
  const grants = await bytesOf(() => grantsFor(owners));
  // The first refresh makes the chain larger: it then also holds the token before the current one. Later ones do not.
  const first = await bytesOf(() => refreshed(grants.result));
  const next = await bytesOf(() => refreshed(first.result));
  return {
    operations: {
      token: { commands: commands.token, bytes: tokens.bytes },
      introspect: { commands: commands.introspect, bytes: 0 },
      signIn: { commands: commands.signIn, bytes: grants.bytes + first.bytes - next.bytes },
      refresh: { commands: commands.refresh, bytes: next.bytes },
    },
  };
}
