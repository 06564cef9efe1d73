import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createApp } from './app.js';

await test('photos are for clients that a user allowed to see them', async () => {
  const warnings: string[] = [];
  const { app, oauth } = createApp({
    issuer: 'http://127.0.0.1:3000',
    secret: 'a secret that only this test knows',
    onWarning: (sentence) => warnings.push(sentence),
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const photos = (token: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/photos`, {
      headers: { authorization: `Bearer ${token}` },
    });

  const { access_token } = await oauth.issue({ sub: 'alice', client_id: 'album', scope: 'photos.read' });
  assert.deepEqual(await (await photos(access_token)).json(), { photosOf: 'alice' });
  assert.equal((await photos('not a token')).status, 401);
  assert.deepEqual(warnings, []);
  server.close();
});
