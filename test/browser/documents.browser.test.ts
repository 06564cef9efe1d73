import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oneHostEach, type RunningHost } from '../hosts.js';
import { PKCE } from '../oauth/support/browser.js';
import { fixture, SCOPES } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noChromium, openWindow, startChromium } from './chromium.js';
import { differsFromFile } from './picture.js';

/** `UPDATE_PICTURES=1 npm run test:browser -- documents` writes the pictures. */
const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

const WIDTH = 370;

const CLIENTS = {
  /** The client of README.md. */
  photos: {
    client_id: 'photos',
    client_name: 'Photo Album',
    client_secret: 's',
    redirect_uris: ['https://photos.example/cb'],
    scope: 'photos.read photos.write',
  },
  /** The client of docs/getting-started.md. */
  app: {
    client_id: 'app',
    redirect_uris: ['http://127.0.0.1/callback'],
    refresh: 'rotating',
    scope: 'fruit.read',
  },
} as const;

describeEngine('the pictures of the documents show the pages of today', noChromium, () => {
  const { options } = fixture({
    clients: Object.values(CLIENTS),
    scopes: {
      ...SCOPES,
      'fruit.read': 'See the fruit',
      'photos.read': 'See your photos',
      'photos.write': 'Add photos to your albums',
    },
  });
  let browser: Browser;
  let host: RunningHost;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    [browser, host] = await Promise.all([startChromium(), oneHostEach[0].start({ options })]);
  });
  afterAll(async () => {
    await host.close();
    await browser.close();
  });

  const authorize = (client: keyof typeof CLIENTS): string => {
    const { code_challenge, code_challenge_method } = PKCE.request;
    const [redirect_uri] = CLIENTS[client].redirect_uris;
    const request = { response_type: 'code', client_id: client, redirect_uri, code_challenge, code_challenge_method };
    return `${host.base}/oauth/authorize?${new URLSearchParams(request).toString()}`;
  };

  /** Compares the page, with the port of the documents in place of the port of the test. */
  const compare = async (page: Page, name: string): Promise<void> => {
    const port = new URL(host.base).port;
    await page.evaluate(`{
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(':${port}', ':3000');
    }`);
    const height = await page.evaluate<number>("document.querySelector('main').getBoundingClientRect().bottom");
    await page.setViewportSize({ width: WIDTH, height: Math.ceil(height) + 24 });
    expect(await differsFromFile(page, `${PICTURES}${name}.png`)).toBeUndefined();
  };

  const visit = async (
    client: keyof typeof CLIENTS,
    options: BrowserContextOptions,
    names: { readonly signIn?: string; readonly consent: string },
  ): Promise<void> => {
    const { context, page } = await openWindow(browser, { viewport: { width: WIDTH, height: 520 }, ...options });
    await page.goto(authorize(client));
    if (names.signIn !== undefined) await compare(page, names.signIn);
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wonderland');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await compare(page, names.consent);
    await context.close();
  };

  test('the consent page in README.md, in light colours', () =>
    visit('photos', { colorScheme: 'light' }, { consent: 'consent-light' }));

  test('the consent page in README.md, in dark colours', () =>
    visit('photos', { colorScheme: 'dark' }, { consent: 'consent-dark' }));

  test('the sign-in and consent pages in docs/getting-started.md', () =>
    visit('app', { colorScheme: 'light' }, { signIn: 'first-sign-in', consent: 'first-consent' }));
});
