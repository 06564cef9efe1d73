import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from './app.js';

await test('photos are for clients that a user allowed to see them', async () => {
  const warnings: string[] = [];
  const { app, oauth } = await createApp({
    issuer: 'http://127.0.0.1:3000',
    secret: 'a secret that only this test knows',
    onWarning: (sentence) => warnings.push(sentence),
  });
  const photos = (token: string) =>
    app.inject({ url: '/photos', headers: { authorization: `Bearer ${token}`, host: '127.0.0.1:3000' } });

  const { access_token } = await oauth.issue({ sub: 'alice', client_id: 'album', scope: 'photos.read' });
  assert.deepEqual((await photos(access_token)).json(), { photosOf: 'alice' });
  assert.equal((await photos('not a token')).statusCode, 401);
  assert.deepEqual(warnings, []);
  await app.close();
});
