import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessions } from '../../src/features/sessions/index.js';
import { arabic, english, german, japanese } from '../../src/languages/index.js';
import { AGENTS, SessionsPage } from '../features/sessions/support.js';
import { oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium, type Window } from './chromium.js';
import { differs } from './picture.js';

/** A folder for screenshots, for review. */
const pictures = process.env['SCREENSHOTS'];

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

describeEngine('the page of sessions in a browser', noChromium, () => {
  let browser: Browser;
  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  describe.each(['en', 'de', 'ar', 'ja'])('in %s, with the keyboard alone', (locale) => {
    const { options, advance } = fixture({
      languages: [english, german, arabic, japanese],
      branding: { name: 'Orchard' },
      lifetimes: { session: 30 * 86_400 },
      features: [sessions()],
    });
    let host: RunningHost;
    let window: Window;

    beforeAll(async () => {
      host = await oneHostEach[0].start({ options });
      window = await openWindow(browser, { locale, userAgent: LINUX });
      for (const agent of [AGENTS.phone, AGENTS.edge, 'a program']) {
        await new SessionsPage(host, agent).signIn();
        advance(3600 * 5);
      }
    });
    afterAll(async () => {
      expect(window.complaints).toEqual([]);
      await window.context.close();
      await host.close();
    });

    const judge = async (name: string): Promise<void> => {
      const { page } = window;
      for (const [size, colorScheme] of [
        [PHONE, 'light'],
        [PHONE, 'dark'],
        [DESK, 'light'],
        [DESK, 'dark'],
      ] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        const title = `sessions ${name} ${locale} ${size.width} ${colorScheme}`;
        if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${title}.png`), fullPage: true });
        expect([title, await violations(page), await overflow(page)]).toEqual([title, [], 0]);
        expect(await differs(page, title)).toBeUndefined();
      }
      await page.setViewportSize(PHONE);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `sessions ${name} ${locale} 200%.png`) });
      expect([name, await overflow(page)]).toEqual([name, 0]);
      await page.evaluate(`document.documentElement.style.fontSize = ''`);
    };

    /** Goes to a control with the Tab key, and presses Enter. */
    const press = async (page: Page, selector: string): Promise<void> => {
      for (let count = 0; count < 30; count += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
          const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
          expect([selector, outline]).toEqual([selector, expect.not.stringMatching('none')]);
          return page.keyboard.press('Enter');
        }
      }
      throw new Error(`The Tab key does not lead to ${selector}.`);
    };

    test('an owner comes from the connected applications, signs out one browser, and then all others', async () => {
      const { page } = window;
      await page.goto(`${host.base}/oauth/grants`);
      await page.locator('input:focus').waitFor();
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wonderland');
      await page.keyboard.press('Enter');
      await page.locator('.account').waitFor();
      await press(page, 'a[href*="/oauth/sessions"]');
      await page.waitForURL('**/oauth/sessions*');
      expect(await page.getAttribute('html', 'lang')).toBe(locale);
      expect(await page.locator('h2').count()).toBe(4);
      await judge('list');
      await press(page, 'button[name=end]');
      await page.locator('[name=confirmed]').waitFor({ state: 'attached' });
      await judge('question');
      await press(page, 'button.danger');
      await page.getByRole('status').waitFor();
      expect(await page.locator('h2').count()).toBe(3);
      await judge('one ended');
      await press(page, 'button[value=others]');
      await page.locator('[name=confirmed]').waitFor({ state: 'attached' });
      await press(page, 'button.danger');
      await page.getByRole('status').waitFor();
      expect(await page.locator('h2').count()).toBe(1);
      await judge('others ended');
    });
  });
});
