import { featureServer } from 'oauth-query/testing';
import { expect, test } from 'vitest';
import { tickets } from './tickets.js';

const grant_type = 'urn:example:grant-type:ticket';

test('an open ticket is a token of its user, and a closed one is refused', async () => {
  const server = await featureServer({
    scopes: { 'tickets.read': 'Read your tickets' },
    features: [tickets(async (ticket) => (ticket === '17' ? 'alice' : undefined))],
  });
  const { status, json = {} } = await server.post('/oauth/token', { grant_type, ticket: '17' });
  expect(status).toBe(200);
  const { authorization } = await server.oauth.check(String(json['access_token']), { scope: 'tickets.read' });
  expect(authorization).toMatchObject({ sub: 'alice', client_id: 'web' });

  const refused = await server.post('/oauth/token', { grant_type, ticket: '18' });
  expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(server.errors).toEqual([]);
  await server.close();
});
