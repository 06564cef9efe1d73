import * as http from 'node:http';
import * as https from 'node:https';
import { UnavailableError } from '../core/base/errors.js';
import { readAtMost } from '../core/base/http/body.js';
import { isJsonType } from '../core/base/http/messages.js';

/** A response with text of one media type, of status 200. */
interface TextAnswer {
  readonly text: string;
}

/** A response with a JSON object, of any status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The nonce that proofs of the next requests must have (RFC 9449 §8). */
  readonly nonce?: string;
}

/** A response of any kind. */
interface Received {
  /** Names the endpoint in errors. */
  readonly place: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly nonce: string | undefined;
}

type Form = Readonly<Record<string, string>>;

const MAX_ANSWER_BYTES = 65_536;

/** Requests with invented tokens must not cause an unlimited number of connections. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 64 } as const;

const parse = (text: string): JsonAnswer['body'] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser would repeat text of the response.
    throw new UnavailableError('The authorization server returned invalid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnavailableError('The authorization server returned JSON that is not an object.');
  }
  return value as JsonAnswer['body']; // An object, not an array.
};

const jsonIn = ({ place, status, type, text, nonce }: Received): JsonAnswer => {
  if (!isJsonType(type)) throw new UnavailableError(`${place} answered ${status} without JSON.`);
  return { status, body: parse(text), ...(nonce !== undefined && { nonce }) };
};

const nonceIn = ({ 'dpop-nonce': given }: http.IncomingHttpHeaders): string | undefined =>
  typeof given === 'string' ? given : undefined;

const tooLong = (): Error => new Error(`The response is longer than ${MAX_ANSWER_BYTES} bytes.`);

const isCut = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

/**
 * A JSON client for an authorization server with keep-alive connections: `fetch` is several times slower. It
 * follows no redirects, because tokens must only be sent to configured URLs.
 */
export class HttpClient {
  /** Milliseconds for a complete exchange. */
  readonly #timeout: number;
  readonly #http = new http.Agent(AGENT_OPTIONS);
  readonly #https = new https.Agent(AGENT_OPTIONS);

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  async get(url: URL): Promise<JsonAnswer> {
    return jsonIn(await this.#exchange(url, { method: 'GET', headers: { accept: 'application/json' } }));
  }

  /** @param proof - The header of DPoP. */
  async postForm(url: URL, form: Form, authorization?: string, proof?: string): Promise<JsonAnswer> {
    return jsonIn(await this.#post(url, form, 'application/json', authorization, proof));
  }

  /** The same for a response of another media type. Errors are JSON, and so is whatever a server without that type sends. */
  async postFormFor(type: string, url: URL, form: Form, authorization?: string): Promise<JsonAnswer | TextAnswer> {
    const answer = await this.#post(url, form, type, authorization);
    return answer.status === 200 && answer.type.split(';', 1)[0]?.trim().toLowerCase() === type
      ? { text: answer.text }
      : jsonIn(answer);
  }

  #post(url: URL, form: Form, accept: string, authorization?: string, proof?: string): Promise<Received> {
    const headers = {
      accept,
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
      ...(proof === undefined ? {} : { dpop: proof }),
    };
    return this.#exchange(url, { method: 'POST', headers }, new URLSearchParams(form).toString());
  }

  /** Closes idle connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #exchange(url: URL, options: http.RequestOptions, body = ''): Promise<Received> {
    const place = `${url.origin}${url.pathname}`;
    let response: http.IncomingMessage;
    let text: string;
    try {
      response = await this.#send(url, { ...options, signal: AbortSignal.timeout(this.#timeout) }, body);
      text = (await readAtMost(response, MAX_ANSWER_BYTES, tooLong)).toString('utf8');
    } catch (cause) {
      throw new UnavailableError(`${place} cannot be reached.`, { cause });
    }
    const { statusCode: status = 0, headers } = response;
    if (status >= 300 && status < 400)
      throw new UnavailableError(`${place} redirects; redirects are not followed. Configure the final URL.`);
    return { place, status, type: headers['content-type'] ?? '', text, nonce: nonceIn(headers) };
  }

  #send(url: URL, options: http.RequestOptions, body: string): Promise<http.IncomingMessage> {
    const [request, agent] = url.protocol === 'https:' ? [https.request, this.#https] : [http.request, this.#http];
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { ...options, agent }, resolve);
      outgoing.on('error', (error) => {
        // The server may close an idle connection at the moment it is reused.
        const isStale = outgoing.reusedSocket && isCut(error) && options.signal?.aborted === false;
        if (isStale) resolve(this.#send(url, options, body));
        else reject(error);
      });
      outgoing.end(body);
    });
  }
}
