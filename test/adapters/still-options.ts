import type { Store } from 'oauth-query/store';
import type { HostOptions } from '../hosts.js';

/** The same for the process that stands still and for the one that its clients turn to. */
export const stillOptions = (store: Store): HostOptions => ({
  store,
  issuer: 'http://127.0.0.1:9',
  secret: 'a secret of the test that has 32 characters',
  clients: [{ client_id: 'app', redirect_uris: ['https://app.example/cb'], refresh: 'rotating', consent: 'skip' }],
  scopes: { read: 'Read' },
  owner: () => ({ sub: 'alice' }),
  loginUrl: '/login',
  lifetimes: { refreshGrace: 0 },
  // A request that waited is judged within this time.
  timeout: 1000,
  onError: () => undefined,
  onWarning: () => undefined,
});
