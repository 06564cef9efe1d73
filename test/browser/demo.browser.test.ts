import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Example, startExample } from '../examples/process.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium } from './chromium.js';
import { differs } from './picture.js';

/** What each button shows in the end. */
const STEPS = [
  ['Request a token', '"token_type": "Bearer"'],
  ['Call it twice', 'With the token: 200 OK'],
  ['Search for “rope”', '"title": "Rope"'],
  ['Search as an assistant', '"title": "Rope"'],
] as const;

/** The same on the page that a sign-in ends on. */
const AFTER_SIGN_IN = [
  ['Exchange it for tokens', '"refresh_token"'],
  ['Call /me', '"username": "alice"'],
  ['Use the refresh token', '"refresh_token"'],
] as const;

describeEngine('the pages of the demo', noChromium, () => {
  let browser: Browser;
  let demo: Example;
  let base: string;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([
      startChromium(),
      startExample('demo/main.ts', [], { PORT: '0', STORE: 'memory' }),
    ]);
    [base = ''] = await demo.until(/http:\/\/127\.0\.0\.1:\d+/);
  });
  afterAll(async () => {
    await Promise.all([browser.close(), demo.stop()]);
  });

  const judge = async (page: Page): Promise<void> => {
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  };

  /** Presses the buttons one after the other, with the keyboard. */
  const press = async (page: Page, steps: readonly (readonly [name: string, shown: string])[]): Promise<void> => {
    for (const [name, shown] of steps) {
      const button = page.getByRole('button', { name, exact: true });
      for (let stop = 0; stop < 40 && !(await button.evaluate((one) => one.matches(':focus'))); stop += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('section', { has: button }).getByRole('status').getByText(shown).waitFor();
    }
  };

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    'at %i px in the %s palette, each step shows its response, also after a sign-in, by keyboard alone',
    async (width, colorScheme) => {
      const { page, context, extras } = await openWindow(browser, { viewport: { width, height: 850 }, colorScheme });
      const response = await page.goto(base);
      expect((await response?.body())?.length).toBeLessThan(60_000);
      await judge(page);
      expect(await differs(page, `demo ${colorScheme} ${width}`)).toBeUndefined();
      await press(page, STEPS);
      await judge(page);
      await page.getByRole('link', { name: 'Sign in as a person' }).click();
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'A web application has received a code' }).waitFor();
      await judge(page);
      await press(page, AFTER_SIGN_IN);
      await judge(page);
      await page.getByRole('link', { name: 'Back to the demo' }).click();
      await page.waitForURL(`${base}/`);
      expect(extras.filter((address) => !address.startsWith(`${base}/`) && !address.startsWith('data:'))).toEqual([]);
      await context.close();
    },
  );
});
