import { defined } from '../../base/defined.js';
import type { HttpRequest } from '../../base/http/messages.js';
import type { LimitAt } from '../../base/limits/source.js';
import type { MaybePromise } from '../../base/ports.js';
import {
  either,
  ENVIRONMENT,
  fail,
  listOf,
  object,
  oneLine,
  refined,
  required,
  type Schema,
  text,
} from '../../base/schema.js';
import { equalSecrets, sha256 } from '../../base/secrets.js';
import { MAX_LENGTH, normalizeText } from '../../base/text.js';
import { hashMatches } from '../clients/client-secret.js';
import { decoysOf, hashProblem, readHash, type SlowHash } from '../clients/slow-hash.js';
import { CLIENT_SUBJECT, type Owner } from '../records/owner.js';

/** A user of the built-in sign-in page. */
export interface User {
  /** What is typed on the sign-in page, where case does not matter; unique among the users. */
  readonly username: string;
  /** The password, or what `hashSecret` made of it. */
  readonly password:
    | string
    | {
        /** What `hashSecret` made of the password. */
        readonly scrypt: string;
      };
  /** The user name if absent. */
  readonly sub?: string | undefined;
  /** The e-mail address, which pages show below the name. */
  readonly email?: string | undefined;
}

/** Users that the host keeps itself. */
export interface UserDirectory {
  /** The owner with this name and password, or nothing. The name has been trimmed and normalised (NFC); its case is as typed. Takes about as long for an unknown name as for a wrong password. */
  authenticate(username: string, password: string): MaybePromise<Owner | undefined | null | false>;
  /** Whether this owner may still sign in and use what they granted. `true` if absent. */
  isActive?(sub: string): MaybePromise<boolean>;
}

/** A directory as the core uses it. */
export interface Directory extends Omit<UserDirectory, 'authenticate'> {
  authenticate(username: string, password: string, caller: HttpRequest): MaybePromise<Owner | undefined | null | false>;
  /** Whether there is a user whose {@link foldedName} is this. `true` if absent. */
  knows?(folded: string): boolean;
}

/** Spaces and invisible characters around text, which nobody types on purpose. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

/**
 * A user name as a directory receives it: composed, and without what surrounds it.
 *
 * @returns `undefined` if the text cannot be a user name.
 */
export const typedName = (username: string): string | undefined =>
  normalizeText(username, 'NFC', MAX_LENGTH.name)?.replace(AROUND, '');

/** A user name as a list compares it: without case and width. */
export const foldedName = (username: string): string | undefined =>
  normalizeText(username, 'NFKC', MAX_LENGTH.name)?.replace(AROUND, '').toLowerCase();

/**
 * How the guesses at a user are counted. Many databases find a name without its accents, or with invisible characters in it: whoever varies
 * them must not get more guesses.
 */
export const guessedName = (folded: string): string =>
  (normalizeText(folded, 'NFD', MAX_LENGTH.name) ?? folded).replace(/[\p{sc=Zinh}\p{C}]/gu, '').toUpperCase();

/** A list of users as a directory. */
export const directoryOf = (users: readonly User[], limitAt: LimitAt): Required<Directory> => {
  const byName = new Map(users.map((user) => [foldedName(user.username), user]));
  const subjects = new Set(users.map((user) => user.sub ?? user.username));
  const hashes = new Map<string, SlowHash>();
  for (const { username, password } of users) {
    const hash = typeof password === 'object' ? readHash(password.scrypt) : '';
    if (typeof hash === 'object') hashes.set(username, hash);
  }
  const decoys = decoysOf([...hashes.values()]);
  return {
    authenticate: async (username, password, caller) => {
      const user = byName.get(foldedName(username));
      const expected = user?.password;
      const isText = typeof expected === 'string';
      const hash = hashes.get(user?.username ?? '');
      // Whatever is expected, and where nothing is: one hash of each cost, so that the time tells nothing.
      let matchesHash = false;
      for (const decoy of decoys) {
        const isOwn = hash?.ln === decoy.ln && hash.r === decoy.r && hash.p === decoy.p;
        const matches = await hashMatches(password, isOwn ? hash : decoy, caller, limitAt);
        if (isOwn) matchesHash = matches;
      }
      const matchesText = equalSecrets(sha256(password), sha256(isText ? expected : ''));
      return user !== undefined && (isText ? matchesText : matchesHash)
        ? { sub: user.sub ?? user.username, username: user.username, ...defined({ email: user.email }) }
        : undefined;
    },
    isActive: (sub) => subjects.has(sub),
    knows: (name) => byName.has(name),
  };
};

const hash = refined(text('what hashSecret made of the password'), (given, path) => {
  const read = readHash(given);
  return typeof read === 'string' ? fail(`${path} is a hash ${read}.`) : given;
});

const plainPassword = refined(oneLine(text('a non-empty string', /^[^]+$/, ENVIRONMENT)), (given, path) => {
  const problem = hashProblem(given);
  return problem === undefined
    ? given
    : fail(`${path} ${problem}, or check your own hashes in users: { authenticate(username, password) { … } }.`);
});

/** The fields of a user in `options.users`. */
export const USER_FIELDS = {
  username: required(text('a non-empty string'), 'it is what is typed on the sign-in page'),
  password: required(
    either(plainPassword, object({ scrypt: required(hash) })),
    'give it as text, or as { scrypt } with what hashSecret made of it',
  ),
  sub: text('a string; omit it for the user name'),
  email: text('a string of at most 254 characters', /^[^]{1,254}$/),
} satisfies Schema<User>;

/** `options.users` as a list. */
export const USER_LIST = refined(listOf('an array of users', object(USER_FIELDS)), (users, path) => {
  const names = new Set<string>();
  for (const [index, { username, sub = username }] of users.entries()) {
    const name = foldedName(username);
    if (name === undefined || name === '')
      return fail(`${path}[${index}].username: ${JSON.stringify(username.slice(0, 100))} cannot be typed as a name.`);
    if (names.has(name))
      fail(
        `${path}[${index}].username: ${JSON.stringify(username)} is there twice. Names that differ only in case, width or the spaces around them are one.`,
      );
    if (sub.startsWith(CLIENT_SUBJECT))
      fail(
        `${path}[${index}].sub must not begin with ${CLIENT_SUBJECT}, which is reserved for clients. Without a sub it is the user name.`,
      );
    names.add(name);
  }
  return users;
});
