import { UnavailableError } from '../../base/errors.js';
import { deriveKey, keyedHash, sha256 } from '../../base/secrets.js';

const ID_LENGTH = 11;

/** A key used for deriving successors, and the id by which chains refer to it. */
interface Pepper {
  readonly id: string | null;
  readonly key: string;
}

/** Keys that prevent a stolen store and an old refresh token from yielding the current one. */
export class Peppers {
  readonly #all: readonly Pepper[];

  /** Used if the application has configured no secret that other processes would share. */
  readonly #none: Pepper = { id: null, key: 'oauth-query without a secret' };

  /** @param secrets - The configured secrets: the first one is used, all of them are accepted. */
  constructor(secrets: readonly string[]) {
    this.#all = secrets.map((secret) => {
      const key = deriveKey(secret, 'refresh token');
      return { id: sha256(key).slice(0, ID_LENGTH), key };
    });
  }

  get current(): Pepper {
    return this.#all[0] ?? this.#none;
  }

  /** @throws UnavailableError if this process does not have the secret used by another one. */
  find(id: string | null): Pepper {
    if (id === null) return this.#none;
    const pepper = this.#all.find((known) => known.id === id);
    if (pepper !== undefined) return pepper;
    throw new UnavailableError(
      'A refresh was made with a secret that options.secret does not have. Give every process the same secrets, and remove an old one last.',
    );
  }
}

/** The secret parts of the tokens that follow a refresh token. */
interface Successor {
  readonly access: string;
  readonly refresh: string;
}

/**
 * Derives the successor of a refresh token from the token itself, known only to its holder, a salt, known only to the store,
 * and a pepper, known to neither.
 */
export const successorOf = (
  token: string,
  { salt, request }: { readonly salt: string; readonly request: string },
  { key }: Pepper,
): Successor => {
  const text = token + salt + request; // The first two are of fixed length.
  return { access: keyedHash(key, `access ${text}`), refresh: keyedHash(key, `refresh ${text}`) };
};
