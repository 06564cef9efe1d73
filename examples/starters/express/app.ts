import express, { Router } from 'express';
import { type GuardedRouter, oauthQuery, type OAuthQueryOptions } from 'oauth-query/express';

/** What differs between production, development and tests. */
export type Settings = Pick<OAuthQueryOptions, 'issuer' | 'secret' | 'store' | 'onWarning'>;

export const createApp = (settings: Settings) => {
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

  const photos: GuardedRouter = Router();
  photos.use(oauth.guard('photos.read'));
  photos.get('/', (req, res) => {
    res.json({ photosOf: req.auth.sub });
  });

  const app = express();
  app.use(oauth); // before the routes, and after your session middleware if you have one
  app.use('/photos', photos);
  return { app, oauth };
};
