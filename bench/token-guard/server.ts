/** The process that is measured: `node server.js <framework> <candidate>`, talking to its parent over IPC. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { app, candidates, frameworks } from './candidates.js';

const framework = frameworks.find((name) => name === process.argv[2]);
const candidate = candidates.find((name) => name === process.argv[3]);
if (framework === undefined || candidate === undefined) throw new TypeError('usage: server <framework> <candidate>');

const server = createServer({ keepAliveTimeout: 0 }, await app(framework, candidate));
server.listen(0, '127.0.0.1', () => {
  // A TCP server that listens has an address with a port.
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system });
});
// With `--cpu-prof` the profile is written when the process ends by itself.
process.on('disconnect', () => process.exit(0));
