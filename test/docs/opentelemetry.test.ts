import { expect, onTestFinished, test } from 'vitest';
import { observe } from '../../examples/telemetry/opentelemetry.js';
import { basic, Client, oneHostEach } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';

test('examples/telemetry/opentelemetry.ts creates a span and a duration for each request, and counts events', async () => {
  const spans: unknown[] = [];
  const metrics: unknown[] = [];
  const statuses: unknown[] = [];
  observe(
    {
      startSpan: (name: string, { attributes }: { attributes: object }) => ({
        setAttribute: (key: string, value: unknown) => Object.assign(attributes, { [key]: value }),
        setStatus: (status: unknown) => statuses.push(status),
        end: () => spans.push([name, attributes]),
      }),
    },
    {
      createHistogram: (name: string) => ({
        record: (value: number, labels: unknown) => metrics.push([name, value > 0 && value < 10, labels]),
      }),
      createCounter: (name: string) => ({
        add: (value: number, labels: unknown) => metrics.push([name, value, labels]),
      }),
    },
  );

  const { onEvent: _, store, ...options } = fixture().options;
  if (store === undefined) throw new Error('no store');
  const isBroken = { now: false };
  const host = await oneHostEach[0].start({
    options: {
      ...options,
      onError: () => undefined,
      store: {
        ...store,
        add: async (...args) => {
          if (isBroken.now) throw new Error('broken');
          return store.add(...args);
        },
      },
    },
  });
  onTestFinished(() => host?.close());
  const client = new Client(host?.base ?? '');
  const form = { grant_type: 'client_credentials' };
  await client.post('/oauth/token', form, { ...basic('service', 'service-secret'), 'x-request-id': 'r-1' });

  const route = { 'http.route': 'token' };
  const method = { 'http.request.method': 'POST' };
  const status = { 'http.response.status_code': 200 };
  const own = { 'client.address': expect.any(String), 'oauth_query.request_id': 'r-1' };
  expect(spans).toEqual([['POST token', { ...route, ...method, ...status, ...own }]]);
  expect(metrics).toEqual([
    ['oauth_query.events', 1, { type: 'token.issued', outcome: 'success' }],
    ['http.server.request.duration', true, { ...route, ...method, ...status }],
  ]);
  expect(statuses).toEqual([]);
  isBroken.now = true;
  await client.post('/oauth/token', form, basic('service', 'service-secret'));
  expect(statuses).toEqual([{ code: 2 }]);
});
