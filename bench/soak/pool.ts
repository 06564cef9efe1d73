import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { ISSUER } from './site.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; an empty object if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Question {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** If present, the request is a POST of a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** If present, the request is a POST of JSON. */
  readonly body?: object;
}

/** The most sources of the requests, below 127.0.1: people come from many addresses, and one address has few slots for attempts under way. */
const MAX_SOURCES = 250;

/** The request got no response. The message tells how far it got. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** A load balancer passes it on. */
const HOST = new URL(ISSUER).host;

const ANSWER_TIMEOUT = 10_000;

const reasonOf = (error: Error, reused: boolean): string => {
  const code = 'code' in error ? String(error.code) : error.message;
  return code === 'ECONNREFUSED'
    ? 'connection refused, nothing was sent'
    : `${code} on a ${reused ? 'kept' : 'new'} connection`;
};

const isJson = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.startsWith('application/json') === true;

/** Keep-alive connections, evenly divided between several processes and several addresses. */
export class Pool {
  readonly #ports: readonly number[];
  readonly #agents: readonly Agent[];
  readonly #sources: number;

  /** @param connections - At most as many are open. */
  constructor(ports: readonly number[], connections: number) {
    this.#ports = ports;
    const perProcess = Math.max(1, Math.floor(connections / ports.length));
    this.#sources = Math.min(perProcess, MAX_SOURCES);
    // An agent counts the sockets of each address.
    const maxSockets = Math.floor(perProcess / this.#sources);
    this.#agents = ports.map(() => new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' }));
  }

  get size(): number {
    return this.#ports.length;
  }

  /**
   * @param visitor - The number of the visitor, from which its address follows.
   * @throws NoAnswer
   */
  ask(visitor: number, target: number, { path, headers = {}, form, body }: Question): Promise<Answer> {
    const index = target % this.#ports.length;
    const isForm = form !== undefined;
    const sent = isForm ? new URLSearchParams(form).toString() : body && JSON.stringify(body);
    const type = sent !== undefined && {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'content-length': String(Buffer.byteLength(sent)),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#ports[index],
          agent: this.#agents[index],
          path,
          localAddress: `127.0.1.${(visitor % this.#sources) + 1}`,
          method: sent === undefined ? 'GET' : 'POST',
          headers: { host: HOST, ...type, ...headers },
          timeout: ANSWER_TIMEOUT,
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => (text += chunk));
          incoming.on('error', fail);
          incoming.on('end', () => {
            const json: unknown = isJson(incoming.headers) ? JSON.parse(text) : {};
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text,
              json: json as Answer['json'], // each field is checked before use
            });
          });
        },
      );
      const fail = (error: Error): void => reject(new NoAnswer(reasonOf(error, outgoing.reusedSocket)));
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${ANSWER_TIMEOUT / 1000} s`)));
      outgoing.on('error', fail);
      outgoing.end(sent);
    });
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }
}
