import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on a free port of 127.0.0.1. It does not keep the process running. */
export class Loopback {
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    // It listens on a port, not on a pipe.
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
  }

  static async listen(): Promise<Loopback> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    // Clients such as fetch leave connections open for seconds.
    server.on('connection', (socket) => socket.unref());
    return new Loopback(server);
  }

  /** Answers all requests from now on. */
  answer(listener: RequestListener): void {
    this.#server.on('request', listener);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
