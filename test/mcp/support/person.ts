import type { Answer } from '../../hosts.js';
import { Browser, formOf, locationOf, wordsOf } from '../../oauth/support/browser.js';
import type { Application } from './application.js';

/** Somebody with a browser, who allows what an application sends them to. */
export class Person {
  readonly #browser: Browser;

  /** @param base - Where the server is. */
  constructor(base: string) {
    this.#browser = new Browser({ origin: base, base });
  }

  /** Opens the page, and signs in if necessary. */
  async open(url: URL): Promise<Answer> {
    const page = await this.#browser.follow(await this.#browser.open(url.href));
    return page.status === 200 && 'password' in formOf(page).fields ? this.#browser.signIn(page) : page;
  }

  /** Where the browser ends up at the application, with what it brings. */
  async answer(url: URL, decision: 'approve' | 'deny'): Promise<URL> {
    const page = await this.open(url);
    if (page.status !== 200) throw new Error(`Status ${page.status}: ${wordsOf(page)}`);
    return new URL(locationOf(await this.#browser.submit(page, { decision })));
  }

  /** Allows what the application asks for now. @returns what came back to it. */
  async allowFor(application: Application): Promise<URLSearchParams> {
    const { sentTo } = application;
    if (sentTo === undefined) throw new Error('The application has not sent the browser anywhere.');
    application.sentTo = undefined;
    const { searchParams } = await this.answer(sentTo, 'approve');
    if (searchParams.get('state') !== application.expectedState) throw new Error('The state is another one.');
    return searchParams;
  }
}
