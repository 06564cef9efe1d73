import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, Client } from '../hosts.js';
import { freePort } from '../stores/engines/daemon.js';
import { type Example, startExample } from './process.js';

describe('examples/token-exchange', () => {
  let server: Example;
  let services: Example;
  let [ISSUER, NOTES, SEARCH] = ['', '', ''];
  let token = '';
  beforeAll(async () => {
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    [ISSUER = '', NOTES = '', SEARCH = ''] = ports.map((port) => `http://127.0.0.1:${port}`);
    server = await startExample('token-exchange/main.ts', [], { PORT: String(ports[0]), NOTES, SEARCH });
    services = await startExample('token-exchange/services.ts', [], { ISSUER, NOTES, SEARCH });
    const printed = await server.until(/TOKEN=(\S+)/);
    token = printed[1] ?? '';
    await Promise.all([NOTES, SEARCH].map((url) => services.until(new RegExp(`Listening on ${url}`))));
  });
  afterAll(() => Promise.all([server.stop(), services.stop()]));

  test('the printed command: one service asks another for the user, with a narrower token of its own', async () => {
    expect(server.output).toContain(`curl -H "Authorization: Bearer $TOKEN" ${NOTES}/related`);
    const { status, json } = await new Client(NOTES).get('/related', bearer(token));
    expect([status, json]).toEqual([
      200,
      { found: ['Feed the rabbit'], for: 'alice', by: 'notes', scope: 'notes.read' },
    ]);
  });

  test('the token of the user is worth nothing at the other service', async () => {
    expect((await new Client(SEARCH).get('/find', bearer(token))).status).toBe(401);
    expect((await new Client(NOTES).get('/related')).status).toBe(401);
  });

  test('once the user ends it, the token of the user is worth nothing', async () => {
    expect((await new Client(ISSUER).post('/end', {})).status).toBe(204);
    expect((await new Client(NOTES).get('/related', bearer(token))).status).toBe(401);
  });
});
