import { readFileSync } from 'node:fs';
import { dpop } from 'oauth-query/dpop';
import { openIdConnect } from 'oauth-query/openid';
import { query } from 'oauth-query/query';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noChromium, openWindow, startChromium } from '../../browser/chromium.js';
import { Client, oneHostEach, type RunningHost } from '../../hosts.js';
import { listen, type Listening } from '../../hosts/listen.js';
import { fixture } from '../../oauth/support/fixture.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { RSA } from '../openid/support.js';
import { SECRET } from './site.js';

const LIBRARY = readFileSync(
  new URL('../../../node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js', import.meta.url),
);

/** A page with the library as it is published. */
const pageFor = (
  authority: string,
): string => `<!DOCTYPE html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<script src="/library.js"></script><script>
const settings = { authority: '${authority}', client_id: 'spa', redirect_uri: location.origin + '/', scope: 'openid profile', loadUserInfo: false };
const dpop = { bind_authorization_code: true, store: new oidc.IndexedDbDPoPStore() };
const app = new oidc.UserManager({ ...settings, dpop, userStore: new oidc.WebStorageStateStore({ store: sessionStorage }) });
/** With the nonce that an earlier response brought. */
let nonce;
const ask = async (address) => {
  const user = await app.getUser();
  const proof = await app.dpopProof(address, user, 'GET', nonce);
  const response = await fetch(address, { headers: { authorization: 'DPoP ' + user.access_token, dpop: proof } });
  nonce = response.headers.get('dpop-nonce') ?? nonce;
  return { status: response.status, challenge: response.headers.get('www-authenticate'), body: await response.text() };
};
</script><h1>App</h1>`;

describeEngine('oidc-client-ts 3 in a browser, unmodified, with a key that no script can read', noChromium, () => {
  let browser: Browser;
  let site: Listening;
  let home: string;
  let running: RunningHost;
  const { store: _, ...options } = fixture().options;

  beforeAll(async () => {
    const [host] = oneHostEach;
    browser = await startChromium();
    site = await listen();
    home = site.origin;
    running = await host.start({
      options: {
        ...{ ...options, secret: SECRET, runtime: { clock: Date.now } },
        clients: [{ client_id: 'spa', redirect_uris: [`${home}/`], refresh: 'rotating', scope: 'openid profile' }],
        features: [openIdConnect({ keys: [{ key: RSA }] }), dpop({ nonce: 'required' }), query({ cors: [home] })],
        cors: [home],
      },
    });
    const page = pageFor(running.base);
    site.server.on('request', (request, response) => {
      const isLibrary = request.url === '/library.js';
      response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html').end(isLibrary ? LIBRARY : page);
    });
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await running.close();
  });

  test('DP11, DP27, DP30 binds its code, answers nonces, asks the query API and userinfo, and refreshes', async () => {
    const { page, complaints } = await openWindow(browser);
    await page.goto(`${home}/`);
    await page.evaluate('app.signinRedirect({ state: 1 })').catch(() => undefined); // The page is left.
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wonderland');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(new URL(page.url()).origin).toBe(running.origin);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${home}/?*`);
    const user = await page.evaluate<{ token_type: string; access_token: string }>('app.signinCallback()');
    expect(user.token_type).toBe('DPoP');

    const api = `${running.base}/api?action=query&meta=userinfo&format=json&origin=${encodeURIComponent(home)}`;
    const ask = (address: string) =>
      page.evaluate<{ status: number; challenge: string | null; body: string }>(`ask(${JSON.stringify(address)})`);
    const refused = await ask(api);
    expect([refused.status, refused.challenge]).toEqual([401, expect.stringContaining('use_dpop_nonce')]);
    const answered = await ask(api);
    expect([answered.status, JSON.parse(answered.body)]).toMatchObject([
      200,
      { query: { userinfo: { name: 'alice' } } },
    ]);
    // One nonce for the origin.
    expect((await ask(`${running.base}/oauth/userinfo`)).status).toBe(200);

    const refreshed = await page.evaluate<{ token_type: string; access_token: string }>('app.signinSilent()');
    expect(refreshed.token_type).toBe('DPoP');
    expect(refreshed.access_token).not.toBe(user.access_token);
    expect((await ask(api)).status).toBe(200);
    const stolen = { authorization: `Bearer ${refreshed.access_token}` };
    expect((await new Client(running.origin).get('/oauth/userinfo', stolen)).status).toBe(401);
    expect((await ask(api)).status).toBe(200);
    expect(complaints).toEqual([]);
  });
});
