import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneHostEach } from '../hosts.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';
import { differs } from './picture.js';
import { type SandboxSite, startSandboxSite } from './sandbox-site.js';

/** A folder for screenshots of all states, for review. */
const pictures = process.env['SCREENSHOTS'];

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

describeEngine('layout and accessibility of the sandbox', noChromium, () => {
  let browser: Browser;
  let site: SandboxSite;
  let bare: SandboxSite;
  let window: Window;

  const open = async (page: Page, address: string): Promise<void> => {
    // A change of only the fragment would not load the page.
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('region', { name: 'Request to copy' }).getByText('http').waitFor();
  };
  const sent = async (page: Page, fragment: string): Promise<void> => {
    await open(page, `${site.address}#${fragment}`);
    await press(page, 'Send');
    await page.getByRole('article').first().waitFor();
  };
  const unfold = (page: Page): Promise<void> =>
    page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);

  /** How to reach each state of the page. */
  const WAYS: readonly (readonly [name: string, way: (page: Page) => Promise<unknown>])[] = [
    ['empty', (page) => open(page, site.address)],
    [
      'everything expanded',
      (page) =>
        open(page, `${site.address}#list=allpages|watchlist&prop=revisions|info&titles=A|B`).then(() => unfold(page)),
    ],
    ['answers', (page) => sent(page, 'list=allpages&aplimit=2').then(() => press(page, 'Continue'))],
    ['problems', (page) => sent(page, 'list=allpages&aplimit=9999&meta=siteinfo&siprop=nothing&apdir=up')],
    [
      'a long request as client code',
      async (page) => {
        await sent(page, `titles=${'A+rather+long+title+of+a+page|'.repeat(45)}B&prop=info`);
        await page.getByRole('radio', { name: 'm3api' }).check();
      },
    ],
    [
      'signed in',
      async (page) => {
        await open(page, `${site.address}#meta=userinfo`);
        await press(page, 'Sign in');
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('wonderland');
        await press(page, 'Sign in');
        await press(page, 'Allow');
        await page.getByText('You are signed in as alice.').first().waitFor();
      },
    ],
    [
      'sign-in ignored',
      async (page) => {
        await page.goto(`${site.address}?code=x&state=y`);
        await page.getByRole('alert').waitFor();
      },
    ],
    ['no sign-in', (page) => open(page, bare.address).then(() => unfold(page))],
  ];

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    [browser, site, bare] = await Promise.all([
      startChromium(),
      startSandboxSite(oneHostEach[0]!),
      startSandboxSite(oneHostEach[0]!, {}),
    ]);
    window = await openWindow(browser);
  });
  afterAll(async () => {
    expect(window.complaints).toEqual([]);
    await Promise.all([site.host.close(), bare.host.close()]);
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
        await page.evaluate('scrollTo(0, 0)');
        if (pictures !== undefined) {
          const path = join(pictures, `sandbox ${name} ${colorScheme} ${size.width}.png`);
          await page.screenshot({ path, fullPage: true });
        }
        // Colours do not depend on the width, nor the structure on the scheme: two of the four judge both.
        if ((colorScheme === 'light') === (size === DESK)) expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        expect(await differs(page, `sandbox ${name} ${colorScheme} ${size.width}`)).toBeUndefined();
      });
    });

    test('no horizontal scrolling at 320 px, or on a phone with text at 200%', async () => {
      const { page } = window;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ ...PHONE, width: 320 });
      expect(await overflow(page)).toBe(0);
      await page.setViewportSize(PHONE);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await overflow(page)).toBe(0);
      await page.evaluate(`document.documentElement.style.fontSize = ''`);
    });
  });
});
