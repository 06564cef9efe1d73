import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/express/index.js';
import { oauthQuery as forFastify } from '../../../src/adapters/fastify/index.js';
import { clientDocuments } from '../../../src/clients/index.js';
import type { OAuthEvent } from '../../../src/core/oauth/events/events.js';
import { query } from '../../../src/core/query/index.js';
import type { RequestTrace } from '../../../src/core/server/observer.js';
import { pushedRequests } from '../../../src/features/par/index.js';
import { basic, bearer, Client, hostFor } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { Browser } from '../support/browser.js';
import { fixture } from '../support/fixture.js';

const OWN = { grant_type: 'client_credentials' };
const SERVICE = basic('service', 'service-secret');

/** What a channel publishes while a test runs. */
const published = <T>(name: string): T[] => {
  const messages: T[] = [];
  const listener = (message: unknown): void => void messages.push({ ...(message as T) }); // As the channel is documented.
  subscribe(name, listener);
  onTestFinished(() => void unsubscribe(name, listener));
  return messages;
};

describe.each(hostFor(import.meta.url))('$name', ({ start }) => {
  const running = async (more: Parameters<typeof fixture>[0] = {}) => {
    const given = fixture(more);
    const host = await start({ options: given.options });
    onTestFinished(() => host.close());
    return { ...given, host, client: new Client(host.base) };
  };

  test('every event has its time, its request and its outcome', async () => {
    const { client, clock, events, advance } = await running();
    await client.post('/oauth/token', OWN, { ...SERVICE, 'x-request-id': 'proxy-1' });
    advance(5);
    await client.post('/oauth/token', OWN, basic('service', 'wrong'));
    const ip = expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/);
    expect(events).toMatchObject([
      { type: 'token.issued', outcome: 'success', time: clock() - 5000, ip },
      { type: 'client.authentication_failed', outcome: 'failure', time: clock(), ip },
      { type: 'token.refused', outcome: 'failure', time: clock(), ip },
    ]);
    const [issued, failed, refused] = events.map(({ request_id }) => request_id);
    expect([issued === failed, failed === refused]).toEqual([false, true]);
  });

  test('no text of an event can break a line, control a terminal or hide', async () => {
    const hidden = '\n\u001b[2J\u009b2J\u2028\u202e\u200b\u{e0041}';
    const documents = clientDocuments({
      trust: 'any',
      fetch: () => {
        throw new Error(`no${hidden}document`);
      },
    });
    const { options, events } = fixture({ clients: [documents] });
    const app = express().set('trust proxy', true).use(oauthQuery(options));
    const client = new Client((await listen(app)).origin);
    const client_id = 'https://app.example/client';
    await client.get(`/oauth/authorize?response_type=code&client_id=${encodeURIComponent(client_id)}`, {
      'x-forwarded-for': '192.0.2.1\u009b2J',
    });
    expect(events.map(({ type }) => type)).toEqual(['client.document_failed', 'authorization.refused']);
    expect(events[0]).toMatchObject({
      message: String.raw`${client_id} cannot be used: no\u000a\u001b[2J\u009b2J\u2028\u202e\u200b\udb40\udc41document`,
      ip: String.raw`192.0.2.1\u009b2J`,
    });
    expect(JSON.stringify(events)).not.toMatch(/[^\x20-\x7e]/);
  });

  test('events of simultaneous requests name their own request', async () => {
    const { client, events } = await running();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.post('/oauth/token', { ...OWN, scope: `no-${n}` }, { ...SERVICE, 'x-request-id': `id-${n}` }),
      ),
    );
    expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(20);
  });

  test("events of the application's own calls have a time, and no address", async () => {
    const { host, events, clock } = await running();
    await host.grants.revoke('no-such-grant');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'grant.revoked', outcome: 'success', time: clock() });
    expect(Object.keys(events[0] ?? {})).not.toEqual(expect.arrayContaining(['ip']));
    expect(Object.keys(events[0] ?? {})).not.toEqual(expect.arrayContaining(['request_id']));
  });

  test('the channel oauth-query:event has every event, also without onEvent', async () => {
    const { onEvent: _, ...options } = fixture().options;
    const host = await start({ options });
    onTestFinished(() => host.close());
    const client = new Client(host.base);
    const events = published<OAuthEvent>('oauth-query:event');
    await client.post('/oauth/token', OWN, SERVICE);
    await host.grants.revoke('no-such-grant');
    const page = await new Browser(host).authorize({ response_type: 'code', client_id: 'nobody' });
    // Suites share the process, and a logout token of another one may fail late.
    const own = events.filter(({ type }) => type !== 'logout.failed');
    expect(own.map(({ type, outcome }) => [type, outcome])).toEqual([
      ['token.issued', 'success'],
      ['grant.revoked', 'success'],
      ['authorization.refused', 'failure'],
    ]);
    expect(page.text).toContain('Reference: ');
  });

  test('the channels oauth-query:request trace a request: its route, status and duration', async () => {
    const { host, client, events } = await running({ features: [query(), pushedRequests()] });
    const { json } = await client.post('/oauth/token', OWN, SERVICE);
    const starts = published<RequestTrace>('oauth-query:request:start');
    const ends = published<RequestTrace>('oauth-query:request:end');
    events.length = 0;
    await client.post('/oauth/token', OWN, basic('service', 'wrong'));
    await client.get('/oauth/authorize');
    await client.get('/.well-known/openid-configuration');
    await client.get('/api?action=query&format=json');
    await client.get('/oauth/par');
    await new Client(host.origin).get('/guarded/profile', bearer(String(json['access_token'])));
    expect(ends.map(({ route, method, status }) => [route, method, status])).toEqual([
      ['token', 'POST', 401],
      ['authorize', 'GET', 400],
      ['metadata', 'GET', 200],
      ['/api', 'GET', 200],
      ['/oauth/par', 'GET', 405],
      ['guard', 'GET', 403],
    ]);
    for (const [at, { duration, status: _, ...trace }] of ends.entries()) {
      expect(duration).toBeGreaterThan(0);
      expect(starts[at]).toEqual(trace);
    }
    expect(events.map(({ request_id }) => request_id)).toEqual([0, 0, 1].map((at) => ends[at]?.request_id));
  });
});

describe('the id of a request', () => {
  const idOf = async (
    listener: (onEvent: (event: OAuthEvent) => void) => RequestListener | Promise<RequestListener>,
  ) => {
    const ids: unknown[] = [];
    const base = (await listen(await listener(({ request_id }) => ids.push(request_id)))).origin;
    const client = new Client(base);
    return async (header?: string): Promise<unknown> => {
      ids.length = 0;
      const more = header === undefined ? {} : { 'x-request-id': header };
      await client.post('/oauth/token', OWN, { ...SERVICE, ...more });
      return ids[0];
    };
  };
  const { onEvent: _, ...options } = fixture().options;

  test('is the value from a proxy if it is valid, otherwise generated', async () => {
    const ask = await idOf((onEvent) => express().use(oauthQuery({ ...options, onEvent })));
    expect(await ask('f1c2-77')).toBe('f1c2-77');
    const own = /^[\w-]{16}$/;
    expect(await ask()).toMatch(own);
    for (const wrong of ['', 'two words', 'x'.repeat(201), 'caf\u00e9']) expect(await ask(wrong)).toMatch(own);
    expect(await ask()).not.toBe(await ask());
  });

  test('is preferably the one that a logger for Express or Koa has set on the request', async () => {
    const ask = await idOf((onEvent) =>
      express()
        .use((req, _res, next) => {
          Object.assign(req, { id: 7 });
          next();
        })
        .use(oauthQuery({ ...options, onEvent })),
    );
    expect(await ask('f1c2-77')).toBe('7');
  });

  test('is that of Fastify', async () => {
    const ask = await idOf(async (onEvent) => {
      const app = fastify({ genReqId: () => 'fastify-1' });
      app.register(forFastify({ ...options, onEvent }));
      await app.ready();
      return app.routing;
    });
    expect(await ask('f1c2-77')).toBe('fastify-1');
  });
});
