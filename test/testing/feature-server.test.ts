import { featureServer } from 'oauth-query/testing';
import { expect, test } from 'vitest';

test('tokens() gets what a browser and the client web get: the flow with PKCE, of the owner that is named', async () => {
  const server = await featureServer({ scopes: { read: 'Read' } });
  const { access_token } = await server.tokens({ scope: 'read' }, 'bob');
  const { authorization } = await server.oauth.check(String(access_token), { scope: 'read' });
  expect(authorization).toMatchObject({ sub: 'bob', client_id: 'web' });
  expect(server.errors).toEqual([]);
  await server.close();
});
