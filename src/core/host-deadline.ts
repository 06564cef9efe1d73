import { UnavailableError } from './errors.js';
import type { ClientRegistry } from './oauth/client.js';
import type { ExternalKey, SigningKey } from './oauth/jwt/signing-keys.js';
import type { UserDirectory } from './oauth/users.js';
import { LIMITS } from './option-checks.js';
import type { AccessTokenOptions, ServerOptions } from './options.js';
import type { MaybePromise } from './ports.js';

type Work<Input extends readonly unknown[], Result> = (...input: Input) => MaybePromise<Result>;

/** Gives the functions of a host a time in which they have to answer. What they answer at once is not touched. */
class HostDeadline {
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** @param what - The option, for the sentence that `onError` gets when nothing came. */
  bound<Input extends readonly unknown[], Result>(what: string, work: Work<Input, Result>): Work<Input, Result> {
    return (...input) => {
      const answer = work(...input);
      return answer instanceof Promise ? this.#within(what, answer) : answer;
    };
  }

  #within<Result>(what: string, answer: Promise<Result>): Promise<Result> {
    const milliseconds = this.#milliseconds;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new UnavailableError(`${what} gave no answer within ${milliseconds} ms (options.limits.hostTimeout).`));
      }, milliseconds);
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

const isExternal = (key: unknown): key is ExternalKey =>
  typeof key === 'object' && key !== null && 'sign' in key && typeof key.sign === 'function';

const boundKeys = (keys: readonly SigningKey[], deadline: HostDeadline): readonly SigningKey[] => {
  if (!Array.isArray(keys)) return keys; // Whoever checks the options says so.
  return keys.map((signingKey: SigningKey) => {
    const key: unknown = signingKey?.key;
    if (!isExternal(key)) return signingKey;
    const sign = deadline.bound('The sign of a key of options.accessTokens', (data: Uint8Array) => key.sign(data));
    return { ...signingKey, key: { publicKey: key.publicKey, sign } };
  });
};

const boundAccessTokens = (options: AccessTokenOptions, deadline: HostDeadline): AccessTokenOptions => {
  if (options.format !== 'jwt' || options.keys === undefined) return options;
  const { keys } = options;
  if (typeof keys !== 'function') return { ...options, keys: boundKeys(keys, deadline) };
  const ask = deadline.bound('options.accessTokens.keys', keys);
  return { ...options, keys: async () => boundKeys(await ask(), deadline) };
};

const isDirectory = (users: ServerOptions['users']): users is UserDirectory =>
  typeof users === 'object' && users !== null && 'authenticate' in users && typeof users.authenticate === 'function';

const isRegistry = (clients: ServerOptions['clients']): clients is ClientRegistry =>
  typeof clients === 'object' &&
  clients !== null &&
  !Array.isArray(clients) &&
  'find' in clients &&
  typeof clients.find === 'function';

const boundUsers = (users: UserDirectory, deadline: HostDeadline): UserDirectory => {
  const authenticate = deadline.bound('options.users.authenticate', (username: string, password: string) =>
    users.authenticate(username, password),
  );
  if (typeof users.isActive !== 'function') return { ...users, authenticate };
  const isActive = (sub: string): MaybePromise<boolean> => users.isActive?.(sub) ?? true;
  return { authenticate, isActive: deadline.bound('options.users.isActive', isActive) };
};

/**
 * The same options, but none of the functions that a request has to wait for can hold it for ever: who does not answer
 * in time is an {@link UnavailableError} that names the option.
 */
export const withDeadlines = (options: ServerOptions): ServerOptions => {
  const deadline = new HostDeadline(options.limits?.hostTimeout ?? LIMITS.hostTimeout[0]);
  const { owner, validateGrant, rights, users, clients, accessTokens } = options;
  // What is not of the right kind stays as it is: whoever checks the options says so.
  return {
    ...options,
    ...(typeof owner === 'function' && { owner: deadline.bound('options.owner', owner) }),
    ...(typeof validateGrant === 'function' && {
      validateGrant: deadline.bound('options.validateGrant', validateGrant),
    }),
    ...(typeof rights === 'function' && { rights: deadline.bound('options.rights', rights) }),
    ...(isDirectory(users) && { users: boundUsers(users, deadline) }),
    ...(isRegistry(clients) && {
      clients: { find: deadline.bound('options.clients.find', (id: string) => clients.find(id)) },
    }),
    ...(typeof accessTokens === 'object' &&
      accessTokens !== null && { accessTokens: boundAccessTokens(accessTokens, deadline) }),
  };
};
