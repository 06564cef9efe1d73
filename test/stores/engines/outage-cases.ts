import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { oauthQuery } from 'oauth-query/express';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Clock, Store } from '../../../src/core/base/ports.js';
import type { Daemon } from './daemon.js';
import { basic } from './oauth-processes.js';

/** Longer than any answer may take: a store's timeout, which is much shorter here, and a busy machine. */
const BOUND_MS = 4_000;

/** A server over a store that tests put in trouble, and what its clients see of it. */
export interface Outage {
  token(): Promise<Response>;
  introspect(token: string): Promise<Response>;
  guarded(token: string): Promise<Response>;
  /** A token, asked for until there is one: the store may be on its way back. */
  tokenAtLast(): Promise<string>;
}

/** Starts a server for a suite. */
export function serverOn(store: () => Store, clock: Clock = Date.now): Outage {
  let base: string;
  const server = createServer();
  beforeAll(async () => {
    const app = express();
    const oauth = oauthQuery({
      store: store(),
      runtime: { clock },
      issuer: 'http://127.0.0.1:9',
      clients: [
        { client_id: 'service', client_secret: 'service-secret' },
        { client_id: 'api', client_secret: 'api-secret', introspect: true },
      ],
      scopes: { read: 'Read' },
      onError: () => undefined,
      onWarning: () => undefined,
    });
    app.use(oauth);
    app.get('/guarded', oauth.guard('read'), (_request, response) => void response.json({ ok: true }));
    server.on('request', app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Every answer comes in time, whatever the store does. */
  async function inTime(path: string, init: RequestInit): Promise<Response> {
    const start = performance.now();
    const response = await fetch(base + path, init);
    expect(performance.now() - start).toBeLessThan(BOUND_MS);
    return response;
  }
  const post = (path: string, client: string, form: Record<string, string>): Promise<Response> =>
    inTime(path, { method: 'POST', headers: basic(client), body: new URLSearchParams(form) });

  const outage: Outage = {
    token: () => post('/oauth/token', 'service', { grant_type: 'client_credentials' }),
    introspect: (token) => post('/oauth/introspect', 'api', { token }),
    guarded: (token) => inTime('/guarded', { headers: { authorization: `Bearer ${token}` } }),
    tokenAtLast: () =>
      vi.waitFor(
        async () => {
          const response = await outage.token();
          const { access_token } = Object(await response.json());
          expect(response.status).toBe(200);
          return String(access_token);
        },
        { timeout: 10_000, interval: 20 },
      ),
  };
  return outage;
}

export async function expect503(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
}

/** Every endpoint that needs the store responds with 503, and the guard accepts no token. */
async function expectOutage(outage: Outage, token: string): Promise<void> {
  await expect503(await outage.token());
  await expect503(await outage.introspect(token));
  await expect503(await outage.guarded(token));
}

async function expectService(outage: Outage): Promise<string> {
  const token = await outage.tokenAtLast();
  expect(await (await outage.introspect(token)).json()).toMatchObject({ active: true });
  expect((await outage.guarded(token)).status).toBe(200);
  return token;
}

/** What clients see when the server behind the store is stopped or paused, also in the middle of a load. */
export function testOutages(daemon: () => Daemon, outage: Outage): void {
  test('stopped: 503 with Retry-After, and the guard rejects all requests; started again: it works without intervention', async () => {
    const token = await expectService(outage);
    await daemon().kill();
    await expectOutage(outage, token);
    await daemon().start();
    await expectService(outage);
  });

  test('paused: 503 with Retry-After, and the guard rejects all requests; resumed: it works without intervention', async () => {
    const token = await expectService(outage);
    daemon().pause();
    try {
      await expectOutage(outage, token);
    } finally {
      daemon().resume();
    }
    await expectService(outage);
    expect((await outage.guarded(token)).status, 'the token has lived through it').toBe(200);
  });

  test('under load: every response is 200 or 503, and an invalid token is never accepted', async () => {
    const token = await expectService(outage);
    const stranger = 'x'.repeat(43);
    const seen = new Set<number>();
    let over = false;
    const client = async (): Promise<void> => {
      while (!over) {
        seen.add((await outage.token()).status);
        const { status } = await outage.guarded(token);
        seen.add(status === 401 ? 200 : status); // a store that has forgotten everything is no outage
        expect([401, 503]).toContain((await outage.guarded(stranger)).status);
      }
    };
    const load = Promise.all(Array.from({ length: 10 }, client));
    try {
      for (const [stop, start] of [
        [() => daemon().kill(), () => daemon().start()],
        [async () => daemon().pause(), async () => daemon().resume()],
      ] as const) {
        await stop();
        await vi.waitFor(async () => expect((await outage.token()).status).toBe(503), { timeout: 5_000, interval: 20 });
        await start();
        await expectService(outage);
      }
    } finally {
      over = true;
      await load;
    }
    expect(seen).toEqual(new Set([200, 503]));
  });
}
