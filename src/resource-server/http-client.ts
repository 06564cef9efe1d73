import * as http from 'node:http';
import * as https from 'node:https';
import { UnavailableError } from '../core/base/errors.js';
import { readAtMost } from '../core/base/http/body.js';
import { isJsonType } from '../core/base/http/messages.js';

/** A response with a JSON object, of any status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface RawAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

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

const tooLong = (): Error => new Error(`The response is longer than ${MAX_ANSWER_BYTES} bytes.`);

const read = async (response: http.IncomingMessage): Promise<RawAnswer> => {
  const body = await readAtMost(response, MAX_ANSWER_BYTES, tooLong);
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], text: body.toString('utf8') };
};

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

  get(url: URL): Promise<JsonAnswer> {
    return this.#exchange(url, { method: 'GET', headers: { accept: 'application/json' }, body: '' });
  }

  postForm(url: URL, form: Readonly<Record<string, string>>, authorization?: string): Promise<JsonAnswer> {
    const body = new URLSearchParams(form).toString();
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      ...(authorization === undefined ? {} : { authorization }),
    };
    return this.#exchange(url, { method: 'POST', headers, body });
  }

  /** Closes idle connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #exchange(url: URL, message: Message): Promise<JsonAnswer> {
    let answer: RawAnswer;
    try {
      answer = await this.#send(url, message, AbortSignal.timeout(this.#timeout));
    } catch (cause) {
      throw new UnavailableError(`${url.origin}${url.pathname} cannot be reached.`, { cause });
    }
    const { status, type = '', text } = answer;
    if (status >= 300 && status < 400) {
      throw new UnavailableError(
        `${url.origin}${url.pathname} redirects; redirects are not followed. Configure the final URL.`,
      );
    }
    if (!isJsonType(type)) throw new UnavailableError(`${url.origin}${url.pathname} answered ${status} without JSON.`);
    return { status, body: parse(text) };
  }

  #send(url: URL, message: Message, signal: AbortSignal): Promise<RawAnswer> {
    const { method, headers, body } = message;
    const [request, agent] = url.protocol === 'https:' ? [https.request, this.#https] : [http.request, this.#http];
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, signal, agent }, (response) => {
        read(response).then(resolve, reject);
      });
      outgoing.on('error', (error) => {
        // The server may close an idle connection at the moment it is reused.
        if (outgoing.reusedSocket && isCut(error) && !signal.aborted) resolve(this.#send(url, message, signal));
        else reject(error);
      });
      outgoing.end(body);
    });
  }
}
