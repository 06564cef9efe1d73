import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noChromium, openWindow, startChromium } from '../../browser/chromium.js';
import { oneHostEach, type RunningHost } from '../../hosts.js';
import { listen, type Listening } from '../../hosts/listen.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { ALICE, openIdFixture, P256 } from './support.js';

const libraryOf = (path: string): Buffer => readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url));
const FILES: Readonly<Record<string, Buffer>> = {
  '/oidc-client-ts.js': libraryOf('oidc-client-ts/dist/browser/oidc-client-ts.min.js'),
  '/keycloak.js': libraryOf('keycloak-js/lib/keycloak.js'),
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
        ],
      },
    ).options;
    running = await host.start({ options });
    const texts = pages(running.base);
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
});
