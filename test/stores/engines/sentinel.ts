import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/**
 * A sentinel on loopback that knows one master. Whenever it is asked for the master, it first tells every subscriber of a failover:
 * the worst moment for a client.
 */
export async function startTalkativeSentinel(masterPort: number): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const subscribers = new Set<Socket>();
  const bulk = (...words: string[]): string =>
    `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
  const tellOfFailover = (): void => {
    for (const subscriber of subscribers) subscriber.write(bulk('message', '+switch-master', 'mymaster'));
  };
  const answer = (socket: Socket, [name = '', subcommand = '']: readonly string[]): void => {
    const command = `${name} ${subcommand}`.toLowerCase();
    if (command.startsWith('subscribe')) {
      subscribers.add(socket);
      socket.write(`*3\r\n$9\r\nsubscribe\r\n$${subcommand.length}\r\n${subcommand}\r\n:1\r\n`);
    } else if (command === 'sentinel get-master-addr-by-name') {
      tellOfFailover();
      // Later, so that the message is read first.
      setTimeout(() => socket.write(bulk('127.0.0.1', String(masterPort))), 50);
    } else if (command === 'sentinel sentinels') socket.write('*0\r\n');
    else if (name.toLowerCase() === 'hello') socket.write("-ERR unknown command 'HELLO'\r\n");
    else socket.write('+OK\r\n');
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => undefined);
    socket.on('close', () => void (sockets.delete(socket), subscribers.delete(socket)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      pending += chunk;
      // Commands are arrays of strings: *2 $3 GET $1 a.
      for (;;) {
        const count = Number(/^\*(\d+)\r\n/.exec(pending)?.[1] ?? Number.NaN);
        const whole = new RegExp(`^\\*\\d+\\r\\n(?:\\$\\d+\\r\\n[^\\r]*\\r\\n){${count || 1}}`).exec(pending)?.[0];
        if (whole === undefined) return;
        pending = pending.slice(whole.length);
        answer(
          socket,
          whole.split('\r\n').filter((_, index) => index > 0 && index % 2 === 0),
        );
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
