import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { text as readText } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: Record<string, unknown>;
}

export type Form = string | URLSearchParams | Readonly<Record<string, string | readonly string[]>>;

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

const agent = new Agent({ keepAlive: true });
/** The certificates of tests are self-signed. */
const secureAgent = new SecureAgent({ rejectUnauthorized: false });

/** Closes the connections that clients keep open: a server that stops would wait a second for requests on them. */
export const closeIdleConnections = (): void => {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
};

const encode = (form: Form): string => {
  if (typeof form === 'string') return form;
  if (form instanceof URLSearchParams) return form.toString();
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) {
    for (const item of typeof value === 'string' ? [value] : value) fields.append(name, item);
  }
  return fields.toString();
};

/** An HTTP client that shows everything and follows nothing. It keeps cookies, so one client is one browser. */
export class Client {
  readonly #base: () => string;
  readonly #cookies = new Map<string, Cookie>();

  /** @param base - What paths are relative to: `host.base` for our routes, `host.origin` for the host's. A function for a host that does not listen yet. */
  constructor(base: string | (() => string)) {
    this.#base = typeof base === 'string' ? () => base : base;
  }

  /** The cookies that are kept, by name. */
  get cookies(): ReadonlyMap<string, Cookie> {
    return this.#cookies;
  }

  get(path: string, headers: RequestOptions['headers'] = {}): Promise<Answer> {
    return this.request(path, { headers });
  }

  /** Posts a form. */
  post(path: string, form: Form, headers: RequestOptions['headers'] = {}): Promise<Answer> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: encode(form),
    });
  }

  /** @param path - Appended to the base as it is, or a whole URL. */
  async request(path: string, { method = 'GET', headers = {}, body = '' }: RequestOptions = {}): Promise<Answer> {
    const url = new URL(path.startsWith('/') ? this.#base() + path : path);
    const cookie = this.#cookiesFor(url.pathname);
    const outgoing: Record<string, string | string[]> = { ...headers };
    if (cookie !== '') outgoing['cookie'] ??= cookie;
    if (body.length > 0 && outgoing['transfer-encoding'] === undefined)
      outgoing['content-length'] ??= String(Buffer.byteLength(body));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending =
        url.protocol === 'https:'
          ? secureRequest(url, { method, headers: outgoing, agent: secureAgent }, resolve)
          : request(url, { method, headers: outgoing, agent }, resolve);
      sending.on('error', reject).end(body);
    });
    this.#keep(response.headers['set-cookie'] ?? []);
    const text = await readText(response);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      rawHeaders: response.rawHeaders,
      text,
      get json() {
        return JSON.parse(text) as Record<string, unknown>; // What is in it is for the test to say.
      },
    };
  }

  #cookiesFor(pathname: string): string {
    return [...this.#cookies]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      const attribute = (wanted: string): string | undefined =>
        attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
      const expires = attribute('expires');
      const gone = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
      if (gone) this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path: attribute('path') ?? '/' });
    }
  }
}

/** Basic credentials as RFC 6749 §2.3.1 writes them: form-encoded first. */
export const basic = (id: string, secret: string): Record<'authorization', string> => {
  const encoded = [id, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1)).join(':');
  return { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` };
};

export const bearer = (token: string): Record<'authorization', string> => ({ authorization: `Bearer ${token}` });
