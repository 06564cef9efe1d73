import { assertions } from 'oauth-query/assertions';
import { featureServer } from 'oauth-query/testing';
import { expect, test } from 'vitest';
import { JWT_BEARER, Signer } from './support.js';

test('an assertion of a trusted issuer is an access token of its owner, once', async () => {
  const partner = await Signer.make('https://partner.example');
  const asked: unknown[] = [];
  const server = await featureServer({
    scopes: { read: 'Read', write: 'Write' },
    features: [
      assertions({
        issuers: [
          partner.entry({
            owner: (claims, context) => {
              asked.push([claims.sub, context]);
              return { sub: 'alice' };
            },
          }),
        ],
      }),
    ],
  });
  const assertion = await partner.sign(partner.claims(server.issuer));
  const first = await server.post('/oauth/token', { grant_type: JWT_BEARER, assertion, scope: 'read' });
  expect(first).toMatchObject({ status: 200, json: { scope: 'read', token_type: 'Bearer', expires_in: 900 } });
  expect(first.json).not.toHaveProperty('refresh_token');
  expect(asked).toEqual([['17', { issuer: partner.issuer, client_id: 'web' }]]);
  const again = await server.post('/oauth/token', { grant_type: JWT_BEARER, assertion, scope: 'read' });
  expect(again).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  const { authorization } = await server.oauth.check(String(first.json?.['access_token']), { scope: 'read' });
  expect(authorization).toMatchObject({ sub: 'alice', client_id: 'web' });
  const { grants } = await server.oauth.grants.list({ issuer: partner.issuer });
  expect(grants).toMatchObject([{ sub: 'alice', issuer: partner.issuer, grant_type: JWT_BEARER, silent: true }]);
  expect(await server.oauth.grants.revoke({ issuer: partner.issuer })).toBe(1);
  const checked = await server.oauth.check(String(first.json?.['access_token']), { scope: 'read' });
  expect(checked.authorization).toBeUndefined();
  expect(server.errors).toEqual([]);
  await server.close();
});
