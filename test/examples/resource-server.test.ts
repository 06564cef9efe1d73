import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basic, bearer, Client } from '../hosts.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

describe('examples/resource-server with the demo', () => {
  let demo: Example;
  let example: Example;
  let demoPort: string;
  let server: Client;
  let site: Client;

  const startDemo = async () => {
    demo = await startExample('demo/main.ts', [], { PORT: demoPort, STORE: 'memory', FRAMEWORK: 'koa' });
    await demo.until(/It only accepts connections/);
  };
  const token = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const form = { grant_type: 'client_credentials', ...more };
    return String((await server.post('/oauth/token', form, basic('service', 'service-secret'))).json['access_token']);
  };

  beforeAll(async () => {
    demoPort = String(await freePort());
    const port = String(await freePort());
    server = new Client(`http://127.0.0.1:${demoPort}`);
    site = new Client(`http://127.0.0.1:${port}`);
    example = await startExample('resource-server/main.ts', [], { PORT: port, ISSUER: `http://127.0.0.1:${demoPort}` });
    await Promise.all([startDemo(), example.until(/Listening on/)]);
  });
  afterAll(() => Promise.all([demo.stop(), example.stop()]));

  test('accepts the tokens of the other process, each for its scopes', async () => {
    expect((await site.get('/notes')).status).toBe(401);
    expect((await site.get('/notes', bearer('made-up'))).status).toBe(401);
    const reader = await token();
    expect((await site.get('/notes', bearer(reader))).json).toEqual({
      reader: 'client:service',
      notes: ['Feed the rabbit', 'Paint the roses'],
    });
    expect((await site.post('/notes', 'x', bearer(reader))).status).toBe(403);
    expect((await site.get('/notes', bearer(await token({ scope: 'highvolume' })))).status).toBe(403);
  });

  test('the printed commands work', async () => {
    expect(example.output).toContain(`-d grant_type=client_credentials http://127.0.0.1:${demoPort}/oauth/token`);
  });

  test('responds with 503 while the other process is down, and recovers', async () => {
    expect(await demo.stop()).toBe(0);
    const answer = await site.get('/notes', bearer('unheard-of'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    await startDemo();
    expect((await site.get('/notes', bearer(await token()))).status).toBe(200);
  });

  test('stops on a signal', async () => {
    expect(await example.stop()).toBe(0);
  });
});
