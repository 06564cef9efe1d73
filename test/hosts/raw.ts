import { connect } from 'node:net';

/**
 * Sends these very bytes and gives everything that comes back until the server closes the connection, so a request
 * should say `Connection: close`.
 */
export const sendRaw = (origin: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(60_000, () =>
      socket.destroy(new Error('The server neither answered nor closed the connection.')),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
