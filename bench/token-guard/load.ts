import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Load {
  readonly port: number;
  /** The whole request as it goes over the wire. */
  readonly request: Buffer;
  readonly requests: number;
  readonly connections: number;
  /** Every answer is looked at. */
  readonly isRight: (answer: Answer) => boolean;
}

/** One raw HTTP/1.1 request. */
export function rawRequest(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): Buffer {
  const all = { host: '127.0.0.1', ...headers, ...(body === '' ? {} : { 'content-length': String(body.length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

/**
 * Sends so many requests over keep-alive connections, one at a time on each, and tells how many answers were wrong. A
 * client of our own because its work per request is small and the same for everybody.
 */
export async function sendLoad(load: Load): Promise<number> {
  let left = load.requests;
  let wrong = 0;
  const worker = async (): Promise<void> => {
    const connection = await Connection.open(load.port);
    while (left > 0) {
      left -= 1;
      if (!load.isRight(await connection.ask(load.request))) wrong += 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
  return wrong;
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
    const answer = { status: Number(this.#received.slice(9, 12)), body: this.#received.slice(end + 4) };
    this.#received = '';
    this.#settle?.resolve(answer);
  }
}
