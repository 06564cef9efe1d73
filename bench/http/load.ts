import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface Answer {
  readonly status: number;
  /** Status line and headers as received. */
  readonly head: string;
  readonly body: string;
}

/** Where a server listens on 127.0.0.1. */
export interface Address {
  readonly port: number;
  /** The certificate to accept, as PEM: the connection uses TLS 1.3. Without it, the connection is plain TCP. */
  readonly certificate?: string | undefined;
}

export interface Load {
  readonly requests: number;
  /** The complete next request of a connection, as bytes to send. */
  readonly next: (connection: number) => Buffer;
  /** Checks a response; returns what is wrong with it. */
  readonly problem: (connection: number, answer: Answer) => string | undefined;
  /** Whether each request opens a connection of its own. */
  readonly reconnect?: boolean | undefined;
}

interface LoadResult {
  readonly seconds: number;
  /** What was wrong with responses, and how often. */
  readonly problems: ReadonlyMap<string, number>;
}

/** Problems in one line; `undefined` if there are none. */
export const problemsInWords = (problems: ReadonlyMap<string, number>): string | undefined =>
  problems.size === 0 ? undefined : [...problems].map(([sentence, count]) => `${count} × ${sentence}`).join('; ');

type Headers = Readonly<Record<string, string>>;

/** A raw HTTP/1.1 request. */
export function rawRequest(method: string, path: string, headers: Headers, body = ''): Buffer {
  const all = { host: '127.0.0.1', ...headers, ...(body === '' ? {} : { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

/** Polls for responses instead of sleeping: otherwise the server would pay for waking the client with each response. */
function stayAwake(): () => void {
  let isAwake = true;
  const poll = (): void => {
    if (isAwake) setImmediate(poll);
  };
  poll();
  return () => {
    isAwake = false;
  };
}

/**
 * Keep-alive connections to one server, or spread evenly over several. This client is our own because its cost per request is
 * small and the same for every server.
 */
export class Connections {
  readonly #open: Connection[];
  readonly #addresses: readonly Address[];

  private constructor(open: Connection[], addresses: readonly Address[]) {
    this.#open = open;
    this.#addresses = addresses;
  }

  static async open(addresses: readonly Address[], count: number): Promise<Connections> {
    const open = Array.from({ length: count }, (_one, index) => Connection.open(addressOf(index, addresses)));
    return new Connections(await Promise.all(open), addresses);
  }

  /** Sends this many requests, one at a time on each connection, and checks every response. */
  async send({ requests, next, problem, reconnect = false }: Load): Promise<LoadResult> {
    let left = requests;
    const problems = new Map<string, number>();
    const work = async (connection: Connection, index: number): Promise<void> => {
      let current = connection;
      while (left > 0) {
        left -= 1;
        if (reconnect) {
          current.close();
          current = await Connection.open(addressOf(index, this.#addresses));
          this.#open[index] = current;
        }
        const found = problem(index, await current.ask(next(index)));
        if (found !== undefined) problems.set(found, (problems.get(found) ?? 0) + 1);
      }
    };
    const sleep = stayAwake();
    const start = performance.now();
    try {
      await Promise.all(this.#open.map(work));
      return { seconds: (performance.now() - start) / 1000, problems };
    } finally {
      sleep();
    }
  }

  close(): void {
    for (const connection of this.#open) connection.close();
  }
}

const addressOf = (index: number, addresses: readonly Address[]): Address => {
  const address = addresses[index % addresses.length];
  if (address === undefined) throw new TypeError('Connections need an address.');
  return address;
};

/** Sends requests to one server over plain connections opened for them. */
export async function sendLoad({
  port,
  connections,
  ...load
}: Load & { readonly port: number; readonly connections: number }): Promise<LoadResult> {
  const open = await Connections.open([{ port }], connections);
  try {
    return await open.send(load);
  } finally {
    open.close();
  }
}

/** One keep-alive connection. It only understands responses with a `content-length`, which all candidates send. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static open({ port, certificate }: Address): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const onOpen = (): void => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      };
      const socket: Socket =
        certificate === undefined
          ? connect(port, '127.0.0.1', onOpen)
          : connectTls(
              { port, host: '127.0.0.1', servername: 'localhost', ca: certificate, minVersion: 'TLSv1.3' },
              onOpen,
            );
      socket.once('error', reject);
    });
  }

  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    this.#received += chunk;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1];
    if (length === undefined) {
      this.#settle?.reject(new Error(`a response without content-length: ${this.#received.slice(0, 200)}`));
      return;
    }
    if (this.#received.length < end + 4 + Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    const answer = { status, head: this.#received.slice(0, end), body: this.#received.slice(end + 4) };
    this.#received = '';
    this.#settle?.resolve(answer);
  }
}
