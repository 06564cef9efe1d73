import { type Answer, Client } from '../../hosts.js';
import { onlyFormOf, type PageForm, unescapeHtml } from '../../hosts/form.js';

/** The one form of a page. */
export const formOf = ({ text }: Pick<Answer, 'text'>): PageForm => onlyFormOf(text);

/** The text of a page, without the isolation of names. */
export const wordsOf = ({ text }: Pick<Answer, 'text'>): string =>
  unescapeHtml(
    text
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<\/?bdi[^>]*>|[\u2066-\u2069]/g, '')
      .replace(/<[^>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim();

export const isSignIn = (page: Answer): boolean => page.status === 200 && 'password' in formOf(page).fields;

/** Whether a page asks an owner for a decision. */
export const isConsent = (page: Answer): boolean =>
  page.status === 200 && formOf(page).buttons.includes('decision=approve');

/** Where an answer sends the browser. */
export const locationOf = ({ headers, status, text }: Answer): string => {
  const { location } = headers;
  if (location === undefined) throw new Error(`Status ${status} without a Location: ${wordsOf({ text })}`);
  return location;
};

/** The parameters that an answer brings to the client, in the query. */
export const responseOf = (answer: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(locationOf(answer)).searchParams);

export type AuthorizationParameters = Readonly<Record<string, string | readonly string[]>>;

const encode = (parameters: AuthorizationParameters): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const item of typeof value === 'string' ? [value] : value) query.append(name, item);
  }
  return query.toString();
};

/** A code challenge and its verifier. */
export const PKCE = {
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  /** The parameters of an authorization request. */
  request: { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
} as const;

export interface Decision {
  readonly user?: { readonly username: string; readonly password: string };
  readonly decision?: 'approve' | 'deny';
}

const ALICE = { username: 'alice', password: 'wonderland' } as const;

/** A browser with one owner in front of it. It keeps cookies and stays on the host: what leaves it is the answer. */
export class Browser {
  readonly #client: Client;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #host: { readonly origin: string; readonly base: string };

  /** @param headers - Sent with every request. */
  constructor(
    host: { readonly origin: string; readonly base: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#client = new Client(() => host.origin);
    this.#headers = headers;
    this.#host = host;
  }

  /** The path below which the server is mounted. */
  get #prefix(): string {
    return this.#host.base.slice(this.#host.origin.length);
  }

  get cookies(): Client['cookies'] {
    return this.#client.cookies;
  }

  /** What it sends as its `Cookie`. */
  get cookie(): string {
    return [...this.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  /** @param address - As in a link: a path of the host, or a whole URL. */
  open(address: string): Promise<Answer> {
    return this.#client.get(address, this.#headers);
  }

  /** Goes on as long as the answer leads to another address of the same host. */
  async follow(answer: Answer): Promise<Answer> {
    let current = answer;
    for (let hops = 0; hops < 5; hops += 1) {
      const { location } = current.headers;
      if (location === undefined || !location.startsWith('/')) return current;
      current = await this.open(location);
    }
    throw new Error('The host redirects for ever.');
  }

  /** Presses a button of the form on a page, after typing into its fields. */
  submit(page: Pick<Answer, 'text'>, typed: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { action, method, fields } = formOf(page);
    if (method !== 'post') throw new Error(`The form is sent by ${method}.`);
    return this.#client.post(action, { ...fields, ...typed }, this.#headers);
  }

  /** Opens an authorization request. */
  authorize(parameters: AuthorizationParameters): Promise<Answer> {
    return this.open(`${this.#prefix}/oauth/authorize?${encode(parameters)}`);
  }

  /** Types name and password into the sign-in page and goes on to the next one. */
  async signIn(page: Answer, user: Decision['user'] = ALICE): Promise<Answer> {
    return this.follow(await this.submit(page, user));
  }

  /** The complete flow: opens the request, signs in if necessary, decides. Returns the redirect to the client. */
  async authorizeFor(
    parameters: AuthorizationParameters,
    { user = ALICE, decision = 'approve' }: Decision = {},
  ): Promise<Answer> {
    let page = await this.authorize(parameters);
    if (page.status === 200 && 'password' in formOf(page).fields) page = await this.signIn(page, user);
    return page.status === 200 ? this.submit(page, { decision }) : page;
  }

  /** Opens the device page, and signs in if necessary. */
  async device(user: Decision['user'] = ALICE): Promise<Answer> {
    const page = await this.open(`${this.#prefix}/oauth/device`);
    return 'password' in formOf(page).fields ? this.signIn(page, user) : page;
  }

  /** The whole way of a device's owner: types the code, decides. */
  async decideDevice(user_code: string, { user = ALICE, decision = 'approve' }: Decision = {}): Promise<Answer> {
    return this.submit(await this.submit(await this.device(user), { user_code }), { decision });
  }
}
