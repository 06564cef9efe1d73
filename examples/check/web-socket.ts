/** A WebSocket server of `ws` that checks the token in the upgrade request, and again with each message. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CheckResult, TokenCheck } from 'oauth-query/guard';
import { WebSocketServer } from 'ws';

/** What a guard would answer, as the response to the upgrade request. */
const refuse = (socket: Duplex, { status, headers }: NonNullable<CheckResult['refused']>): void => {
  const lines = Object.entries({ connection: 'close', 'content-length': '0', ...headers });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map((line) => line.join(': '))];
  socket.end(`${head.join('\r\n')}\r\n\r\n`);
};

export const photoSockets = (server: Server, check: TokenCheck): WebSocketServer => {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const { refused } = await check(token, { scope: 'photos.read' });
    if (refused) return refuse(socket, refused);
    sockets.handleUpgrade(request, socket, head, (connection) => {
      const answer = async (message: string): Promise<void> => {
        const { authorization } = await check(token, { scope: 'photos.read' });
        if (authorization) connection.send(`${authorization.sub} said ${message}`);
        else connection.close(4401, 'The access token is no longer valid.');
      };
      connection.on('message', (message: Buffer) => void answer(message.toString()));
    });
  };
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    void upgrade(request, socket, head);
  });
  return sockets;
};
