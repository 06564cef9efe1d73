import fastify from 'fastify';
import { type GuardedRoute, oauthQuery, type OAuthQueryOptions } from 'oauth-query/fastify';

/** What differs between production, development and tests. */
export type Settings = Pick<OAuthQueryOptions, 'issuer' | 'secret' | 'store' | 'onWarning'>;

export const createApp = async (settings: Settings) => {
  const oauth = oauthQuery({
    ...settings,
    scopes: { 'photos.read': 'See your photos' },
    clients: [
      // A web or mobile application of somebody else: its users sign in here, and allow it to see their photos.
      {
        client_id: 'album',
        client_name: 'Album',
        redirect_uris: ['http://127.0.0.1:8080/callback'],
        refresh: 'rotating',
      },
    ],
    // The built-in sign-in. If your application has one, replace this line by owner and loginUrl.
    users: [{ username: 'alice', password: 'wonderland' }],
  });

  const app = fastify();
  await app.register(oauth); // after your session plugin if you have one
  await app.register(
    async (photos) => {
      photos.addHook('preHandler', oauth.guard('photos.read'));
      photos.get<GuardedRoute>('/', async (request) => ({ photosOf: request.auth.sub }));
    },
    { prefix: '/photos' },
  );
  return { app, oauth };
};
