import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Status line and headers as they came. */
  readonly head: string;
  readonly body: string;
}

export interface Load {
  readonly port: number;
  readonly requests: number;
  readonly connections: number;
  /** The whole next request of this connection, as it goes over the wire. */
  readonly next: (connection: number) => Buffer;
  /** Looks at every answer and says what is wrong with it. */
  readonly problem: (connection: number, answer: Answer) => string | undefined;
}

export interface LoadResult {
  readonly seconds: number;
  readonly wrong: number;
  /** What was wrong with the first wrong answer. */
  readonly firstProblem: string | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** One raw HTTP/1.1 request. */
export function rawRequest(method: string, path: string, headers: Headers, body = ''): Buffer {
  const all = { host: '127.0.0.1', ...headers, ...(body === '' ? {} : { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

/** Looks for answers all the time instead of sleeping until there is one: a server would pay for waking us with each answer. */
function stayAwake(): () => void {
  let isAwake = true;
  const look = (): void => {
    if (isAwake) setImmediate(look);
  };
  look();
  return () => {
    isAwake = false;
  };
}

/**
 * Sends so many requests over keep-alive connections, one at a time on each, and looks at every answer. A client of our
 * own because its work per request is small and the same for everybody.
 */
export async function sendLoad({ port, requests, connections, next, problem }: Load): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  let left = requests;
  let wrong = 0;
  let firstProblem: string | undefined;
  const work = async (connection: Connection, index: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const found = problem(index, await connection.ask(next(index)));
      if (found !== undefined) {
        wrong += 1;
        firstProblem ??= found;
      }
    }
  };
  const sleep = stayAwake();
  const start = performance.now();
  try {
    await Promise.all(open.map(work));
    return { seconds: (performance.now() - start) / 1000, wrong, firstProblem };
  } finally {
    sleep();
    for (const connection of open) connection.close();
  }
}

/** One keep-alive connection that understands answers with a `content-length`, which is all that the candidates send. */
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
    socket.on('close', () => this.#settle?.reject(new Error('the server hung up')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
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
      this.#settle?.reject(new Error(`an answer without content-length: ${this.#received.slice(0, 200)}`));
      return;
    }
    if (this.#received.length < end + 4 + Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    const answer = { status, head: this.#received.slice(0, end), body: this.#received.slice(end + 4) };
    this.#received = '';
    this.#settle?.resolve(answer);
  }
}
