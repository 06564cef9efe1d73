import { expect, onTestFinished, test } from 'vitest';
import { follow } from '../../examples/opentelemetry/follow.js';
import { basic, Client, oneHostEach } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';

test('the example creates a span and a duration for each request, and counts events', async () => {
  const [hostKind] = oneHostEach;
  const { onEvent: _, ...options } = fixture().options;
  const host = await hostKind?.start({ options });
  onTestFinished(() => host?.close());
  const client = new Client(host?.base ?? '');

  const spans: unknown[] = [];
  const metrics: unknown[] = [];
  const stop = follow(
    {
      startSpan: (name, { attributes }) => ({
        setAttribute: (key, value) => Object.assign(attributes, { [key]: value }),
        setStatus: () => undefined,
        end: () => spans.push([name, attributes]),
      }),
    },
    {
      createHistogram: (name) => ({ record: (value, labels) => metrics.push([name, value > 0 && value < 10, labels]) }),
      createCounter: (name) => ({ add: (value, labels) => metrics.push([name, value, labels]) }),
    },
  );
  const form = { grant_type: 'client_credentials' };
  await client.post('/oauth/token', form, { ...basic('service', 'service-secret'), 'x-request-id': 'r-1' });
  stop();
  await client.post('/oauth/token', form, basic('service', 'service-secret'));

  const labels = { 'http.route': 'token', 'http.request.method': 'POST', 'http.response.status_code': 200 };
  const own = { 'client.address': expect.any(String), 'oauth_query.request_id': 'r-1' };
  expect(spans).toEqual([['POST token', { ...labels, ...own }]]);
  expect(metrics).toEqual([
    ['oauth_query.events', 1, { type: 'token.issued', outcome: 'success' }],
    ['http.server.request.duration', true, labels],
  ]);
});
