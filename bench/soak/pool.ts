import { Agent, type IncomingHttpHeaders, request } from 'node:http';

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
  /** If present, the request is a POST. */
  readonly form?: Readonly<Record<string, string>>;
}

/** The request got no response. The message tells how far it got. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const ANSWER_TIMEOUT = 10_000;

const reasonOf = (error: Error, reused: boolean): string => {
  const code = 'code' in error ? String(error.code) : error.message;
  return code === 'ECONNREFUSED'
    ? 'connection refused, nothing was sent'
    : `${code} on a ${reused ? 'kept' : 'new'} connection`;
};

const isJson = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.startsWith('application/json') === true;

/** Keep-alive connections, evenly divided between several processes. */
export class Pool {
  readonly #ports: readonly number[];
  readonly #agents: readonly Agent[];

  constructor(ports: readonly number[], connections: number) {
    this.#ports = ports;
    const maxSockets = Math.ceil(connections / ports.length);
    this.#agents = ports.map(() => new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' }));
  }

  get size(): number {
    return this.#ports.length;
  }

  /** @throws NoAnswer */
  ask(target: number, { path, headers = {}, form }: Question): Promise<Answer> {
    const index = target % this.#ports.length;
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const type = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#ports[index],
          agent: this.#agents[index],
          path,
          method: form === undefined ? 'GET' : 'POST',
          headers: form === undefined ? headers : { ...type, ...headers },
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
      outgoing.end(body);
    });
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }
}
