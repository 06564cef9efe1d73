import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';

/** Where to put a picture of each page, for somebody who wants to look at them. */
const pictures = process.env['SCREENSHOTS'];

const PHONE = { width: 375, height: 667 };
const DESK = { width: 1280, height: 800 };

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const signIn = async (page: Page, password = 'wonderland'): Promise<void> => {
  await page.getByLabel('User name').fill('alice');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
};

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const SCOPES = {
  profile: 'See your name',
  'content.read': 'Read your content, your drafts and everything that others have shared with you',
  'content.write': 'Change your content',
};

/** Controls and texts that are cut off: their content is wider than they are. */
const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('h1, p, li, dd, label, button')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
      .map((element) => element.outerHTML)`,
  );

describeEngine('how the pages look', noChromium, () => {
  const { options } = fixture({
    scopes: { ...SCOPES, highvolume: 'Read a lot', introspect: 'Look at tokens' },
    clients: [
      {
        client_id: 'photos',
        client_name: 'Photo Album',
        client_secret: 's',
        redirect_uris: ['https://photos.example/cb'],
        scope: 'profile content.read content.write',
      },
      {
        client_id: 'long',
        client_name: LONG,
        client_secret: 's',
        redirect_uris: [`https://${LONG.slice(0, 50)}.example/cb`.replaceAll('ä', 'a')],
        scope: 'profile',
      },
      {
        client_id: 'television',
        client_name: 'Living Room TV',
        grant_types: ['device_code'],
        scope: 'profile content.read',
      },
    ],
    query: { site: { name: 'Example' } },
  });
  let browser: Browser;
  let host: RunningHost;
  let window: Window;

  const authorize = (client_id: string): string =>
    `${host.base}/oauth/authorize?response_type=code&client_id=${client_id}`;
  const forget = (): Promise<void> => window.context.clearCookies();
  const device = async (page: Page): Promise<void> => {
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'television' });
    await page.goto(`${host.base}/oauth/device`);
    await page.getByLabel('Code').fill(String(json['user_code']));
    await press(page, 'Continue');
  };

  /** How to come to each page; every one begins where the one before ended. */
  const WAYS: readonly (readonly [name: string, way: (page: Page) => Promise<unknown>])[] = [
    ['sign in', (page) => page.goto(authorize('photos'))],
    ['sign in again', (page) => signIn(page, 'wrong')],
    ['consent', (page) => signIn(page)],
    ['consent with long names', (page) => page.goto(authorize('long'))],
    ['error', (page) => page.goto(authorize('nobody'))],
    ['device code', (page) => page.goto(`${host.base}/oauth/device`)],
    [
      'device code again',
      async (page) => {
        await page.getByLabel('Code').fill('WRNG-CODE');
        await press(page, 'Continue');
      },
    ],
    ['device consent', device],
    ['device connected', (page) => press(page, 'Allow')],
    [
      'device refused',
      async (page) => {
        await device(page);
        await press(page, 'Deny');
      },
    ],
    ['device sign in', (page) => forget().then(() => page.goto(`${host.base}/oauth/device`))],
    ['help', (page) => page.goto(`${host.base}/api`)],
    ['help of a module', (page) => page.goto(`${host.base}/api?action=help&modules=query%2Ballpages`)],
  ];

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    [browser, host] = await Promise.all([startChromium(), oneHostEach[0]!.start({ options })]);
    window = await openWindow(browser);
  });
  afterAll(async () => {
    expect(window.extras).toEqual([]);
    expect(window.complaints).toEqual([]);
    await host.close();
    await browser.close();
  });

  describe.each(WAYS)('%s', (name, way) => {
    beforeAll(async () => {
      await way(window.page);
    });

    describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
      it.each([PHONE, DESK])('$width px: no violation that axe knows, no scrolling sideways', async (size) => {
        const { page } = window;
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `${name} ${colorScheme} ${size.width}.png`) });
        }
        expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
      });
    });

    it('can be read at 320 px, and on a phone with letters of twice the size', async () => {
      const { page } = window;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ ...PHONE, width: 320 });
      expect([await overflow(page), await cutOff(page)]).toEqual([0, []]);
      await page.setViewportSize(PHONE);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name} 200%.png`) });
      const size = await page.evaluate<string>(`getComputedStyle(document.querySelector('h1')).fontSize`);
      expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(32);
      expect([await overflow(page), await cutOff(page)]).toEqual([0, []]);
      await page.evaluate(`document.documentElement.style.fontSize = ''`);
    });
  });
});
