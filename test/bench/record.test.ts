import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { Connections, rawRequest } from '../../bench/http/load.js';
import { createCertificate } from '../../bench/record/certificate.js';
import { findProgram } from '../stores/engines/daemon.js';

describe.skipIf(findProgram('openssl') === undefined)('load over TLS (needs openssl)', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** A server with a certificate, and the connections it has accepted. */
  const listen = async () => {
    const { cert, key } = createCertificate();
    const sockets = new Map<Socket, number>();
    const server = createServer({ cert, key }, ({ socket }, response) => {
      sockets.set(socket, (sockets.get(socket) ?? 0) + 1);
      response.end((socket as TLSSocket).getProtocol() ?? 'none'); // TLS, because the server is
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { address: { port: (server.address() as AddressInfo).port, certificate: cert }, sockets };
  };
  const next = () => rawRequest('GET', '/', {});
  const problem = (_connection: number, { body }: { body: string }) => (body === 'TLSv1.3' ? undefined : body);

  test('uses TLS 1.3 on keep-alive connections, evenly distributed over the servers', async () => {
    const first = await listen();
    const second = await listen();
    // Each server has a certificate of its own, which the connections to it accept.
    const open = await Connections.open([first.address, second.address], 6);
    expect(await open.send({ requests: 60, next, problem })).toMatchObject({ wrong: 0 });
    open.close();
    expect([first.sockets.size, second.sockets.size]).toEqual([3, 3]);
  });

  test('rejects a server with another certificate', async () => {
    const { address } = await listen();
    const { cert } = createCertificate();
    await expect(Connections.open([{ ...address, certificate: cert }], 1)).rejects.toThrow(/self-signed|certificate/);
  });
});
