import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedClients } from '../../src/clients/index.js';
import { adminPages } from '../../src/features/admin/index.js';
import { Client, oneHostEach, type RunningHost } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import { describeEngine } from '../stores/engines/availability.js';
import { overflow, violations } from './axe.js';
import { noChromium, openWindow, startChromium } from './chromium.js';
import { type ClientSite, startClientSite } from './client-site.js';
import { differs } from './picture.js';

/** A folder for screenshots, for review. */
const pictures = process.env['SCREENSHOTS'];

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

describeEngine('the page for administrators in a browser', noChromium, () => {
  const { options, store, clock } = fixture();
  const clients = storedClients(store, { clock, cacheSeconds: 0 });
  let browser: Browser;
  let host: RunningHost;
  let site: ClientSite;

  beforeAll(async () => {
    const admin = adminPages({ clients, isAdmin: ({ sub }) => sub === 'alice' });
    [browser, site, host] = await Promise.all([
      startChromium(),
      startClientSite(),
      oneHostEach[0].start({ options: { ...options, clients, features: [admin] } }),
    ]);
  });
  afterAll(async () => {
    site.close();
    await Promise.all([browser.close(), host.close()]);
  });

  test('an administrator adds a client, signs in with it, and ends the grant; on a phone, in the dark, without findings', async () => {
    const { page, context, complaints } = await openWindow(browser, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    const judge = async (name: string): Promise<void> => {
      const size = Buffer.byteLength(await page.content());
      expect([name, await violations(page), await overflow(page), size < 60_000]).toEqual([name, [], 0, true]);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `admin ${name}.png`) });
      expect(await differs(page, `admin ${name}`)).toBeUndefined();
    };
    await page.goto(`${host.base}/oauth/admin`);
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wonderland');
    await press(page, 'Sign in');
    await judge('no clients');
    await page.getByRole('link', { name: 'Add a client' }).click();
    await judge('new client');
    await page.getByLabel('Identifier').fill('site');
    await page.getByLabel('Name', { exact: true }).fill('The Site');
    await page.getByLabel('Redirect URIs').fill('not a url');
    await press(page, 'Add client');
    await judge('mistakes');
    await page.getByLabel('Redirect URIs').fill(site.redirectUri);
    await page.getByLabel('See your name').check();
    await press(page, 'Add client');
    const secret = await page.locator('.secret .code').innerText();
    await judge('secret');

    await page.goto(`${host.base}/oauth/authorize?response_type=code&client_id=site`);
    await press(page, 'Allow');
    await page.waitForURL(`${site.home}**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const credentials = { client_id: 'site', client_secret: secret, grant_type: 'authorization_code', code };
    expect((await new Client(host.base).post('/oauth/token', credentials)).status).toBe(200);

    await page.goto(`${host.base}/oauth/admin?search=the`);
    await judge('list');
    await page.getByRole('link', { name: 'The Site' }).click();
    await judge('client');
    await press(page, 'Revoke');
    await judge('question');
    await press(page, 'Revoke');
    expect(await page.getByRole('status').innerText()).toBe('The grant was revoked.');
    expect(await page.getByText('No user has connected this client.').count()).toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await judge('client on a desk');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
