/** The authorization server of a Next.js application. A real one gives a store that all its processes share. */
import { oauthQuery } from 'oauth-query/fetch';

export const oauth = oauthQuery({
  issuer: process.env['ISSUER'] ?? 'http://127.0.0.1:3000',
  secret: 'a secret, for the forms of the consent page',
  clients: [
    {
      client_id: 'printer',
      client_secret: 'printer-secret',
      client_name: 'Photo Printer',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  scopes: { 'photos.read': 'See your photos' },
  users: [{ username: 'alice', password: 'wonderland' }],
  // Of the proxy in front, which replaces what clients write there.
  address: (request) => request.headers.get('x-real-ip') ?? '',
});
