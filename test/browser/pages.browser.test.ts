import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';
import { DEVICE_CODE, fixture } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';
import { type ClientSite, startClientSite } from './client-site.js';

const ALICE = { username: 'alice', password: 'wonderland' } as const;
const BOB = { username: 'bob', password: 'builder' } as const;

const heading = (page: Page): Promise<string> => page.locator('h1').innerText();
const alertOf = (page: Page): Promise<string> => page.getByRole('alert').innerText();
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const signIn = async (page: Page, { username, password }: { username: string; password: string }): Promise<void> => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
};
/** Presses a button, and once more while the answer to the first press is still on its way. Gives the status of both. */
const pressTwice = async (page: Page, name: string, address: string): Promise<readonly number[]> => {
  const statuses: number[] = [];
  const answered = new Promise<void>((resolve) => {
    const hold = async (route: Route): Promise<void> => {
      statuses.push((await route.fetch({ maxRedirects: 0 })).status());
      resolve();
    };
    void page.route(address, hold, { times: 1 });
  });
  page.on('response', (response) => {
    if (response.request().method() === 'POST') statuses.push(response.status());
  });
  const { x = 0, y = 0 } = (await page.getByRole('button', { name, exact: true }).boundingBox()) ?? {};
  await page.mouse.click(x + 5, y + 5);
  await answered;
  await page.mouse.click(x + 5, y + 5, { clickCount: 2 });
  return statuses;
};
/** What the keyboard would speak to now. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText');
/** Waits until the page has focused a field by itself, which a slow machine does after the page is shown. */
const autofocused = async (page: Page): Promise<string> => {
  await page.locator('input:focus').waitFor();
  return focused(page);
};
const tabOrder = async (page: Page, stops: number): Promise<readonly string[]> => {
  const names: string[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press('Tab');
    names.push(await focused(page));
  }
  return names;
};

describeEngine('the pages in a browser', noChromium, () => {
  let browser: Browser;
  let client: ClientSite;

  beforeAll(async () => {
    [browser, client] = await Promise.all([startChromium(), startClientSite()]);
  });
  afterAll(async () => {
    client.close();
    await browser.close();
  });

  // The pages have to work without scripts, so the browser runs none.
  describe.each(oneHostEach)('without JavaScript: $name', ({ start }) => {
    let set: ReturnType<typeof fixture>;
    let host: RunningHost;
    let windows: Window[] = [];

    beforeAll(async () => {
      const { redirectUri } = client;
      const site = {
        client_id: 'site',
        client_name: 'The Site',
        client_secret: 's',
        redirect_uris: [redirectUri],
        scope: 'profile content.read',
      };
      set = fixture({ clients: [site] });
      host = await start({ options: set.options });
    });
    beforeEach(() => set.advance(3600)); // Failed attempts of the last test are forgotten.
    afterEach(async () => {
      const closed = windows;
      windows = [];
      await Promise.all(closed.map(({ context }) => context.close()));
      expect(closed.map(({ extras, complaints }) => [extras, complaints])).toEqual(closed.map(() => [[], []]));
      expect(set.errors).toEqual([]);
    });
    afterAll(() => host.close());

    const open = async (): Promise<Window> => {
      const window = await openWindow(browser, { javaScriptEnabled: false });
      windows.push(window);
      return window;
    };
    const authorizeAddress = (more: Readonly<Record<string, string>> = {}): string =>
      `${host.base}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'site', state: 'st', ...more })}`;
    const begin = async (): Promise<Window> => {
      const window = await open();
      await window.page.goto(authorizeAddress());
      return window;
    };
    /** The parameters that the browser brought to the end of the client's own chain of redirects. */
    const arrival = async (page: Page): Promise<Readonly<Record<string, string>>> => {
      await page.waitForURL(`${client.home}**`);
      expect(await heading(page)).toBe('Home of the client');
      return Object.fromEntries(new URL(page.url()).searchParams);
    };
    const redeem = async (code: string): Promise<number> => {
      const credentials = { client_id: 'site', client_secret: 's', grant_type: 'authorization_code' };
      return (await new Client(host.base).post('/oauth/token', { ...credentials, code })).status;
    };

    test('signs in after a wrong password, allows access, and is redirected to the client and on from there', async () => {
      const { page } = await begin();
      expect(await heading(page)).toBe('Sign in');
      await signIn(page, { ...ALICE, password: 'wrong' });
      expect(await alertOf(page)).toBe('Incorrect username or password.');
      expect(await page.getByLabel('Username').inputValue()).toBe('alice');
      expect(await page.getByLabel('Password').inputValue()).toBe('');
      await signIn(page, ALICE);
      expect(await heading(page)).toBe('Allow The Site to access your account?');
      expect(await page.getByRole('listitem').allInnerTexts()).toEqual(['See your name', 'Read your content']);
      await press(page, 'Allow');
      const { code = '', state, iss } = await arrival(page);
      expect([state, iss, await redeem(code)]).toEqual(['st', host.base, 200]);
    });

    test('a double click on Allow yields a working code, although the first response is lost', async () => {
      const { page } = await begin();
      await signIn(page, ALICE);
      const statuses = await pressTwice(page, 'Allow', '**/oauth/authorize');
      await page.getByRole('heading', { name: 'Home of the client' }).waitFor();
      const { code = '', state } = await arrival(page);
      expect([statuses, state, await redeem(code)]).toEqual([[303, 303], 'st', 200]);
    });

    test('a double click on Sign in continues, although the first click has started a new session', async () => {
      const { page } = await begin();
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      const statuses = await pressTwice(page, 'Sign in', '**/oauth/authorize');
      await page.getByRole('heading', { name: 'Allow The Site to access your account?' }).waitFor();
      expect(statuses).toEqual([303, 303]);
    });

    describe('browsers apply form-action to every redirect after a form, so the consent page sends none', () => {
      const allowWith = async (...sources: readonly string[]): Promise<Page> => {
        const { page } = await begin();
        await signIn(page, ALICE);
        await page.route('**/oauth/authorize?*', async (route) => {
          const response = await route.fetch();
          const policy = response.headers()['content-security-policy'] ?? '';
          expect(policy).toContain("default-src 'none'");
          expect(policy).not.toContain('form-action');
          const headers = {
            ...response.headers(),
            'content-security-policy': `${policy}; form-action ${sources.join(' ')}`,
          };
          await route.fulfill({ response, headers });
        });
        await page.reload();
        expect(await heading(page)).toBe('Allow The Site to access your account?');
        return page;
      };

      test.each(['nothing but itself', 'the redirect address'])(
        'with %s, it would block the redirects',
        async (named) => {
          const redirectOrigin = named === 'the redirect address' ? [new URL(client.redirectUri).origin] : [];
          const page = await allowWith("'self'", ...redirectOrigin);
          const stopped = page.waitForEvent('console', (message) => message.text().includes('form-action'));
          await press(page, 'Allow');
          await stopped;
          expect(await heading(page)).toBe('Allow The Site to access your account?');
          expect(windows.pop()?.complaints).toEqual([expect.stringContaining('form-action')]);
          await page.context().close();
        },
      );

      test('with the whole chain, it would not', async () => {
        const page = await allowWith("'self'", new URL(client.redirectUri).origin, new URL(client.home).origin);
        await press(page, 'Allow');
        expect(await arrival(page)).toMatchObject({ code: expect.any(String) });
      });
    });

    test('signs out and in with another account, which the client then acts for', async () => {
      const { page } = await begin();
      await signIn(page, ALICE);
      expect(await page.locator('main').innerText()).toContain('You are signed in as alice.');
      await press(page, 'Sign out and use another account');
      expect(await heading(page)).toBe('Sign in');
      await signIn(page, BOB);
      expect(await page.locator('main').innerText()).toContain('You are signed in as bob.');
      await press(page, 'Allow');
      expect(await redeem((await arrival(page))['code'] ?? '')).toBe(200);
      expect(set.events.findLast(({ type }) => type === 'consent.decided')).toMatchObject({ sub: 'bob' });
    });

    test('a request posted from another site has no cookie, but still finds the signed-in owner', async () => {
      const { page } = await begin();
      await signIn(page, ALICE);
      const cookies: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'POST') return;
        cookies.push(undefined);
        void request.allHeaders().then((headers) => cookies.splice(-1, 1, headers['cookie']));
      });
      const fields = { response_type: 'code', client_id: 'site', state: 'posted' };
      await page.goto(client.postedFrom(`${host.base}/oauth/authorize`, fields));
      await press(page, 'Sign in there');
      expect(await heading(page)).toBe('Allow The Site to access your account?');
      expect(await page.locator('main').innerText()).toContain('You are signed in as alice.');
      expect(cookies).toEqual([undefined]);
      await press(page, 'Allow');
      expect(await arrival(page)).toMatchObject({ state: 'posted', code: expect.any(String) });
    });

    test('is usable with the keyboard alone: fields and buttons in reading order, Enter submits', async () => {
      const { page } = await begin();
      expect([await autofocused(page), ...(await tabOrder(page, 2))]).toEqual(['Username', 'Password', 'Sign in']);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wonderland');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Allow The Site to access your account?' }).waitFor();
      expect(await tabOrder(page, 4)).toEqual([
        new URL(host.base).host,
        'Sign out and use another account',
        'Allow',
        'Deny',
      ]);
      await page.keyboard.press('Enter');
      expect(await arrival(page)).toMatchObject({ error: 'access_denied' });
    });

    describe('a device', () => {
      interface Device {
        readonly user_code: string;
        readonly verification_uri: string;
        poll(): Promise<unknown>;
      }
      const startDevice = async (): Promise<Device> => {
        const http = new Client(host.base);
        const { json } = await http.post('/oauth/device', { client_id: 'tv' });
        const form = { grant_type: DEVICE_CODE, client_id: 'tv', device_code: String(json['device_code']) };
        return {
          user_code: String(json['user_code']),
          verification_uri: String(json['verification_uri']),
          poll: async () => {
            set.advance(5);
            const answer = (await http.post('/oauth/token', form)).json;
            return answer['error'] ?? answer['token_type'];
          },
        };
      };
      const typeCode = async (page: Page, code: string): Promise<void> => {
        await page.getByLabel('Code').fill(code);
        await press(page, 'Continue');
      };

      test('waits while its owner signs in and types the code, a wrong one first; a second owner cannot take it over', async () => {
        const device = await startDevice();
        expect(await device.poll()).toBe('authorization_pending');
        const [{ page: first }, { page: second }] = [await open(), await open()];
        for (const [page, user] of [
          [first, ALICE],
          [second, BOB],
        ] as const) {
          await page.goto(device.verification_uri);
          await signIn(page, user);
          expect(await heading(page)).toBe('Connect a device');
        }
        await typeCode(first, 'WRNG-CODE');
        expect(await alertOf(first)).toContain('This code is wrong or has expired.');
        await typeCode(first, device.user_code.toLowerCase());
        expect(await heading(first)).toBe('Allow tv to access your account?');
        expect(await first.locator('main').innerText()).toContain(device.user_code);
        await typeCode(second, device.user_code);
        expect(await alertOf(second)).toContain('This code is wrong or has expired.');
        expect(await device.poll()).toBe('authorization_pending');
        await press(first, 'Allow');
        expect(await heading(first)).toBe('Device connected');
        expect(await device.poll()).toBe('Bearer');
        expect(set.events.findLast(({ type }) => type === 'device.decided')).toMatchObject({ sub: 'alice' });
      });

      test('its owner signs out on each page, and another one continues with the typed code', async () => {
        const device = await startDevice();
        const { page } = await open();
        await page.goto(device.verification_uri);
        await signIn(page, ALICE);
        await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
        // Nothing needs to be filled in for it; Enter in the field sends the code, and not this button.
        expect([await autofocused(page), ...(await tabOrder(page, 1))]).toEqual(['Code', 'Continue']);
        await page.getByRole('button', { name: 'Sign out and use another account' }).press('Enter');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await signIn(page, ALICE);
        await page.getByLabel('Code').fill(device.user_code);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Allow tv to access your account?' }).waitFor();
        await press(page, 'Sign out and use another account');
        expect(await heading(page)).toBe('Sign in');
        await signIn(page, BOB);
        expect((await page.getByLabel('Code').inputValue()).replace('-', '')).toBe(device.user_code.replace('-', ''));
        await press(page, 'Continue');
        await press(page, 'Allow');
        expect(await heading(page)).toBe('Device connected');
        expect(await device.poll()).toBe('Bearer');
        expect(set.events.findLast(({ type }) => type === 'device.decided')).toMatchObject({ sub: 'bob' });
        await press(page, 'Sign out');
        expect(await heading(page)).toBe('Sign in');
      });
    });
  });
});
