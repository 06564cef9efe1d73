import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic, bearer, Client } from '../hosts.js';
import { describeEngine } from '../stores/engines/availability.js';
import type { Daemon } from '../stores/engines/daemon.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { noRedis, startRedis } from '../stores/engines/redis.js';
import { type Example, startExample } from './process.js';

type Engine = Daemon & { readonly url: string };

const suite = (startEngine: () => Promise<Engine>) => () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine.remove());

  test('two demos with one STORE and one ISSUER act as one server', async () => {
    const demos: Example[] = [];
    const clients: Client[] = [];
    for (const FRAMEWORK of ['express', 'fastify']) {
      const demo = await startExample('demo/main.ts', [], {
        PORT: '0',
        STORE: engine.url,
        ISSUER: 'https://demo.example',
        FRAMEWORK,
      });
      demos.push(demo);
      const [base] = await demo.until(/http:\/\/127\.0\.0\.1:\d+/);
      clients.push(new Client(base));
    }
    const [one, two] = clients;
    const credentials = basic('service', 'service-secret');
    const issued = await one?.post('/oauth/token', { grant_type: 'client_credentials' }, credentials);
    const token = String(issued?.json['access_token']);
    expect((await two?.get('/content', bearer(token)))?.status).toBe(200);
    expect((await two?.post('/oauth/revoke', { token }, credentials))?.status).toBe(200);
    expect((await one?.get('/content', bearer(token)))?.status).toBe(401);
    for (const demo of demos) expect(await demo.stop()).toBe(0);
  });
};

describeEngine('the demo on Redis', noRedis, suite(startRedis));
describeEngine('the demo on PostgreSQL', noPostgres, suite(startPostgres));
