import type { Timer } from '../../../src/core/base/ports.js';
import { systemTimer } from '../../../src/core/base/system.js';
import type { ClientRegistration, ClientRegistry } from '../../../src/core/oauth/clients/client.js';
import type { OAuthEvent } from '../../../src/core/oauth/events/events.js';
import { type WeakStore, weakStore } from '../../../src/testing/index.js';
import type { HostOptions } from '../../hosts.js';

export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A time at the beginning of every window of a limiter. */
export const START = Date.UTC(2026, 0, 1);

export const SCOPES = {
  profile: 'See your name',
  'content.read': 'Read your content',
  'content.write': 'Change your content',
  highvolume: { description: 'Read a lot', rights: ['apihighlimits'] },
  introspect: 'Look at tokens',
} as const;

export const USERS = [
  { username: 'alice', password: 'wonderland' },
  { username: 'bob', password: 'builder' },
  { username: 'carol', password: 'singer', sub: 'user-3' },
  { username: 'dave', password: 'diver' },
] as const;

const person = { scope: 'profile content.read content.write', default_scope: 'profile content.read' } as const;

/** One client of each kind. A test that makes one fail, or changes what belongs to it, brings its own. */
export const CLIENTS = [
  { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['https://app.example/cb'], ...person },
  { client_id: 'spa', redirect_uris: ['https://spa.example/cb'], grant_types: ['authorization_code'], ...person },
  {
    client_id: 'native',
    redirect_uris: ['http://127.0.0.1/cb'],
    grant_types: ['authorization_code', 'device_code'],
    refresh: 'rotating',
    ...person,
  },
  { client_id: 'tv', grant_types: ['device_code'], refresh: 'rotating', ...person },
  { client_id: 'box', client_secret: 'box-secret', grant_types: ['device_code', 'refresh_token'], ...person },
  { client_id: 'service', client_secret: 'service-secret', scope: 'content.read highvolume' },
  { client_id: 'api', client_secret: 'api-secret', scope: 'introspect', introspect: true },
] as const satisfies readonly ClientRegistration[];

/** A client whose refresh tokens are not rotated. */
export const KEEPER = {
  client_id: 'keeper',
  client_secret: 'keeper-secret',
  redirect_uris: ['https://keeper.example/cb'],
  refresh: 'reusable',
} as const;

export interface Fixture {
  readonly options: HostOptions;
  /** The weakest store: what is green on it relies on nothing that another store could lack. */
  readonly store: WeakStore;
  readonly events: OAuthEvent[];
  /** Errors that were not reported to clients. A test that expects some removes them; at the end there must be none. */
  readonly errors: unknown[];
  readonly clock: () => number;
  /** Moves the clock of the server and the store. */
  advance(seconds: number): void;
}

/** Waits for parts of a second. The deadlines of a request and of a function take seconds, and pass on a busy machine; none does here. */
export const shortTimer: Timer = (run, milliseconds) =>
  milliseconds < 1000 ? systemTimer(run, milliseconds) : () => undefined;

/** The deadlines of requests. They pass when a test says so. */
export class Deadlines {
  readonly #waiting = new Set<() => void>();

  readonly timer: Timer = (run, milliseconds) => {
    if (milliseconds !== 8000) return shortTimer(run, milliseconds);
    this.#waiting.add(run);
    return () => void this.#waiting.delete(run);
  };

  pass(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const run of waiting) run();
  }
}

/** Options with a clock of their own. `clients` come in addition to {@link CLIENTS}. */
export const fixture = ({
  clients = [],
  runtime,
  ...more
}: HostOptions & { readonly clients?: readonly (ClientRegistration | ClientRegistry)[] } = {}): Fixture => {
  let now = START;
  const clock = () => now;
  const store = weakStore({ clock });
  const events: OAuthEvent[] = [];
  const errors: unknown[] = [];
  return {
    store,
    events,
    errors,
    clock,
    advance: (seconds) => {
      now += seconds * 1000;
    },
    options: {
      store,
      runtime: { clock, timer: shortTimer, ...runtime },
      secret: 'a secret of the test that has 32 characters',
      clients: [...CLIENTS, ...clients],
      scopes: SCOPES,
      users: USERS,
      onEvent: (event) => events.push(event),
      onError: (error) => errors.push(error),
      onWarning: () => undefined,
      ...more,
    },
  };
};
