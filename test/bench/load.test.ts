import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { BARE } from '../../bench/candidates.js';
import { exchangeFor } from '../../bench/http/exchanges.js';
import { rawRequest, sendLoad } from '../../bench/http/load.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const answer = (more: object = {}, refresh?: string): string =>
  JSON.stringify({
    access_token: 'a'.repeat(43),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'content.read',
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    ...more,
  });

describe('sendLoad', () => {
  const request = rawRequest('GET', '/', {});

  test('sends exactly this many requests over this many connections, which stay open', async () => {
    const connections = new Set<unknown>();
    let requests = 0;
    const port = await listen((req, res) => {
      connections.add(req.socket);
      requests += 1;
      res.end('fine');
    });
    const load = { port, requests: 100, connections: 4, next: () => request, problem: () => undefined };
    expect(await sendLoad(load)).toMatchObject({ problems: new Map() });
    expect([requests, connections.size]).toEqual([100, 4]);
  });

  test('checks every response: a single wrong one is reported', async () => {
    let requests = 0;
    const port = await listen((_req, res) => {
      requests += 1;
      res.end(requests === 57 ? 'wrong' : 'fine');
    });
    const problem = (_connection: number, { body }: { body: string }) =>
      body === 'fine' ? undefined : `it said ${body}`;
    const load = { port, requests: 100, connections: 4, next: () => request, problem };
    expect(await sendLoad(load)).toMatchObject({ problems: new Map([['it said wrong', 1]]) });
  });

  test('a server that closes the connection is an error, not a fast response', async () => {
    const port = await listen((req) => req.socket.destroy());
    const load = { port, requests: 10, connections: 2, next: () => request, problem: () => undefined };
    await expect(sendLoad(load)).rejects.toThrow('the server closed the connection');
  });
});

describe('a candidate that is fast because it skips work', () => {
  const load = async (listener: RequestListener, candidate = 'a peer') => {
    const port = await listen(listener);
    const { prepare, next, problem, confirm } = exchangeFor('token', { port, candidate });
    await prepare?.(20, 2);
    const { problems } = await sendLoad({ port, requests: 20, connections: 2, next, problem });
    return { problems, confirm };
  };
  const json =
    (body: string): RequestListener =>
    (_req, res) =>
      void res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);

  test('and returns the same token again is rejected, except the bare route', async () => {
    expect(await load(json(answer()))).toMatchObject({ problems: new Map([['a token came twice', 19]]) });
    expect(await load(json(answer()), BARE)).toMatchObject({ problems: new Map() });
  });

  test('and accepts any secret, or issues useless tokens, is rejected after the round', async () => {
    let issued = 0;
    const careless: RequestListener = (req, res) => {
      issued += 1;
      const body = answer({ access_token: String(issued).padStart(43, 'x') });
      if (req.url === '/content') res.writeHead(200).end();
      else json(body)(req, res);
    };
    const { problems, confirm } = await load(careless);
    expect(problems.size).toBe(0);
    expect(await confirm?.()).toBe('a wrong secret was answered with 200');

    const forgetful: RequestListener = (req, res) =>
      req.url === '/content' ? void res.writeHead(401).end() : careless(req, res);
    expect(await (await load(forgetful)).confirm?.()).toBe('a token that was issued is refused with 401');
  });
});
