import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export interface Question {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

/** What it answers: a JSON body, or whatever the function does with the response. */
export type Script = (question: Question, response: ServerResponse) => object | undefined | Promise<object | undefined>;

export const sendJson = (response: ServerResponse, status: number, body: object): undefined => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return undefined;
};

/** An authorization server that says what a test wants it to say. */
export class ScriptedServer {
  readonly #script: Script;
  readonly #sockets = new Set<Socket>();
  readonly questions: Question[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The connections that are open. */
  get sockets(): ReadonlySet<Socket> {
    return this.#sockets;
  }

  /** How often a path was asked for. */
  asked(path: string): number {
    return this.questions.filter((question) => question.path === path).length;
  }

  /** At the same port as before, if it was started before. */
  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.keepAliveTimeout = 0; // A connection that ends was ended by the other side.
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port; // It listens on a port and not on a pipe.
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server = undefined;
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method = '', headers } = request;
    const question = { path, method, headers, form: new URLSearchParams(await readText(request)) };
    this.questions.push(question);
    const body = await this.#script(question, response);
    if (body !== undefined) sendJson(response, 200, body);
  }
}
