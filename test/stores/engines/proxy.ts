import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback between a client and a server, for trouble on the way. */
export interface Proxy {
  readonly port: number;
  /** From now on nothing passes on the connections that there are, which stay open; new ones work. */
  silence(): void;
  /** From now on nothing passes at all, also on new connections, until `recover`. */
  silenceAll(): void;
  /** New connections work again. */
  recover(): void;
  /** From now on answers are lost, while what clients send still arrives; then the connections that there are break. */
  cutAfter(milliseconds: number): void;
  /**
   * What clients send next arrives, or is lost; its answer is lost in any case, and then the connections that there are break. Resolves when
   * they have.
   */
  cutAtNext(fate: 'arrives' | 'is lost'): Promise<void>;
  /** How many connections there have been. */
  readonly connections: number;
  close(): Promise<void>;
}

/** @param target - The port behind it, asked for at each connection. */
export async function startProxy(target: () => number): Promise<Proxy> {
  const pairs = new Set<{ client: Socket; server: Socket; silent: boolean; deaf: boolean }>();
  let silentFromNowOn = false;
  let connections = 0;
  let onNext: (() => void) | undefined;
  const listener = createServer((client) => {
    connections += 1;
    const server = connect(target(), '127.0.0.1');
    const pair = { client, server, silent: silentFromNowOn, deaf: false };
    pairs.add(pair);
    client.on('data', (data) => {
      onNext?.();
      if (!pair.silent) server.write(data);
    });
    server.on('data', (data) => void (pair.silent || pair.deaf || client.write(data)));
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const silence = (): void => {
    for (const pair of pairs) pair.silent = true;
  };
  const cut = (): void => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  };
  return {
    port: address.port,
    silence,
    silenceAll() {
      silentFromNowOn = true;
      silence();
    },
    recover() {
      silentFromNowOn = false;
    },
    cutAfter(milliseconds) {
      for (const pair of pairs) pair.deaf = true;
      setTimeout(cut, milliseconds).unref();
    },
    cutAtNext: (fate) =>
      new Promise((resolve) => {
        onNext = () => {
          onNext = undefined;
          if (fate === 'is lost') silence();
          for (const pair of pairs) pair.deaf = true;
          setTimeout(() => {
            cut();
            resolve();
          }, 20);
        };
      }),
    get connections() {
      return connections;
    },
    async close() {
      listener.close();
      cut();
      await once(listener, 'close');
    },
  };
}
