import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noChromium, openWindow, startChromium } from '../../browser/chromium.js';
import { oneHostEach, type RunningHost } from '../../hosts.js';
import { listen, type Listening } from '../../hosts/listen.js';
import { describeEngine } from '../../stores/engines/availability.js';
import { fixture } from '../support/fixture.js';

describeEngine('response_mode=form_post in Chromium', noChromium, () => {
  let browser: Browser;
  let app: Listening;
  let start: Listening;
  let running: RunningHost;
  const received: string[] = [];

  beforeAll(async () => {
    const [host] = oneHostEach;
    browser = await startChromium();
    [app, start] = [await listen(), await listen()];
    const client = { client_id: 'form', client_secret: 'form-secret', redirect_uris: [`${app.origin}/cb`] };
    const { store: _store, ...options } = fixture({
      runtime: { clock: Date.now },
      clients: [{ ...client, scope: 'content.read' }],
    }).options;
    running = await host.start({ options });
    app.server.on('request', (request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += String(part);
      });
      request.on('end', () => {
        if (request.method === 'POST') received.push(body);
        // As many applications do, it goes on at another origin.
        response.writeHead(303, { location: `${start.origin}/signed-in` }).end();
      });
    });
    start.server.on('request', (_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!DOCTYPE html><title>App</title><h1>Signed in</h1>');
    });
  });
  afterAll(async () => {
    await browser.close();
    await running.close();
    app.close();
    start.close();
  });

  test.each([
    ['with scripts, the page sends itself', true],
    ['without scripts, its button does', false],
  ] as const)('%s, and the client may redirect anywhere', async (_title, javaScriptEnabled) => {
    received.length = 0;
    const { page, context, complaints } = await openWindow(browser, { javaScriptEnabled });
    const request = { response_type: 'code', response_mode: 'form_post', client_id: 'form', scope: 'content.read' };
    const query = new URLSearchParams({ ...request, state: '"><b>&', redirect_uri: `${app.origin}/cb` });
    await page.goto(`${running.base}/oauth/authorize?${query.toString()}`);
    await page.fill('input[name=username]', 'alice');
    await page.fill('input[name=password]', 'wonderland');
    await page.locator('button', { hasText: 'Sign in' }).last().click();
    await page.locator('button[value=approve]').click();
    if (!javaScriptEnabled) await page.locator('button', { hasText: 'Continue' }).click();
    await page.waitForURL(`${start.origin}/signed-in`);
    expect(received).toHaveLength(1);
    const fields = Object.fromEntries(new URLSearchParams(received[0]));
    expect(fields).toMatchObject({ state: '"><b>&', iss: running.base, code: expect.any(String) });
    expect(complaints).toEqual([]);
    await context.close();
  });
});
