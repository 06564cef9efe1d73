import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { drainable, type DrainOptions } from '../../src/adapters/node/index.js';

/** A server whose `/slow` waits until the test lets it go on. */
const start = async (options?: DrainOptions) => {
  const slow: ServerResponse[] = [];
  const server = createServer();
  server.on('request', (request, response) => {
    if (request.url === '/slow') slow.push(response);
    else response.end('quick');
  });
  const drain = drainable(server, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port and not on a pipe.
  const ask = async (path: string, agent: Agent): Promise<IncomingMessage> => {
    const [response] = (await once(get({ host: '127.0.0.1', port, path, agent }), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  };
  return { server, drain, slow, ask };
};

const keepAlive = (): Agent => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
};

test('stop: running requests finish, sent requests are answered, new connections are refused, then the server closes', async () => {
  const { server, drain, slow, ask } = await start();
  const [runningAgent, idleAgent] = [keepAlive(), keepAlive()];
  const running = ask('/slow', runningAgent);
  const idle = await ask('/', idleAgent);
  expect([idle.statusCode, idle.headers.connection]).toEqual([200, 'keep-alive']);
  await expect.poll(() => slow.length).toBe(1);

  let isOver = false;
  const over = drain().then(() => {
    isOver = true;
  });
  expect(server.listening).toBe(false);
  const late = await ask('/', idleAgent);
  expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
  await expect(ask('/', keepAlive())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(isOver).toBe(false);

  slow[0]?.end('done');
  const finished = await running;
  expect([finished.statusCode, finished.headers.connection]).toEqual([200, 'close']);
  await over;
});

test('stop: an idle connection does not delay it', async () => {
  const { drain, ask } = await start({ idle: 10 });
  await ask('/', keepAlive());
  await drain();
});

test('stop: requests that never end are cut off at the deadline, and stopping twice is the same as once', async () => {
  const { drain, slow, ask } = await start({ deadline: 50 });
  const stuck = ask('/slow', keepAlive());
  await expect.poll(() => slow.length).toBe(1);
  const over = drain();
  expect(drain()).toBe(over);
  await expect(stuck).rejects.toMatchObject({ code: 'ECONNRESET' });
  await over;
});
