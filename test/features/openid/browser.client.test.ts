import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noChromium, openWindow, startChromium } from '../../browser/chromium.js';
import { oneHostEach, type RunningHost } from '../../hosts.js';
import { listen, type Listening } from '../../hosts/listen.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { ALICE, openIdFixture, P256 } from './support.js';

const libraryOf = (path: string): Buffer => readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url));
const FILES: Record<string, Buffer> = {
  '/oidc-client-ts.js': libraryOf('oidc-client-ts/dist/browser/oidc-client-ts.min.js'),
  '/keycloak.js': libraryOf('keycloak-js/lib/keycloak.js'),
  '/okta-auth-js.js': libraryOf('@okta/okta-auth-js/dist/okta-auth-js.min.js'),
};

/** An Angular application without a component, as a bundler makes it of the published packages. */
const ANGULAR = `
import '@angular/compiler';
import { provideHttpClient } from '@angular/common/http';
import { provideZonelessChangeDetection } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { OAuthService, provideOAuthClient } from 'angular-oauth2-oidc';
const providers = [provideZonelessChangeDetection(), provideHttpClient(), provideOAuthClient()];
const { injector } = await createApplication({ providers });
window.app = injector.get(OAuthService);
app.configure(window.configuration);
window.isReady = true;
`;

const angularBundle = async (): Promise<Buffer> => {
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  const stdin = { contents: ANGULAR, resolveDir };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'esm', logLevel: 'warning' });
  return Buffer.from(outputFiles[0]?.contents ?? []);
};

/** Pages with the libraries as they are published. */
const pages = (authority: string): Readonly<Record<string, string>> => ({
  '/oidc': `<script src="/oidc-client-ts.js"></script><script>
const app = new oidc.UserManager({ authority: '${authority}', client_id: 'page', redirect_uri: location.origin + '/oidc',
  post_logout_redirect_uri: location.origin + '/oidc', scope: 'openid profile email', response_mode: 'query', loadUserInfo: true, revokeTokensOnSignout: true });
</script>`,
  '/keycloak': `<script type="module">
import Keycloak from '/keycloak.js';
const app = new Keycloak({ clientId: 'keycloak', oidcProvider: '${authority}' });
window.app = app;
window.start = (onLoad) => app.init({ onLoad, checkLoginIframe: false, pkceMethod: 'S256', scope: 'profile email' });
</script>`,
  // It reads no endpoint in the metadata: without these addresses, it goes to those of its maker's servers.
  '/okta': `<script src="/okta-auth-js.js"></script><script>
const app = new OktaAuth({ issuer: '${authority}', clientId: 'okta', redirectUri: location.origin + '/okta', postLogoutRedirectUri: location.origin + '/okta?out',
  scopes: ['openid', 'profile', 'email'], authorizeUrl: '${authority}/oauth/authorize', tokenUrl: '${authority}/oauth/token',
  userinfoUrl: '${authority}/oauth/userinfo', revokeUrl: '${authority}/oauth/revoke', logoutUrl: '${authority}/oauth/logout' });
</script>`,
  '/angular': `<script>
window.configuration = { issuer: '${authority}', clientId: 'angular', requireHttps: false, responseType: 'code', scope: 'openid profile email',
  redirectUri: location.origin + '/angular', postLogoutRedirectUri: location.origin + '/angular?out' };
</script><script type="module" src="/angular.js"></script>`,
});

const pageClient = (client_id: string, path: string) => ({
  ...{ client_id, scope: 'openid profile email', grant_types: ['authorization_code'] as const },
  ...{ redirect_uris: [`http://127.0.0.1${path}`], post_logout_redirect_uris: [`http://127.0.0.1${path}`] },
});

describeEngine('libraries for browsers, unmodified, in Chromium', noChromium, () => {
  let browser: Browser;
  let site: Listening;
  let home: string;
  let running: RunningHost;

  beforeAll(async () => {
    const [host] = oneHostEach;
    browser = await startChromium();
    site = await listen();
    home = site.origin;
    const { store: _store, ...options } = openIdFixture(
      {},
      {
        runtime: { clock: Date.now },
        cors: [home],
        // keycloak-js reads the access token, and would read a refresh token.
        jwt: [{ key: P256 }],
        clients: [
          { ...pageClient('page', '/oidc'), grant_types: ['authorization_code', 'refresh_token'], refresh: 'rotating' },
          pageClient('keycloak', '/keycloak'),
          ...['okta', 'angular'].map((name) => ({
            ...pageClient(name, `/${name}`),
            post_logout_redirect_uris: [`http://127.0.0.1/${name}?out`],
            grant_types: ['authorization_code', 'refresh_token'] as const,
            refresh: 'rotating' as const,
          })),
        ],
      },
    ).options;
    running = await host.start({ options });
    const texts = pages(running.base);
    FILES['/angular.js'] = await angularBundle();
    site.server.on('request', (request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const file = FILES[path];
      response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
      response.end(
        file ?? `<!DOCTYPE html><title>App</title><link rel="icon" href="data:,">${texts[path] ?? ''}<h1>App</h1>`,
      );
    });
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await running.close();
  });

  /** The page is left, so no answer arrives. */
  const leave = async (page: Page, script: string): Promise<void> => {
    await page.evaluate(script).catch(() => undefined);
  };
  const signIn = async (page: Page): Promise<void> => {
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wonderland');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
  };

  test('oidc-client-ts 3: PKCE, userinfo, a refresh with the same sign-in, and signing out', async () => {
    const { page, context } = await openWindow(browser);
    await page.goto(`${home}/oidc`);
    await leave(page, 'app.signinRedirect()');
    await signIn(page);
    await page.waitForURL(`${home}/oidc?*`);
    const user = await page.evaluate<{ profile: Record<string, unknown>; refresh_token: string }>(
      'app.signinCallback()',
    );
    expect(user.profile).toMatchObject({ sub: 'alice', email: ALICE.email, name: ALICE.name });
    // It compares sub, auth_time and azp with the first ID token.
    const renewed = await page.evaluate<typeof user>('app.signinSilent()');
    expect(renewed.profile['auth_time']).toBe(user.profile['auth_time']);
    expect(renewed.refresh_token).not.toBe(user.refresh_token);
    await leave(page, 'app.signoutRedirect()');
    await page.waitForURL(`${home}/oidc`);
    await leave(page, 'app.signinRedirect()');
    await page.getByLabel('Password').waitFor();
    await context.close();
  });

  test('keycloak-js 26 with oidcProvider, on the origin of the server: the answer in the fragment, check-sso, userinfo, and signing out', async () => {
    const { page, context } = await openWindow(browser);
    // Its token request sends cookies, which no other origin may do here.
    const { origin } = running;
    for (const [path, contentType] of [
      ['/keycloak', 'text/html'],
      ['/keycloak.js', 'text/javascript'],
    ] as const)
      await context.route(
        (url) => url.origin === origin && url.pathname === path,
        async (route) => route.fulfill({ contentType, body: await (await fetch(home + path)).text() }),
      );
    await page.goto(`${origin}/keycloak`);
    // Nobody is signed in: the browser comes back with login_required.
    await page.waitForFunction('window.start');
    await leave(page, `start('check-sso')`);
    await page.waitForURL(`${origin}/keycloak#error=login_required*`);
    await page.goto(`${origin}/keycloak`);
    await page.waitForFunction('window.start');
    await leave(page, `start('login-required')`);
    await signIn(page);
    await page.waitForURL(`${origin}/keycloak#*`);
    await page.reload(); // What a redirect leads to is the server's, not that of this test.
    await page.waitForFunction('window.start');
    await page.evaluate(`start('check-sso')`);
    expect(await page.evaluate('[app.authenticated, app.idTokenParsed.sub, app.idTokenParsed.email]')).toEqual([
      ...[true, 'alice', ALICE.email],
    ]);
    expect(await page.evaluate('app.loadUserInfo()')).toMatchObject({ sub: 'alice', name: ALICE.name });
    const back = page.waitForResponse((answer) => answer.url() === `${origin}/keycloak` && answer.status() === 404);
    await leave(page, `app.logout({ redirectUri: location.origin + '/keycloak' })`);
    await back;
    const later = await context.newPage();
    await later.goto(`${origin}/keycloak`);
    await later.waitForFunction('window.start');
    await leave(later, `start('login-required')`);
    await later.getByLabel('Password').waitFor();
    await context.close();
  });

  test('okta-auth-js 8: PKCE, userinfo, a refresh, revocation and signing out', async () => {
    const { page, context } = await openWindow(browser);
    await page.goto(`${home}/okta`);
    await leave(page, 'app.signInWithRedirect()');
    await signIn(page);
    await page.waitForURL(`${home}/okta?*`);
    // It verifies the ID token with the published keys, at_hash and nonce included.
    await page.evaluate('app.handleRedirect()');
    const claims = await page.evaluate<Record<string, unknown>>('app.tokenManager.getTokensSync().idToken.claims');
    expect(claims).toMatchObject({ sub: 'alice', email: ALICE.email, name: ALICE.name });
    expect(await page.evaluate('app.token.getUserInfo()')).toMatchObject({ sub: 'alice', name: ALICE.name });
    const refreshToken = () => page.evaluate<string>('app.tokenManager.getTokensSync().refreshToken.refreshToken');
    const before = await refreshToken();
    const renewed = await page.evaluate<{ idToken: { claims: Record<string, unknown> } }>(
      'app.token.renewTokens().then((tokens) => { app.tokenManager.setTokens(tokens); return tokens; })',
    );
    expect(renewed.idToken.claims).toMatchObject({ sub: 'alice', auth_time: claims['auth_time'] });
    expect(await refreshToken()).not.toBe(before);
    // It revokes both tokens first, for which it names itself in a header without a colon.
    await leave(page, 'app.signOut()');
    await page.waitForURL(`${home}/okta?out`);
    await leave(page, 'app.signInWithRedirect()');
    await page.getByLabel('Password').waitFor();
    await context.close();
  });

  test('angular-oauth2-oidc 20 in an Angular application: PKCE, userinfo, a refresh, revocation and signing out', async () => {
    const { page, context } = await openWindow(browser);
    await page.goto(`${home}/angular`);
    await page.waitForFunction('window.isReady');
    expect(await page.evaluate('app.loadDiscoveryDocumentAndTryLogin()')).toBe(true);
    await leave(page, 'app.initCodeFlow()');
    await signIn(page);
    await page.waitForURL(`${home}/angular?*`);
    await page.waitForFunction('window.isReady');
    await page.evaluate('app.loadDiscoveryDocumentAndTryLogin()');
    const claims = await page.evaluate<Record<string, unknown>>('app.getIdentityClaims()');
    expect(claims).toMatchObject({ sub: 'alice', email: ALICE.email, name: ALICE.name });
    expect(await page.evaluate('app.loadUserProfile()')).toMatchObject({ info: { sub: 'alice', name: ALICE.name } });
    const before = await page.evaluate('app.getRefreshToken()');
    await page.evaluate('app.refreshToken()');
    expect(await page.evaluate('app.getRefreshToken()')).not.toBe(before);
    expect(await page.evaluate('app.getIdentityClaims()')).toMatchObject({ auth_time: claims['auth_time'] });
    await leave(page, 'app.revokeTokenAndLogout()');
    await page.waitForURL(`${home}/angular?out`);
    await page.waitForFunction('window.isReady');
    await page.evaluate('app.loadDiscoveryDocument()');
    await leave(page, 'app.initCodeFlow()');
    await page.getByLabel('Password').waitFor();
    await context.close();
  });
});
