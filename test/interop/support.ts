import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import type { ClientRegistration } from '../../src/core/oauth/clients/client.js';
import { Client, type Host, type HostOptions } from '../hosts.js';
import { listen } from '../hosts/listen.js';
import { Browser, locationOf } from '../oauth/support/browser.js';
import { DEVICE_CODE, fixture } from '../oauth/support/fixture.js';

/** Whatever form-encoding could spoil is in it. */
export const SECRET = 'a-secret_of 1+1=2: 100%/~*';

const shared = {
  redirect_uris: ['http://127.0.0.1/callback'],
  scope: 'profile content.read content.write',
  default_scope: 'profile content.read',
} as const;

const GRANT_CALLBACKS = ['http://127.0.0.1/connect/ours/callback'];

const ALL_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials', 'password'] as const;

/** Registered as a host would for the libraries of strangers; `-` in names and secrets is what Basic encoders differ in. */
export const STRANGERS = [
  { client_id: 'web-app', client_secret: SECRET, grant_types: ALL_GRANTS, ...shared },
  { client_id: 'plain-app', client_secret: 'plain-secret', grant_types: ALL_GRANTS, ...shared },
  { client_id: 'plain-implicit', grant_types: ['implicit'], ...shared },
  { client_id: 'grant-app', client_secret: SECRET, ...shared, redirect_uris: GRANT_CALLBACKS },
  { client_id: 'grant-plain', client_secret: 'plain-secret', ...shared, redirect_uris: GRANT_CALLBACKS },
  { client_id: 'grant-native', refresh: 'rotating', ...shared, redirect_uris: GRANT_CALLBACKS },
  { client_id: 'native-app', refresh: 'rotating', ...shared },
  { client_id: 'resource-server', client_secret: SECRET, grant_types: ['client_credentials'], introspect: true },
] as const satisfies readonly ClientRegistration[];

/** A server that strangers talk to. */
export interface Place {
  readonly origin: string;
  readonly base: string;
  readonly guarded: string;
  advance(seconds: number): void;
  /** Alice follows a link, signs in and decides; the client gets the address that her browser ends at. */
  decide(link: string, decision?: 'approve' | 'deny'): Promise<URL>;
  close(): Promise<void>;
}

export const startPlace = async (host: Host, more: Omit<HostOptions, 'clients'> = {}): Promise<Place> => {
  const { options, errors, advance } = fixture({
    clients: STRANGERS,
    grants: [...ALL_GRANTS, 'implicit', DEVICE_CODE],
    ...more,
  });
  const { origin, base, close } = await host.start({ options });
  return {
    origin,
    base,
    guarded: `${origin}/guarded/profile`,
    advance,
    decide: async (link, decision = 'approve') => {
      const browser = new Browser({ origin, base });
      const consent = await browser.signIn(await browser.open(link));
      return new URL(locationOf(await browser.submit(consent, { decision })));
    },
    close: async () => {
      await close();
      expect(errors).toEqual([]);
    },
  };
};

/** The owner's browser at the application of a stranger. */
export interface Application {
  readonly origin: string;
  readonly visitor: Client;
  close(): void;
}

/** Listens before the application is built, because it has to know its own address. */
export const startApplication = async (
  build: (origin: string) => RequestListener | Promise<RequestListener>,
): Promise<Application> => {
  const { server, origin, close } = await listen();
  server.on('request', await build(origin));
  return { origin, visitor: new Client(origin), close };
};
