import type { MaybePromise } from '../ports.js';
import { equalSecrets, sha256 } from '../secrets.js';
import { hashMatches, isHash } from './client-secret.js';
import { CLIENT_SUBJECT, type Owner } from './tokens.js';

/** A user of the built-in sign-in page. */
export interface User {
  /** What is typed on the sign-in page; unique among the users. */
  readonly username: string;
  /** The password, or what `hashClientSecret` made of it. */
  readonly password:
    | string
    | {
        /** What `hashClientSecret` made of the password. */
        readonly scrypt: string;
      };
  /** The user name if absent. */
  readonly sub?: string;
}

/** Users that the host keeps itself. */
export interface UserDirectory {
  /** The owner with this name and password, or nothing. Takes about as long for an unknown name as for a wrong password. */
  authenticate(username: string, password: string): MaybePromise<Owner | undefined | null | false>;
  /** Whether this owner may still sign in and use what they granted. `true` if absent. */
  isActive?(sub: string): MaybePromise<boolean>;
}

/** A list of users as a directory. */
export const directoryOf = (users: readonly User[]): Required<UserDirectory> => {
  const byName = new Map(users.map((user) => [user.username, user]));
  const subjects = new Set(users.map((user) => user.sub ?? user.username));
  // An unknown name is compared with somebody's password too, so that it takes as long as a wrong one.
  const anybody = users.find(({ password }) => typeof password === 'object') ?? users[0];
  return {
    authenticate: async (username, password) => {
      const user = byName.get(username);
      const expected = (user ?? anybody)?.password ?? '';
      const matches =
        typeof expected === 'string'
          ? equalSecrets(sha256(password), sha256(expected))
          : await hashMatches(password, expected.scrypt);
      return user !== undefined && matches ? { sub: user.sub ?? user.username, username } : undefined;
    },
    isActive: (sub) => subjects.has(sub),
  };
};

const fail = (problem: string): never => {
  throw new TypeError(`options.users: ${problem}.`);
};

const isPassword = (password: unknown): boolean =>
  typeof password === 'object' && password !== null && 'scrypt' in password
    ? typeof password.scrypt === 'string' && isHash(password.scrypt)
    : typeof password === 'string' && password !== '';

/** @throws TypeError with a sentence that names the user and the remedy. */
export const checkUsers = (users: readonly User[]): void => {
  const names = new Set<string>();
  for (const user of users) {
    const name: unknown = user?.username;
    if (typeof name !== 'string' || name === '') return fail('every user needs a username');
    const quoted = JSON.stringify(name);
    if (!isPassword(user.password))
      fail(`${quoted} needs a password, as text or as { scrypt } with what hashClientSecret made of it`);
    const sub: unknown = user.sub ?? name;
    if (typeof sub !== 'string' || sub === '') fail(`the sub of ${quoted} must be text, or left out for the user name`);
    if (String(sub).startsWith(CLIENT_SUBJECT)) {
      fail(`the sub of ${quoted} must not begin with ${CLIENT_SUBJECT}; that is how tokens of clients are named`);
    }
    if (names.has(name)) fail(`${quoted} is there twice`);
    names.add(name);
  }
};
