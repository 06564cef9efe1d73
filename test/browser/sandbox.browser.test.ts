import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oneHostEach } from '../hosts.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';
import { HOSTILE, type SandboxSite, startSandboxSite, TITLES } from './sandbox-site.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const press = (page: Page, name: string): Promise<void> => button(page, name).click();
const status = (page: Page) => page.getByRole('status');
const account = (page: Page) => page.getByRole('region', { name: 'Account' });
const answer = (page: Page, number: number) => page.getByRole('region', { name: `Response ${number}, content` });
const answers = (page: Page) => page.getByRole('article');
const written = (page: Page) => page.getByRole('region', { name: 'Request to copy' });
/** The form is complete when the request is shown. */
const ready = (page: Page): Promise<void> => written(page).getByText('http').waitFor();
/** The current URL, as the page sees it. */
const addressOf = (page: Page): Promise<string> => page.evaluate<string>('location.href');
/** The JSON in a displayed response. */
const dataOf = async (page: Page, number: number): Promise<Record<string, unknown>> =>
  JSON.parse((await answer(page, number).textContent()) ?? '') as Record<string, unknown>;
const titlesOf = async (page: Page, number: number): Promise<readonly string[]> => {
  const { query } = (await dataOf(page, number)) as { query: { allpages: readonly { title: string }[] } };
  return query.allpages.map(({ title }) => title);
};

describeEngine('the sandbox in a browser', noChromium, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  describe.each(oneHostEach)('$name', (host) => {
    let site: SandboxSite;
    let window: Window;
    let page: Page;

    beforeAll(async () => {
      site = await startSandboxSite(host);
    });
    afterAll(() => site.host.close());
    beforeEach(async () => {
      window = await openWindow(browser);
      page = window.page;
    });
    afterEach(async () => {
      const { extras, complaints, context } = window;
      await context.close();
      expect(extras.filter((address) => !address.startsWith(`${site.host.base}/`))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(site.errors).toEqual([]);
    });

    const open = async (fragment = ''): Promise<void> => {
      await page.goto(`${site.address}#${fragment}`);
      await ready(page);
    };
    const send = async (): Promise<void> => {
      await press(page, 'Send');
      await answer(page, 1).waitFor();
    };
    const requestsOf = (): readonly Request[] => {
      const seen: Request[] = [];
      page.on('request', (request) => seen.push(request));
      return seen;
    };
    const toConsent = async (): Promise<void> => {
      await press(page, 'Sign in');
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await press(page, 'Sign in');
    };
    const signIn = async (): Promise<void> => {
      await toConsent();
      await press(page, 'Allow');
      await account(page).getByText('You are signed in as alice.').waitFor();
    };

    test('selects a module, sends its form, and continues to the last response', async () => {
      await open();
      await page.getByLabel('Find a module').fill('allpages');
      await page.getByRole('checkbox', { name: 'allpages' }).check();
      await page.getByLabel('aplimit').fill('9');
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages&aplimit=9`);
      await send();
      expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 9));
      expect(await status(page).innerText()).toMatch(
        /^Status 200 OK, \d+ ms, \d+ bytes; 1 request sent, more results available$/,
      );
      await press(page, 'Continue');
      expect(await titlesOf(page, 2)).toEqual(TITLES.slice(9, 18));
      expect(await status(page).innerText()).toContain('2 requests sent, more results available');
      await press(page, 'Continue');
      expect(await titlesOf(page, 3)).toEqual(TITLES.slice(18));
      expect(await status(page).innerText()).toContain('3 requests sent, no more results');
      expect(await button(page, 'Continue').isVisible()).toBe(false);
      await send();
      expect(await answers(page).count()).toBe(1);
    });

    test('signs in with PKCE, restores the form, sends requests with the token, and revokes it at sign-out', async () => {
      await open('meta=userinfo&list=allpages&aplimit=2');
      const seen = requestsOf();
      await toConsent();
      const asked = seen.find((request) => request.url().includes('response_type=code'));
      const { code_challenge, state, ...rest } = Object.fromEntries(new URL(asked?.url() ?? '').searchParams);
      expect([code_challenge, state]).toEqual([
        expect.stringMatching(/^[\w-]{43}$/),
        expect.stringMatching(/^[\w-]{43}$/),
      ]);
      expect(rest).toEqual({
        response_type: 'code',
        client_id: 'sandbox',
        redirect_uri: site.address,
        code_challenge_method: 'S256',
      });
      await press(page, 'Allow');
      await account(page).getByText('You are signed in as alice.').waitFor();
      await ready(page);
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages&meta=userinfo&aplimit=2`);
      expect(await page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]')).toEqual([0, 0, '']);
      await send();
      expect(await dataOf(page, 1)).toMatchObject({ query: { userinfo: { name: 'alice' } } });
      const sent = seen.findLast((request) => request.url().includes('aplimit=2'));
      const token = /^Bearer (\S+)$/.exec(sent?.headers()['authorization'] ?? '')?.[1] ?? '';
      expect(token).not.toBe('');
      expect(await page.content()).not.toContain(token);
      await press(page, 'Sign out');
      await account(page).getByText('You are not signed in. Requests are anonymous.').waitFor();
      expect(await status(page).innerText()).toBe('You are signed out, and the access token is revoked.');
      const response = await fetch(`${site.host.base}/api?action=query&meta=userinfo&format=json`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.headers.get('mediawiki-api-error')).toBe('mwoauth-invalid-authorization');
      await send();
      expect(await dataOf(page, 1)).toMatchObject({ query: { userinfo: { anon: true } } });
    });

    test('an error links to its field, which shows it until the next response', async () => {
      await open('list=allpages&apdir=sideways');
      await send();
      const problem = 'Unrecognized value for parameter "apdir": sideways.';
      expect(await page.getByRole('article').getByRole('listitem').innerText()).toContain(
        `Error (badvalue): ${problem}`,
      );
      await press(page, 'Go to apdir');
      const field = page.getByRole('combobox', { name: 'apdir' });
      expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const [described = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
      expect(await page.locator(`[id="${described}"]`).innerText()).toBe(problem);
      await field.selectOption('descending');
      await send();
      await answers(page).getByText('more results').waitFor({ state: 'detached' });
      expect(await field.getAttribute('aria-invalid')).toBeNull();
    });

    // The page is the same on every host, so its own behaviour is tested on one: the host with a prefix.
    if (host.mount !== 'prefix') return;

    test('"Continue to the end" fetches at most twenty responses', async () => {
      await open('list=allpages&aplimit=1');
      await send();
      await press(page, 'Continue to the end (up to 20 requests)');
      await answer(page, 21).waitFor();
      await button(page, 'Continue').waitFor();
      expect(await answers(page).count()).toBe(21);
      expect(await status(page).innerText()).toContain('21 requests sent, more results available');
      await press(page, 'Continue to the end (up to 20 requests)');
      await answer(page, 22).waitFor();
      expect(await status(page).innerText()).toContain('22 requests sent, no more results');
    });

    test('requests the entered scope, and has its rights', async () => {
      await open('list=allpages&aplimit=9999');
      await account(page).getByText('Scope', { exact: true }).click();
      await page.getByLabel('Requested scope').fill('profile highvolume');
      await signIn();
      await send();
      expect(await answers(page).innerText()).toContain('must be between 1 and 5,000');
    });

    test('if the owner denies access, the page says so and removes the error from the URL', async () => {
      await open('list=allpages');
      await toConsent();
      await press(page, 'Deny');
      expect(await page.getByRole('alert').innerText()).toBe(
        'You denied access, so you are not signed in. (access_denied)',
      );
      await ready(page);
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages`);
    });

    test('shows the error description of the authorization server', async () => {
      await open('list=allpages');
      await account(page).getByText('Scope', { exact: true }).click();
      await page.getByLabel('Requested scope').fill('content.write');
      await press(page, 'Sign in');
      expect(await page.getByRole('alert').innerText()).toMatch(
        /^The authorization server returned an error: .+ \(invalid_scope\)$/,
      );
    });

    test('ignores a code that it did not request, and removes it from the URL', async () => {
      const seen = requestsOf();
      await page.goto(`${site.address}?code=stolen&state=guessed#list=allpages`);
      expect(await page.getByRole('alert').innerText()).toBe(
        'This sign-in was not started on this page, so it was ignored. Sign in again.',
      );
      await ready(page);
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages`);
      expect(seen.filter((request) => request.url().includes('/oauth/token'))).toEqual([]);
    });

    test.each([
      ['state', { state: 'another' }, 'This sign-in was not started on this page'],
      ['issuer', { iss: 'https://other.example' }, 'The response came from another authorization server'],
    ])('ignores an authorization response with another %s', async (_what, change, problem) => {
      await open('list=allpages');
      await press(page, 'Sign in');
      const state = new URL(page.url()).searchParams.get('state') ?? '';
      const seen = requestsOf();
      await page.goto(
        `${site.address}?${new URLSearchParams({ code: 'x', state, iss: site.host.base, ...change }).toString()}`,
      );
      expect(await page.getByRole('alert').innerText()).toContain(problem);
      expect(seen.filter((request) => request.url().includes('/oauth/token'))).toEqual([]);
    });

    test('opening the URL of a redeemed code again does not sign in', async () => {
      await open('list=allpages&aplimit=1');
      const returned = page.waitForRequest((request) => request.url().includes('code='));
      await signIn();
      const address = (await returned).url();
      await page.goto(address);
      expect(await page.getByRole('alert').innerText()).toContain('was not started on this page');
    });

    test('drops a token that the API rejects, and offers to sign in again', async () => {
      await open('list=allpages&aplimit=1');
      await signIn();
      site.advance(3601);
      await send();
      expect(await page.getByRole('alert').innerText()).toBe('Your session has expired or was revoked. Sign in again.');
      expect(await button(page, 'Sign in').isVisible()).toBe(true);
      await send();
      expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 1));
    });

    test('reports that the token has expired without sending a request', async () => {
      await page.clock.install();
      await open('list=allpages&aplimit=1');
      await signIn();
      await page.clock.fastForward(3_600_000);
      expect(await page.getByRole('alert').innerText()).toBe('Your session has expired. Sign in again.');
    });

    test('shows warnings at their fields, and names modules and parameters that the site does not have', async () => {
      await open('list=allpages&aplimit=9999&nonsense=1&meta=nothing');
      expect(await status(page).innerText()).toBe(
        'Ignored, because this site does not have it: meta=nothing, nonsense.',
      );
      await send();
      expect(await page.getByLabel('aplimit').getAttribute('aria-invalid')).toBe('true');
      expect(await status(page).innerText()).toContain('1 warning');
    });

    test('sends a confidential value in the body, and displays it nowhere', async () => {
      await open('list=watchlist');
      const seen = requestsOf();
      await page.getByLabel('wltoken').fill('hush-hush');
      expect(await page.getByLabel('wltoken').getAttribute('type')).toBe('password');
      for (const notation of ['URL', 'curl', 'fetch', 'm3api (TypeScript)']) {
        await page.getByRole('radio', { name: notation, exact: true }).check();
        expect(await written(page).innerText()).toContain('WLTOKEN');
        expect(await page.locator('body').innerText()).not.toContain('hush');
      }
      await send();
      expect(await addressOf(page)).toBe(`${site.address}#list=watchlist`);
      const sent = seen.at(-1);
      expect([sent?.method(), sent?.url()]).toEqual(['POST', `${site.host.base}/api`]);
      expect(new URLSearchParams(sent?.postData() ?? '').get('wltoken')).toBe('hush-hush');
    });

    test('Back and Forward undo and redo a selection of modules, and a URL restores the whole form', async () => {
      await open('list=allpages&aplimit=3');
      await page.getByText('The site and the caller').click();
      await page.getByRole('checkbox', { name: 'siteinfo' }).check();
      await page.getByRole('group', { name: 'siprop' }).waitFor();
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages&meta=siteinfo&aplimit=3`);
      await page.goBack();
      await page.getByRole('group', { name: 'siprop' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('checkbox', { name: 'siteinfo' }).isChecked()).toBe(false);
      expect(await page.getByLabel('aplimit').inputValue()).toBe('3');
      await page.goForward();
      await page.getByRole('group', { name: 'siprop' }).waitFor();
      await page.goto('about:blank');
      await open('titles=A%7CB&redirects=1&prop=revisions&rvslots=*&rvprop=ids%7Ccontent&rvdir=newer');
      expect(await page.getByLabel('titles', { exact: true }).inputValue()).toBe('A\nB');
      const pages = page.getByRole('region', { name: 'Pages' });
      expect(await pages.getByRole('checkbox', { name: 'redirects' }).isChecked()).toBe(true);
      expect(await page.getByLabel('rvdir').locator('option:checked').innerText()).toBe('newer');
      expect(await page.getByRole('group', { name: 'rvprop' }).getByRole('checkbox', { checked: true }).count()).toBe(
        2,
      );
    });

    test('a templated parameter has a field for each value of its source parameter', async () => {
      await open('prop=revisions&titles=A');
      expect(await page.getByLabel(/^rvcontentformat-/).count()).toBe(0);
      await page.getByRole('group', { name: 'rvslots' }).getByRole('checkbox', { name: 'main' }).check();
      await page.getByLabel('rvcontentformat-main').selectOption('text/plain');
      expect(await addressOf(page)).toContain('rvslots=main&rvcontentformat-main=text%2Fplain');
    });

    test('offers only modules, generators and examples that are available on the site', async () => {
      await open('');
      expect(await page.locator('[data-module=allpages] input').count()).toBe(1);
      expect(await page.locator('[data-module=search] input').count()).toBe(0);
      const tried = await page.locator('#examples a').allInnerTexts();
      expect(tried).toEqual(['Site information', 'Three pages']);
    });

    test('shows namespaces by name, and adds the prefix of the generator', async () => {
      await open('generator=allpages&meta=siteinfo');
      await page.getByLabel('gapnamespace').selectOption('14 Category');
      expect(await addressOf(page)).toBe(`${site.address}#meta=siteinfo&generator=allpages&gapnamespace=14`);
      await press(page, 'Remove generator=allpages');
      await page.getByLabel('gapnamespace').waitFor({ state: 'detached' });
      expect(await addressOf(page)).toBe(`${site.address}#meta=siteinfo`);
    });

    test('shows untrusted input as text: in responses, in the URL, in parameter names', async () => {
      await open(
        `list=allpages&aplimit=1&apdir=${encodeURIComponent(HOSTILE)}&meta=${encodeURIComponent(HOSTILE)}&${encodeURIComponent(HOSTILE)}=1`,
      );
      expect(await status(page).innerText()).toContain(HOSTILE);
      await send();
      expect(await page.getByLabel('apdir').locator('option:checked').innerText()).toBe(`${HOSTILE} (unknown)`);
      await page.getByLabel('apdir').selectOption('ascending');
      await send();
      expect(await titlesOf(page, 1)).toEqual([HOSTILE]);
      expect(await page.locator('img, iframe, object').count()).toBe(0);
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    });

    test('the browser blocks injected HTML, other scripts and requests to other origins (content security policy)', async () => {
      await open();
      const refused = async (code: string): Promise<string> =>
        page.evaluate<string>(`(async () => { try { ${code}; return 'done' } catch (error) { return error.name } })()`);
      expect(await refused(`document.body.innerHTML = '<b>x</b>'`)).toBe('TypeError');
      expect(await refused(`await fetch('http://localhost:1/')`)).toBe('TypeError');
      await page.evaluate(`document.body.append(Object.assign(document.createElement('img'), { src: 'x.png' }))`);
      const { complaints } = window;
      window = { ...window, complaints: [] };
      expect(complaints.join('\n')).toMatch(
        /TrustedHTML[^]*connect-src[^]*img-src|TrustedHTML[^]*connect-src[^]*default-src/,
      );
    });

    test('copies the request as displayed', async () => {
      await window.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.host.origin });
      await open('list=allpages');
      await page.getByRole('radio', { name: 'curl', exact: true }).check();
      await press(page, 'Copy');
      await status(page).getByText('Copied.').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(await written(page).innerText());
      expect(copied).toBe(`curl '${site.host.base}/api?action=query&format=json&formatversion=2&list=allpages'`);
    });

    test('is usable with the keyboard: select, fill in, send with Enter, continue', async () => {
      await open();
      const focusedName = (): Promise<string> =>
        page.evaluate<string>(
          `document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText ?? ''`,
        );
      const tabTo = async (name: string): Promise<void> => {
        for (let stop = 0; stop < 150; stop += 1) {
          if ((await focusedName()).trim() === name) return;
          await page.keyboard.press('Tab');
        }
        throw new Error(`"${name}" cannot be reached with the keyboard.`);
      };
      await tabTo('Find a module');
      await page.keyboard.type('allpages');
      await tabTo('allpages');
      await page.keyboard.press('Space');
      await page.getByLabel('aplimit').waitFor();
      await tabTo('aplimit');
      await page.keyboard.type('9');
      await page.keyboard.press('Enter');
      await answer(page, 1).waitFor();
      await tabTo('Continue');
      await page.keyboard.press('Enter');
      await answer(page, 2).waitFor();
      expect(await titlesOf(page, 2)).toEqual(TITLES.slice(9, 18));
    });

    test('reports a server that cannot be reached', async () => {
      await open('list=allpages');
      await page.route('**/api?action=query*', (route) => route.abort());
      await press(page, 'Send');
      await status(page).getByText('The API cannot be reached').waitFor();
      window = { ...window, complaints: [] };
    });

    test('without JavaScript, it lists the modules with links to their help', async () => {
      const { page: still, context } = await openWindow(browser, { javaScriptEnabled: false });
      await still.goto(site.address);
      expect(await still.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
        'This page needs JavaScript',
        'Modules',
      ]);
      await still.getByRole('link', { name: 'allpages' }).click();
      expect(await still.locator('h1').innerText()).toContain('allpages');
      await context.close();
    });
  });

  test('without a client, the page works anonymously and does not mention signing in', async () => {
    const site = await startSandboxSite(oneHostEach[0]!, {});
    const { page, context, complaints } = await openWindow(browser);
    await page.goto(`${site.address}#list=allpages&aplimit=1`);
    await ready(page);
    expect(await account(page).count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toMatch(/sign(?:ed|ing)?[ -]in|anonymous/i);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 1));
    expect(complaints).toEqual([]);
    await context.close();
    await site.host.close();
  });
});
