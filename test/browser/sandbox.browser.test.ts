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
const answer = (page: Page, number: number) => page.getByRole('region', { name: `Answer ${number}, content` });
const answers = (page: Page) => page.getByRole('article');
const written = (page: Page) => page.getByRole('region', { name: 'Request, ready to be copied' });
/** The form is there when the request is. */
const ready = (page: Page): Promise<void> => written(page).getByText('http').waitFor();
/** The address as the page itself sees it at this moment. */
const addressOf = (page: Page): Promise<string> => page.evaluate<string>('location.href');
/** What an answer shows, as data again: what is seen is the whole of it. */
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
      await page.getByLabel('User name').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await press(page, 'Sign in');
    };
    const signIn = async (): Promise<void> => {
      await toConsent();
      await press(page, 'Allow');
      await account(page).getByText('You are signed in as alice.').waitFor();
    };

    test('a module is picked, its form is filled in and sent, and the answer is followed to its end', async () => {
      await open();
      await page.getByLabel('Find a module').fill('allpages');
      await page.getByRole('checkbox', { name: 'allpages' }).check();
      await page.getByLabel('aplimit').fill('9');
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages&aplimit=9`);
      await send();
      expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 9));
      expect(await status(page).innerText()).toMatch(
        /^Status 200 OK, \d+ ms, \d+ bytes; 1 request so far, there is more\.$/,
      );
      await press(page, 'Continue');
      expect(await titlesOf(page, 2)).toEqual(TITLES.slice(9, 18));
      expect(await status(page).innerText()).toContain('2 requests so far, there is more.');
      await press(page, 'Continue');
      expect(await titlesOf(page, 3)).toEqual(TITLES.slice(18));
      expect(await status(page).innerText()).toContain('3 requests so far, this is the end.');
      expect(await button(page, 'Continue').isVisible()).toBe(false);
      await send();
      expect(await answers(page).count()).toBe(1);
    });

    test('signs in with PKCE, comes back to the same form, asks in the name of the owner, and revokes at sign-out', async () => {
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
      await account(page).getByText("You're not signed in; requests are anonymous.").waitFor();
      expect(await status(page).innerText()).toBe('You are signed out, and the token is revoked.');
      const response = await fetch(`${site.host.base}/api?action=query&meta=userinfo&format=json`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.headers.get('mediawiki-api-error')).toBe('mwoauth-invalid-authorization');
      await send();
      expect(await dataOf(page, 1)).toMatchObject({ query: { userinfo: { anon: true } } });
    });

    test('an error leads to its field, which says what is wrong until the next answer', async () => {
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
      await answers(page).getByText('there is more').waitFor({ state: 'detached' });
      expect(await field.getAttribute('aria-invalid')).toBeNull();
    });

    // The page is the same everywhere, so what it does by itself is tried on one host: the one with a prefix.
    if (host.mount !== 'prefix') return;

    test('all that is left is fetched at once, but never more than twenty answers', async () => {
      await open('list=allpages&aplimit=1');
      await send();
      await press(page, 'Continue to the end (at most 20 more)');
      await answer(page, 21).waitFor();
      await button(page, 'Continue').waitFor();
      expect(await answers(page).count()).toBe(21);
      expect(await status(page).innerText()).toContain('21 requests so far, there is more.');
      await press(page, 'Continue to the end (at most 20 more)');
      await answer(page, 22).waitFor();
      expect(await status(page).innerText()).toContain('22 requests so far, this is the end.');
    });

    test('asks for the scope that is wanted, and has the rights that come with it', async () => {
      await open('list=allpages&aplimit=9999');
      await account(page).getByText('Scope', { exact: true }).click();
      await page.getByLabel('Scope to ask for').fill('profile highvolume');
      await signIn();
      await send();
      expect(await answers(page).innerText()).toContain('must be between 1 and 5,000');
    });

    test('a refusal of the owner is told in words, and nothing of it stays in the address', async () => {
      await open('list=allpages');
      await toConsent();
      await press(page, 'Deny');
      expect(await page.getByRole('alert').innerText()).toBe(
        'You did not allow it, so you are not signed in. (access_denied)',
      );
      await ready(page);
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages`);
    });

    test('an error of the authorization server is told in its own words', async () => {
      await open('list=allpages');
      await account(page).getByText('Scope', { exact: true }).click();
      await page.getByLabel('Scope to ask for').fill('content.write');
      await press(page, 'Sign in');
      expect(await page.getByRole('alert').innerText()).toMatch(
        /^The authorization server refused: .+ \(invalid_scope\)$/,
      );
    });

    test('a code that nobody here asked for is ignored and taken out of the address', async () => {
      const seen = requestsOf();
      await page.goto(`${site.address}?code=stolen&state=guessed#list=allpages`);
      expect(await page.getByRole('alert').innerText()).toBe(
        'This sign-in was not begun on this page, so it was ignored. Sign in again.',
      );
      await ready(page);
      expect(await addressOf(page)).toBe(`${site.address}#list=allpages`);
      expect(seen.filter((request) => request.url().includes('/oauth/token'))).toEqual([]);
    });

    test.each([
      ['state', { state: 'another' }, 'This sign-in was not begun on this page'],
      ['issuer', { iss: 'https://other.example' }, 'The answer came from another authorization server'],
    ])('an answer with another %s is ignored', async (_what, change, problem) => {
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

    test('a code works once: who goes back to its address is not signed in, and the token stays good', async () => {
      await open('list=allpages&aplimit=1');
      const returned = page.waitForRequest((request) => request.url().includes('code='));
      await signIn();
      const address = (await returned).url();
      await page.goto(address);
      expect(await page.getByRole('alert').innerText()).toContain('was not begun on this page');
    });

    test('a token that the server no longer takes is dropped, and signing in is offered again', async () => {
      await open('list=allpages&aplimit=1');
      await signIn();
      site.advance(3601);
      await send();
      expect(await page.getByRole('alert').innerText()).toBe(
        'Your sign-in is no longer valid: it has ended or was revoked. Sign in again to go on as yourself.',
      );
      expect(await button(page, 'Sign in').isVisible()).toBe(true);
      await send();
      expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 1));
    });

    test('the end of the token is noticed without a request', async () => {
      await page.clock.install();
      await open('list=allpages&aplimit=1');
      await signIn();
      await page.clock.fastForward(3_600_000);
      expect(await page.getByRole('alert').innerText()).toBe(
        'Your sign-in has come to its end. Sign in again to go on as yourself.',
      );
    });

    test('warnings stand beside their fields, and what the site does not have is named', async () => {
      await open('list=allpages&aplimit=9999&nonsense=1&meta=nothing');
      expect(await status(page).innerText()).toBe(
        'The address names what this site does not have: meta=nothing, nonsense.',
      );
      await send();
      expect(await page.getByLabel('aplimit').getAttribute('aria-invalid')).toBe('true');
      expect(await status(page).innerText()).toContain('1 warning');
    });

    test('a confidential value goes into the body and is seen nowhere', async () => {
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

    test('Back undoes a choice of modules, Forward does it again, and an address brings back everything', async () => {
      await open('list=allpages&aplimit=3');
      await page.getByText('meta: the site and the caller').click();
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

    test('a templated parameter has a field for each value that it is for', async () => {
      await open('prop=revisions&titles=A');
      expect(await page.getByLabel(/^rvcontentformat-/).count()).toBe(0);
      await page.getByRole('group', { name: 'rvslots' }).getByRole('checkbox', { name: 'main' }).check();
      await page.getByLabel('rvcontentformat-main').selectOption('text/plain');
      expect(await addressOf(page)).toContain('rvslots=main&rvcontentformat-main=text%2Fplain');
    });

    test('offers only what the site answers: modules, generators, requests to try', async () => {
      await open('');
      expect(await page.locator('[data-module=allpages] input').isDisabled()).toBe(false);
      expect(await page.locator('[data-module=search] input').isDisabled()).toBe(true);
      const tried = await page.locator('#examples a').allInnerTexts();
      expect(tried).toEqual(['What the site says about itself', 'Three pages']);
    });

    test('namespaces have their names, and the generator its prefix', async () => {
      await open('generator=allpages&prop=info');
      await page.getByLabel('gapnamespace').selectOption('14 Category');
      expect(await addressOf(page)).toBe(`${site.address}#prop=info&generator=allpages&gapnamespace=14`);
      await press(page, 'Remove generator=allpages');
      await page.getByLabel('gapnamespace').waitFor({ state: 'detached' });
      expect(await addressOf(page)).toBe(`${site.address}#prop=info`);
    });

    test('what comes from outside stays text: in answers, in the address, in the names of parameters', async () => {
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

    test('the browser itself refuses to make markup of text on this page, to run other scripts and to call elsewhere', async () => {
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

    test('the request can be copied as it is shown', async () => {
      await window.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.host.origin });
      await open('list=allpages');
      await page.getByRole('radio', { name: 'curl', exact: true }).check();
      await press(page, 'Copy');
      await status(page).getByText('Copied.').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(await written(page).innerText());
      expect(copied).toBe(`curl '${site.host.base}/api?action=query&format=json&formatversion=2&list=allpages'`);
    });

    test('the keyboard is enough: skip to the form, pick, fill in, send with Enter, go on', async () => {
      await open();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('content');
      expect(await addressOf(page)).toBe(`${site.address}#`);
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

    test('a server that cannot be reached is told in words', async () => {
      await open('list=allpages');
      await page.route('**/api?action=query*', (route) => route.abort());
      await press(page, 'Send');
      await status(page).getByText('The API cannot be reached').waitFor();
      window = { ...window, complaints: [] };
    });

    test('without JavaScript it is a list of the modules that leads to the help', async () => {
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

  test('where no client is registered, the page says what to register and works anonymously', async () => {
    const site = await startSandboxSite(oneHostEach[0]!, { sandbox: true });
    const { page, context, complaints } = await openWindow(browser);
    await page.goto(`${site.address}#list=allpages&aplimit=1`);
    await page.getByText('Signing in is not set up').click();
    expect(await page.getByRole('region', { name: 'Account' }).innerText()).toContain(`redirect URI ${site.address}`);
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await titlesOf(page, 1)).toEqual(TITLES.slice(0, 1));
    expect(complaints).toEqual([]);
    await context.close();
    await site.host.close();
  });
});
