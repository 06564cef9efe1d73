import { inTime } from '../../base/deadline.js';
import { UnavailableError } from '../../base/errors.js';
import { limitWith } from '../../base/limits/source.js';
import type { MaybePromise, Timer } from '../../base/ports.js';
import { type ClientRegistry, type ClientSource, isRegistry } from '../../oauth/clients/client.js';
import { isAttachable, isOwnRegistry, type RegistryServer } from '../../oauth/clients/own-registry.js';
import type { CustomGrantRequest } from '../../oauth/custom-grant.js';
import { boundSource } from '../../oauth/keys/signing-keys.js';
import type { CheckedOptions } from './server-table.js';

/** Of the time of a request, so that the error can name the function before the request ends. */
const HOST_SHARE = 5 / 8;

/** Milliseconds that one function of the application may take. */
export const hostTimeoutOf = (timeout: number): number => Math.floor(timeout * HOST_SHARE);

type Work<Input extends readonly unknown[], Result> = (...input: Input) => MaybePromise<Result>;

/** Limits the time in which the application's functions must answer. Synchronous results are returned unchanged. */
export class HostDeadline {
  readonly #milliseconds: number;
  readonly #timer: Timer;

  constructor(milliseconds: number, timer: Timer) {
    this.#milliseconds = milliseconds;
    this.#timer = timer;
  }

  /** @param what - Names the option in the error passed to `onError`. */
  bound<Input extends readonly unknown[], Result>(what: string, work: Work<Input, Result>): Work<Input, Result> {
    const milliseconds = this.#milliseconds;
    const error = (): Error =>
      new UnavailableError(`${what} did not answer within ${milliseconds} ms, five eighths of options.timeout.`);
    return (...input) => inTime(work(...input), { milliseconds, timer: this.#timer, error });
  }
}

/** The same object, with a deadline on those of these members that are functions. @param path - The option, for errors. */
const within = <T extends object>(
  target: T,
  path: string,
  deadline: HostDeadline,
  ...names: readonly (keyof T & string)[]
): T => {
  const bound: [string, unknown][] = names.flatMap((name) => {
    const work: unknown = target[name];
    return typeof work === 'function'
      ? [
          [
            name,
            deadline.bound(`${path}.${name}`, (...input: readonly unknown[]) => Reflect.apply(work, target, input)),
          ],
        ]
      : [];
  });
  return { ...target, ...Object.fromEntries(bound) };
};

/** The package's own registries have their own deadlines. */
const boundRegistry = (registry: ClientRegistry, deadline: HostDeadline, server: RegistryServer): ClientRegistry =>
  isAttachable(registry)
    ? registry.attach(server)
    : isOwnRegistry(registry)
      ? registry
      : within(registry, 'options.clients', deadline, 'find', 'endTokens');

const boundClients = (
  clients: readonly ClientSource[] | ClientRegistry,
  deadline: HostDeadline,
  server: RegistryServer,
): readonly ClientSource[] | ClientRegistry =>
  isRegistry(clients)
    ? boundRegistry(clients, deadline, server)
    : clients.map((item) => (isRegistry(item) ? boundRegistry(item, deadline, server) : item));

const boundGrants = (grants: CheckedOptions['customGrants'], deadline: HostDeadline): CheckedOptions['customGrants'] =>
  Object.fromEntries(
    Object.entries(grants).map(([name, grant]) => {
      const handle = (request: CustomGrantRequest) => grant.handle(request);
      const what = `The handle of options.customGrants[${JSON.stringify(name)}]`;
      return [name, { ...grant, handle: deadline.bound(what, handle) }];
    }),
  );

/** The longest life of a grant is fixed when it is issued: until its refresh tokens expire, or a single access token. */
const registryServerOf = (
  { store, runtime, issuer, scopes, lifetimes, sharedAddresses, onError }: CheckedOptions,
  deadline: HostDeadline,
): RegistryServer => {
  const { authorizationCode, deviceCode, accessToken, refreshTokenAbsolute } = lifetimes;
  return {
    issuer,
    store,
    clock: runtime.clock,
    timer: runtime.timer,
    limitAt: limitWith(sharedAddresses),
    scopes: Object.keys(scopes),
    longestGrant: Math.max(refreshTokenAbsolute, Math.max(authorizationCode, deviceCode) + accessToken),
    bound: (name, work) => deadline.bound(name, work),
    onError: onError ?? (() => undefined),
  };
};

/**
 * Adds a deadline to every function of the application that a request waits for. A function that exceeds it
 * causes an {@link UnavailableError} that names the option.
 */
export const withDeadlines = (options: CheckedOptions): CheckedOptions => {
  const deadline = new HostDeadline(hostTimeoutOf(options.timeout), options.runtime.timer);
  const { customGrants, users, clients, jwt, registration } = options;
  return {
    ...within(options, 'options', deadline, 'owner', 'loginUrl', 'validateGrant'),
    customGrants: boundGrants(customGrants, deadline),
    ...(registration && { registration: within(registration, 'options.registration', deadline, 'isDenied') }),
    ...(users &&
      'authenticate' in users && { users: within(users, 'options.users', deadline, 'authenticate', 'isActive') }),
    ...(clients && { clients: boundClients(clients, deadline, registryServerOf(options, deadline)) }),
    ...(jwt !== undefined &&
      jwt !== true && {
        jwt: boundSource(jwt, 'options.jwt', (name, work) => deadline.bound(name, work)),
      }),
  };
};
