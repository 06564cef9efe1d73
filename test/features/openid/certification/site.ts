import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { expect } from 'vitest';
import type { ClientRegistration } from '../../../../src/core/oauth/clients/client.js';
import { type Answer, basic, bearer, Client, type Host, type RunningHost, useHost } from '../../../hosts.js';
import { Browser, isConsent, isSignIn, formOf } from '../../../oauth/support/browser.js';
import { openIdFixture } from '../support.js';

export type Fields = Readonly<Record<string, string>>;
export type Mode = 'query' | 'form_post';

export const CALLBACK = 'https://suite.example/callback';
export const OUT = 'https://suite.example/post_logout_redirect';
const SCOPE = 'openid profile email address phone';

const client = (client_id: string, more: Partial<ClientRegistration> = {}): ClientRegistration => ({
  client_id,
  client_secret: `${client_id}-secret`,
  redirect_uris: [CALLBACK],
  post_logout_redirect_uris: [OUT],
  scope: SCOPE,
  ...more,
});

/** A response to the client: in the query of the redirect URI, or in a form that is posted to it. */
const responseIn = (answer: Answer, mode: Mode): Fields | undefined => {
  const { location } = answer.headers;
  if (mode === 'query')
    return location?.startsWith(CALLBACK) ? Object.fromEntries(new URL(location).searchParams) : undefined;
  if (answer.status !== 200 || !answer.text.includes(`action="${CALLBACK}"`)) return undefined;
  return formOf(answer).fields;
};

/** What the browser of the suite ends with: a response to the client, or a page. */
export interface Ended {
  readonly response: Fields | undefined;
  readonly page: Answer;
  /** How often it signed in on the way. */
  readonly signIns: number;
}

/** The server under test, and the client that the suite plays. */
export class Suite {
  readonly running: RunningHost;
  readonly http: Client;
  readonly mode: Mode;
  readonly fixture: ReturnType<typeof openIdFixture>;

  constructor(running: RunningHost, fixture: ReturnType<typeof openIdFixture>, mode: Mode) {
    this.running = running;
    this.fixture = fixture;
    this.mode = mode;
    this.http = new Client(() => running.base);
  }

  browser(): Browser {
    return new Browser(this.running);
  }

  request(more: Fields = {}): Fields {
    return {
      response_type: 'code',
      client_id: 'first',
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: 'a state',
      nonce: 'a nonce',
      ...(this.mode === 'form_post' && { response_mode: this.mode }),
      ...more,
    };
  }

  /** Whatever the server shows, the user signs in and allows. */
  async visit(first: Answer, browser: Browser): Promise<Ended> {
    let page = first;
    for (let signIns = 0; ;) {
      const response = responseIn(page, this.mode);
      if (response !== undefined) return { response, page, signIns };
      if (isSignInPage(page)) {
        signIns += 1;
        page = await browser.signIn(page);
      } else if (isConsentPage(page)) page = await browser.submit(page, { decision: 'approve' });
      else return { response: undefined, page, signIns };
    }
  }

  async authorize(more: Fields = {}, browser = this.browser()): Promise<Ended> {
    return this.visit(await browser.authorize(this.request(more)), browser);
  }

  /** The response of a request that must succeed. */
  async succeed(more: Fields = {}, browser = this.browser()): Promise<Fields & { readonly code: string }> {
    const { response, page } = await this.authorize(more, browser);
    const { code } = response ?? {};
    if (code === undefined) expect.fail(`There is no code: ${JSON.stringify(response)} ${page.status}`);
    expect(response).toMatchObject({ state: more['state'] ?? 'a state', iss: this.running.base });
    return { ...response, code };
  }

  redeem(code: string, more: Fields = {}, headers: Fields = basic('first', 'first-secret')): Promise<Answer> {
    return this.http.post(
      '/oauth/token',
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more },
      headers,
    );
  }

  async tokens(more: Fields = {}, browser?: Browser): Promise<Readonly<Record<string, string>>> {
    const answer = await this.redeem((await this.succeed(more, browser)).code);
    if (answer.status !== 200) expect.fail(answer.text);
    return answer.json as Readonly<Record<string, string>>;
  }

  async verified(id_token: unknown): Promise<{ readonly claims: JWTPayload; readonly header: object }> {
    const { json } = await this.http.get('/oauth/jwks');
    const { payload, protectedHeader } = await jwtVerify(
      String(id_token),
      createLocalJWKSet(json as unknown as JSONWebKeySet),
      {
        issuer: this.running.base,
        audience: 'first',
        algorithms: ['RS256'],
        requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
        currentDate: new Date(this.fixture.clock()),
      },
    );
    return { claims: payload, header: protectedHeader };
  }

  async idToken(more: Fields = {}, browser?: Browser): Promise<JWTPayload> {
    return (await this.verified((await this.tokens(more, browser))['id_token'])).claims;
  }

  userinfo(access_token: unknown): Promise<Answer> {
    return this.http.get('/oauth/userinfo', bearer(String(access_token)));
  }
}

const isSignInPage = (page: Answer): boolean => /<form/.test(page.text) && isSignIn(page);
const isConsentPage = (page: Answer): boolean => /<form/.test(page.text) && isConsent(page);

/** A server for a suite of tests, which must end without an error. */
export const useSuite = (
  host: Pick<Host, 'start'>,
  mode: Mode = 'query',
  more: Partial<ClientRegistration> = {},
): Suite => {
  const all = openIdFixture(
    { idTokenClaims: 'minimal' },
    { clients: [client('first', more), client('second')], lifetimes: { rememberedConsent: 86_400 } },
  );
  return new Suite(useHost(host, { options: all.options }, all.errors), all, mode);
};
