/** The authorization server of a Next.js application. In production, use a store that all processes share. */
import { oauthQuery } from 'oauth-query/fetch';

const create = async () =>
  oauthQuery({
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
    // Set by the proxy, which overwrites the header of clients.
    address: (request) => request.headers.get('x-real-ip') ?? '',
  });

let server: ReturnType<typeof create> | undefined;

/** Created by the first request: a build has neither the secret nor the database. After a failure, the next request tries again. */
export const oauth = async () => {
  server ??= create();
  try {
    return await server;
  } catch (error) {
    server = undefined;
    throw error;
  }
};
