import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findProgram } from '../stores/engines/daemon.js';

const program = process.env['CHROME_PATH'] ?? findProgram('chromium');

/** Why no browser can be started here, if so. */
export const noChromium = program === undefined ? 'there is no chromium in PATH, and no CHROME_PATH' : undefined;

const SWITCHES = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Whatever a page might ask for elsewhere, it would not get there.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The fonts that pages are compared with, first. */
const FONTS = fileURLToPath(new URL('fonts.conf', import.meta.url));

/** A Chromium with a profile of its own, without a window. */
export const startChromium = (): Promise<Browser> => {
  if (program === undefined) throw new Error(noChromium);
  const env = { ...process.env, FONTCONFIG_FILE: FONTS };
  return chromium.launch({ executablePath: program, chromiumSandbox: false, args: SWITCHES, env });
};

/** A browser window and what happened in it. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every address that was asked for and that is no page: pictures, styles, scripts, fonts. */
  readonly extras: readonly string[];
  /** What the browser complains about, such as a breach of the content security policy. */
  readonly complaints: readonly string[];
}

/** Remarks on a page whose own status says that something is wrong, and on a field that the test fills in before the page has focused it. */
const EXPECTED =
  /^Failed to load resource: .* status of 4\d\d|^Autofocus processing was blocked because a document already has a focused element/;

/** A window that shares nothing with any other. */
export const openWindow = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Window> => {
  const context = await browser.newContext(options);
  const extras: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (!request.isNavigationRequest()) extras.push(request.url());
  });
  context.on('console', (message) => {
    if (!EXPECTED.test(message.text())) complaints.push(message.text());
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return { context, page, extras, complaints };
};
