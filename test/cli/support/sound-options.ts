import { generateKeyPairSync } from 'node:crypto';
import { query } from '../../../src/core/query/index.js';
import { dpop } from '../../../src/features/dpop/index.js';
import { tokenExchange } from '../../../src/features/token-exchange/index.js';
import type { HostOptions } from '../../hosts.js';

/** Options of a server of which the doctor has nothing to say. */
export const soundOptions = (): HostOptions => ({
  secret: 'a secret of the test that has 32 characters',
  clients: [
    {
      client_id: 'service',
      client_secret: 'a:b%c+d e',
      grant_types: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      scope: 'profile',
    },
    { client_id: 'spa', redirect_uris: ['https://app.example/cb'], scope: 'profile' },
  ],
  scopes: { profile: 'See your name' },
  users: [{ username: 'alice', password: 'wonderland' }],
  jwt: [{ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  cors: ['*'],
  resources: { 'https://search.example': {} },
  features: [
    query(),
    dpop(),
    tokenExchange({ from: { service: { resources: ['https://search.example'], own: true } } }),
  ],
  onWarning: () => undefined,
});
