import { type Bound, inTime } from '../../base/deadline.js';
import { UnavailableError } from '../../base/errors.js';
import { type ClientRegistry, type ClientSource, isRegistry, untilRedeemed } from '../../oauth/clients/client.js';
import { isAttachable, isOwnRegistry, type RegistryServer } from '../../oauth/clients/own-registry.js';
import type { CustomGrant, CustomGrantRequest } from '../../oauth/kernel/custom-grant.js';
import { boundSource } from '../../oauth/keys/signing-keys.js';
import { checkSelfDescribedScopes } from './resources.js';
import type { CheckedOptions } from './server-table.js';

/** Of the time of a request, so that the error can name the function before the request ends. */
const HOST_SHARE = 5 / 8;

/** Limits the time in which a function of the application must answer. A synchronous result is returned unchanged. */
export const hostDeadline = ({ timeout, runtime: { timer } }: CheckedOptions): Bound => {
  const milliseconds = Math.floor(timeout * HOST_SHARE);
  return (name, work) => {
    const error = (): Error =>
      new UnavailableError(`${name} did not answer within ${milliseconds} ms, five eighths of options.timeout.`);
    return (...input) => inTime(work(...input), { milliseconds, timer, error });
  };
};

/** The same object, with a deadline on those of these members that are functions. @param path - The option, for errors. */
const within = <T extends object>(
  target: T,
  path: string,
  bound: Bound,
  ...names: readonly (keyof T & string)[]
): T => {
  const functions = names.flatMap((name) => {
    const work: unknown = target[name];
    if (typeof work !== 'function') return [];
    return [[name, bound(`${path}.${name}`, (...input: readonly unknown[]) => Reflect.apply(work, target, input))]];
  });
  return { ...target, ...Object.fromEntries(functions) };
};

/** The package's own registries have their own deadlines. */
const boundRegistry = (registry: ClientRegistry, bound: Bound, server: RegistryServer): ClientRegistry =>
  isAttachable(registry)
    ? registry.attach(server)
    : isOwnRegistry(registry)
      ? registry
      : within(registry, 'options.clients', bound, 'find', 'findAgain', 'endTokens');

const boundClients = (
  clients: readonly ClientSource[] | ClientRegistry,
  bound: Bound,
  server: RegistryServer,
): readonly ClientSource[] | ClientRegistry =>
  isRegistry(clients)
    ? boundRegistry(clients, bound, server)
    : clients.map((item) => (isRegistry(item) ? boundRegistry(item, bound, server) : item));

/** The same grant, with a deadline on its function. */
export const boundGrant = (name: string, grant: CustomGrant, bound: Bound): CustomGrant => {
  const handle = (request: CustomGrantRequest) => grant.handle(request);
  return { ...grant, handle: bound(`The handle of the grant ${JSON.stringify(name)}`, handle) };
};

/** The longest life of a grant is fixed when it is issued: until its refresh tokens expire, or a single access token. */
const registryServerOf = (
  { store, runtime, issuer, scopes, lifetimes, sharedAddresses, features, onError }: CheckedOptions,
  bound: Bound,
): RegistryServer => {
  const { accessToken, refreshTokenAbsolute } = lifetimes;
  return {
    issuer,
    store,
    clock: runtime.clock,
    timer: runtime.timer,
    limitAt: sharedAddresses,
    checkScopes: (given, at) => checkSelfDescribedScopes(given, scopes, at),
    documentGrants: features.flatMap((one) => (one.allowsDocuments === true ? (one.grantTypes ?? []) : [])),
    longestGrant: Math.max(refreshTokenAbsolute, untilRedeemed(lifetimes) + accessToken),
    bound,
    onError: onError ?? (() => undefined),
  };
};

/**
 * Adds a deadline to every function of the application that a request waits for. A function that exceeds it
 * causes an {@link UnavailableError} that names the option.
 */
export const withDeadlines = (options: CheckedOptions): CheckedOptions => {
  const bound = hostDeadline(options);
  const { users, clients, jwt } = options;
  return {
    ...within(options, 'options', bound, 'owner', 'loginUrl', 'validateGrant'),
    ...(users &&
      'authenticate' in users && { users: within(users, 'options.users', bound, 'authenticate', 'isActive') }),
    ...(clients && { clients: boundClients(clients, bound, registryServerOf(options, bound)) }),
    ...(jwt !== undefined && jwt !== true && { jwt: boundSource(jwt, 'options.jwt', bound) }),
  };
};
