/** A command-line program that signs its user in through the browser, with openid-client 6. docs/clients.md has its registration. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';

const issuer = new URL('http://127.0.0.1:3000');
const config = await client.discovery(issuer, 'cli', undefined, client.None(), {
  algorithm: 'oauth2', // RFC 8414, without OpenID Connect
  execute: [client.allowInsecureRequests], // Only for an issuer on loopback without https: omit it otherwise.
});

const listener = createServer().listen(0, '127.0.0.1');
await once(listener, 'listening');
const redirect_uri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
const pkceCodeVerifier = client.randomPKCECodeVerifier();
const expectedState = client.randomState();
const link = client.buildAuthorizationUrl(config, {
  redirect_uri,
  scope: 'photos.read',
  state: expectedState,
  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
});
console.log(`Open in a browser: ${link.href}`);

const [request, response] = (await once(listener, 'request')) as [IncomingMessage, ServerResponse];
response.setHeader('connection', 'close').end('You can close this window.');
listener.close();
const callback = new URL(request.url ?? '', redirect_uri);
const tokens = await client.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });

const photos = await client.fetchProtectedResource(config, tokens.access_token, new URL('/photos', issuer), 'GET');
console.log('Photos:', await photos.text());

const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
console.log('Refreshed, for', refreshed.scope);
await client.tokenRevocation(config, refreshed.refresh_token ?? ''); // Ends the grant with all of its tokens.
console.log('Revoked');
