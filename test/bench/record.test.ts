import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { Connections, rawRequest } from '../../bench/http/load.js';
import { createCertificate } from '../../bench/record/certificate.js';
import { recordChart, recordTablesOf } from '../../bench/record/report.js';
import type { RecordResult, RecordResults } from '../../bench/record/results.js';
import { markdownOf } from '../../bench/report/table.js';
import { summary } from '../../bench/statistics.js';
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

  test('opens a connection for each request if that is measured', async () => {
    const { address, sockets } = await listen();
    const open = await Connections.open([address], 2);
    expect(await open.send({ requests: 10, next, problem, reconnect: true })).toMatchObject({ wrong: 0 });
    open.close();
    expect([...sockets.values()]).toEqual(Array.from({ length: 10 }, () => 1));
  });

  test('rejects a server with another certificate', async () => {
    const { address } = await listen();
    const { cert } = createCertificate();
    await expect(Connections.open([{ ...address, certificate: cert }], 1)).rejects.toThrow(/self-signed|certificate/);
  });
});

describe('the tables of the record', () => {
  const result: RecordResult = {
    work: 'token',
    label: 'oauth-query on node:https',
    store: 'Redis',
    processes: 2,
    perVcpu: summary([8_000, 10_000, 12_000]),
    user: summary([80]),
    system: summary([20]),
    engine: summary([25]),
    load: summary([50]),
  };
  const record: RecordResults = {
    date: '2030-01-01',
    machine: { processor: 'A processor', cores: 2, memory: 8, system: 'A system', node: 'v20.19.0' },
    versions: {},
    rounds: 7,
    requests: 5000,
    connections: 16,
    pinned: true,
    results: [result, { work: 'token', label: 'a peer', store: 'memory', processes: 1, disqualified: 'status 500' }],
  };

  test('show work per second and vCPU, with separate CPU times of server, database and load', () => {
    const [tokens] = recordTablesOf(record);
    if (tokens === undefined) throw new Error('The table is missing.');
    expect(markdownOf(tokens).split('\n').slice(-2)).toEqual([
      '| oauth-query on node:https | Redis | 2 | 10,000 | 9,000 to 11,000 | 80 µs | 20 µs | 25 µs | 50 µs |',
      '| a peer | memory | 1 | not counted: status 500 |  |  |  |  |  |',
    ]);
  });

  test('have bars for counted measurements', () => {
    const chart = recordChart(record);
    expect(chart).toContain('Redis, 2 processes 10,000');
    expect(chart).not.toContain('a peer');
  });
});
