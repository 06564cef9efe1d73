/** A process that stands still: a server on each host over one SQLite file, its first argument. It prints its ports, and ends with its input. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Koa from 'koa';
import { openStore } from 'oauth-query/stores/open';
import { expressApp } from '../hosts/express.js';
import { fastifyApp } from '../hosts/fastify.js';
import { koaApp, newParser } from '../hosts/koa.js';
import { nodeApp } from '../hosts/node.js';
import { stillOptions } from './still-options.js';

// Whoever started this process is gone.
process.stdin.on('end', () => process.exit()).resume();

const store = await openStore(`sqlite:${process.argv[2] ?? ''}`);
await store.migrate();
const ports: number[] = [];
for (const build of [expressApp(express), koaApp(Koa, newParser), fastifyApp, nodeApp]) {
  const setup = { options: stillOptions(store), guarded: {}, prefix: '', parserInFront: false, errors: [] };
  const { listener } = await build(setup);
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.push((server.address() as AddressInfo).port); // It listens on a port.
}
console.log(JSON.stringify(ports));
