import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { selfRegistration } from 'oauth-query/self-registration';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../src/core/query/index.js';
import { personalTokens } from '../../src/features/personal-tokens/index.js';
import { arabic, english, german, japanese, portuguese } from '../../src/languages/index.js';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';
import { PKCE } from '../oauth/support/browser.js';
import { DEVICE_CODE, fixture } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';
import { differs } from './picture.js';

/** A folder for screenshots of all pages, for review. */
const pictures = process.env['SCREENSHOTS'];

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const signIn = async (page: Page, password = 'wonderland'): Promise<void> => {
  await page.getByLabel('Username').fill('alice');
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
};

const PICTURE = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const SCOPES = {
  profile: 'See your name',
  'content.read': 'Read your content, your drafts and everything that others have shared with you',
  'content.write': 'Change your content',
};

/** Controls and texts that are cut off: their content is wider than they are. */
const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('h1, h2, p, li, dd, label, button')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
      .map((element) => element.outerHTML)`,
  );

describeEngine('layout and accessibility of the pages', noChromium, () => {
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
    features: [query({ site: { name: 'Example' } }), personalTokens(), selfRegistration()],
  });
  let browser: Browser;
  let host: RunningHost;
  let window: Window;

  const authorize = (client_id: string): string =>
    `${host.base}/oauth/authorize?response_type=code&client_id=${client_id}`;
  const forget = (): Promise<void> => window.context.clearCookies();
  const device = async (page: Page): Promise<string> => {
    const { json } = await new Client(host.base).post('/oauth/device', { client_id: 'television' });
    await page.goto(`${host.base}/oauth/device`);
    await page.getByLabel('Code').fill(String(json['user_code']));
    await press(page, 'Continue');
    return String(json['device_code']);
  };

  /** The consent page for a client that registers itself. */
  const askFor = async (page: Page, client_name: string, redirect_uris: readonly string[]): Promise<void> => {
    const { json } = await new Client(host.base).request('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name, redirect_uris }),
    });
    const { code_challenge, code_challenge_method } = PKCE.request;
    await page.goto(
      `${authorize(String(json['client_id']))}&code_challenge=${code_challenge}&code_challenge_method=${code_challenge_method}`,
    );
    expect(await page.getByText('registered itself').count()).toBe(1);
  };

  /** How to come to each page; every one begins where the one before ended. */
  const WAYS: readonly (readonly [name: string, way: (page: Page) => Promise<unknown>])[] = [
    ['sign in', (page) => page.goto(authorize('photos'))],
    ['sign in again', (page) => signIn(page, 'wrong')],
    ['consent', (page) => signIn(page)],
    ['consent with long names', (page) => page.goto(authorize('long'))],
    ['consent for a client that registered itself', (page) => askFor(page, LONG, ['https://photos.example/cb'])],
    ['consent for one on loopback', (page) => askFor(page, 'Editor', ['http://127.0.0.1:33418/cb'])],
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
    [
      'connected applications',
      async (page) => {
        const device_code = await device(page);
        await press(page, 'Allow');
        await page.getByText('is connected').waitFor();
        const form = { grant_type: DEVICE_CODE, client_id: 'television', device_code };
        await new Client(host.base).post('/oauth/token', form);
        await page.goto(`${host.base}/oauth/grants`);
        expect(await page.locator('h2 bdi').allInnerTexts()).toEqual(['Living Room TV']);
      },
    ],
    ['question before disconnecting', (page) => press(page, 'Disconnect Living Room TV')],
    ['no connected application', (page) => press(page, 'Disconnect')],
    ['personal tokens', (page) => page.goto(`${host.base}/oauth/tokens`)],
    [
      'new personal token',
      async (page) => {
        await page.getByLabel('Name', { exact: true }).fill(LONG);
        await page.getByLabel('See your name').check();
        await press(page, 'Create token');
        await press(page, 'Copy');
        await page.getByRole('status').getByText('Copied.').waitFor();
        const copied = await page.evaluate<string>('navigator.clipboard.readText()');
        expect([copied]).toEqual(await page.locator('.secret .code').allInnerTexts());
      },
    ],
    ['device sign in', (page) => forget().then(() => page.goto(`${host.base}/oauth/device`))],
    ['help', (page) => page.goto(`${host.base}/api`)],
    ['help of a module', (page) => page.goto(`${host.base}/api?action=help&modules=query%2Ballpages`)],
  ];

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    [browser, host] = await Promise.all([startChromium(), oneHostEach[0].start({ options })]);
    window = await openWindow(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
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
      test.each([PHONE, DESK])('$width px: no axe violations, no horizontal scrolling', async (size) => {
        const { page } = window;
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `${name} ${colorScheme} ${size.width}.png`) });
        }
        // Colours do not depend on the width, nor the structure on the scheme: two of the four judge both.
        if ((colorScheme === 'light') === (size === DESK)) expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        expect(Buffer.byteLength(await page.content())).toBeLessThan(60_000);
        expect(await differs(page, `${name} ${colorScheme} ${size.width}`)).toBeUndefined();
      });
    });

    test('no horizontal scrolling at 320 px, or on a phone with text at 200%', async () => {
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

  // The texts are longer or shorter, and in Arabic all is the other way round; colours and pictures are those of a host.
  describe.each(['de', 'ar', 'ja', 'pt-BR'])('branded, in %s', (locale) => {
    const branded = fixture({
      languages: [english, german, arabic, japanese, portuguese],
      clients: [
        {
          client_id: 'photos',
          client_name: 'Photo Album',
          client_secret: 's',
          redirect_uris: ['https://photos.example/cb'],
          grant_types: ['authorization_code', 'device_code'],
          scope: 'profile content.read',
          client_uri: 'https://photos.example/',
          logo_uri: PICTURE,
        },
      ],
      branding: { name: 'Orchard', logo: PICTURE, color: '#0a7d4f', links: { help: '/help', privacy: '/privacy' } },
    });
    let own: RunningHost;
    let reader: Window;

    beforeAll(async () => {
      [own, reader] = await Promise.all([
        oneHostEach[0].start({ options: branded.options }),
        openWindow(browser, { locale, colorScheme: 'dark', viewport: PHONE }),
      ]);
    });
    afterAll(async () => {
      expect(reader.complaints).toEqual([]);
      await reader.context.close();
      await own.close();
    });

    const judge = async (name: string): Promise<void> => {
      const { page } = reader;
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${locale} ${name}.png`), fullPage: true });
      expect([name, await page.getAttribute('html', 'lang')]).toEqual([name, locale]);
      expect([name, await violations(page), await overflow(page), await cutOff(page)]).toEqual([name, [], 0, []]);
      // Where the reading begins, there the page does.
      const { x = 0, width = 0 } = (await page.locator('header a').boundingBox()) ?? {};
      const side = locale === 'ar' ? x + width > PHONE.width / 2 : x < PHONE.width / 2;
      expect([name, side]).toEqual([name, true]);
    };

    test('every page is readable and usable with the keyboard alone', async () => {
      const { page } = reader;
      await page.goto(`${own.base}/oauth/authorize?response_type=code&client_id=photos`);
      await judge('sign in');
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await judge('sign in again');
      await page.keyboard.type('wonderland');
      await page.keyboard.press('Enter');
      await page.locator('[value=approve]').waitFor();
      await judge('consent');
      const client = { client_id: 'photos', client_secret: 's' };
      const { json } = await new Client(own.base).post('/oauth/device', client);
      await page.goto(`${own.base}/oauth/device`);
      await judge('device code');
      await page.keyboard.type(String(json['user_code']));
      await page.keyboard.press('Enter');
      await page.locator('[value=approve]').waitFor();
      await judge('device consent');
      await page.locator('[value=approve]').press('Enter');
      await page.locator('.good').waitFor();
      await judge('device connected');
      const form = { grant_type: DEVICE_CODE, ...client, device_code: String(json['device_code']) };
      await new Client(own.base).post('/oauth/token', form);
      await page.goto(`${own.base}/oauth/grants`);
      await judge('connected applications');
      await page.goto(`${own.base}/oauth/authorize?response_type=code&client_id=nobody`);
      await judge('error');
    });
  });
});
