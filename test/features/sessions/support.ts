import type { WeakStore } from '../../../src/testing/index.js';
import type { Answer, RunningHost } from '../../hosts.js';
import { formOf, unescapeHtml } from '../../hosts/form.js';
import { Browser } from '../../oauth/support/browser.js';

export const AGENTS = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  phone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
} as const;

const ALICE = { username: 'alice', password: 'wonderland' };

/** A browser in front of the page of sessions. */
export class SessionsPage {
  readonly browser: Browser;
  readonly #host: Pick<RunningHost, 'origin' | 'base'>;

  constructor(host: Pick<RunningHost, 'origin' | 'base'>, agent: string, cookie?: string) {
    this.#host = host;
    this.browser = new Browser(host, { 'user-agent': agent, ...(cookie !== undefined && { cookie }) });
  }

  get #path(): string {
    return `${this.#host.base}/oauth/sessions`;
  }

  async signIn(user = ALICE): Promise<Answer> {
    return this.browser.signIn(await this.open(), user);
  }

  open(): Promise<Answer> {
    return this.browser.open(this.#path);
  }

  async isSignedIn(): Promise<boolean> {
    const { status, text } = await this.open();
    return status === 200 && !text.includes('name="password"');
  }

  /** The names on the page; its own browser comes first. */
  async names(): Promise<readonly string[]> {
    return namesOn(await this.open());
  }

  /** Presses the button of a session, or `others`, and the one of the question; returns the page afterwards. */
  async end(name: string): Promise<Answer> {
    return this.confirm(await this.press(name));
  }

  /** Presses the button of a question, and returns the page afterwards. */
  async confirm(question: Answer): Promise<Answer> {
    const { action, fields } = formOf(question.text, 'name="confirmed"');
    return this.browser.follow(await this.send(action, fields));
  }

  /** Presses the button of the account. */
  async signOut(): Promise<Answer> {
    const { action, fields } = formOf((await this.open()).text, 'id="out"');
    return this.send(action, { ...fields, decision: 'sign_out' });
  }

  /** Presses the button of a session, or `others`. */
  async press(name: string, page?: Answer): Promise<Answer> {
    const shown = page ?? (await this.open());
    const { action, fields } = formOf(shown.text, 'class="cards"');
    return this.send(action, { ...fields, end: name === 'others' ? name : keyOf(shown, name) });
  }

  /** The hidden fields of the page. */
  async fieldsOf(): Promise<Readonly<Record<string, string>>> {
    return formOf((await this.open()).text, 'class="cards"').fields;
  }

  send(action: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    return this.browser.submit({ text: `<form method="post" action="${action}"></form>` }, fields);
  }
}

export const namesOn = ({ text }: Answer): readonly string[] =>
  [...text.matchAll(/<h2[^>]*><bdi>(.*?)<\/bdi>/g)].map(([, name = '']) => unescapeHtml(name));

/** The value of the button of a session. */
export const keyOf = ({ text }: Answer, name: string): string => {
  const section = [...text.matchAll(/<section>[\s\S]*?<\/section>/g)]
    .map(([found]) => found)
    .find((found) => found.includes(`<bdi>${name}</bdi>`) && found.includes('<button'));
  const [, value] = /name="end" value="([^"]*)"/.exec(section ?? '') ?? [];
  if (value === undefined) throw new Error(`There is no button for ${name} on this page: ${text}`);
  return value;
};

/** The records of sessions that name one. */
export const recordsIn = (store: WeakStore): readonly Readonly<Record<string, unknown>>[] =>
  [...store.entries()]
    .filter(([key, value]) => key.includes(':own:sessions:') && Reflect.has(value, 'sub'))
    .map(([, value]) => ({ ...value }));
