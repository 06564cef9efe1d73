import { existsSync } from 'node:fs';
import { StoredClientError, type StoredClients, storedClients } from 'oauth-query/clients';
import type { OpenedStore } from 'oauth-query/stores/open';
import { CommandError, UsageError } from '../command.js';
import type { Terminal } from '../terminal.js';
import { scopesIn } from './check.js';

/** What every command over a store takes. */
export const STORE_OPTIONS = {
  store: { type: 'string' },
  prefix: { type: 'string' },
  table: { type: 'string' },
  issuer: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Their values, and whether the store may be made. */
export interface StoreValues {
  readonly store?: string | undefined;
  readonly prefix?: string | undefined;
  readonly table?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scopes?: string | undefined;
  readonly create?: boolean | undefined;
}

/** The variable that keeps the password of a database out of the list of processes. */
const VARIABLE = 'STORE_URL';

const hasPassword = (url: string): boolean => /^[a-z+]+:\/\/[^/?#@]*:[^/?#@]+@/.test(url);

const addressOf = ({ store }: StoreValues, terminal: Terminal): string => {
  const url = store ?? process.env[VARIABLE] ?? '';
  if (url === '')
    throw new UsageError(
      `Name the store of the server with --store, such as sqlite:oauth.db, or in the environment variable ${VARIABLE}.`,
    );
  if (store !== undefined && hasPassword(store))
    terminal.tell(
      `The password in --store can be seen by other users of this machine. Put the address into the environment variable ${VARIABLE} instead.`,
    );
  if (/^(memory|sqlite::memory):/.test(url))
    throw new UsageError(
      'The store is the memory of this process, where no server can see it. Name the store of the server.',
    );
  return url;
};

/** A wrong path must not become an empty database, which no server looks into. */
const checkFile = (url: string, { create = false }: StoreValues): void => {
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (file === '' || create || existsSync(file)) return;
  throw new CommandError(
    `There is no file ${file}. Start the server once, which creates it, or make it by client add with --create.`,
  );
};

const open = async (url: string, { prefix, table }: StoreValues, terminal: Terminal): Promise<OpenedStore> => {
  const { openStore } = await import('oauth-query/stores/open');
  let store: OpenedStore;
  try {
    store = await openStore(url, {
      ...(prefix !== undefined && { prefix }),
      ...(table !== undefined && { table }),
      // What goes wrong is said once, by the command that meets it.
      onError: () => undefined,
      onWarning: (message) => terminal.tell(message),
    });
  } catch (error) {
    throw new CommandError(`The store cannot be opened: ${messageOf(error).replace(/^\w+Store: /, '')}`);
  }
  return store;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unusable = (reason: unknown): CommandError => new CommandError(`The store cannot be used: ${messageOf(reason)}`);

/** What a person can do about it. `check` of the store says more than the command that failed. */
const explained = async (error: unknown, store: OpenedStore, { issuer }: StoreValues): Promise<unknown> => {
  if (error instanceof StoredClientError) {
    const where =
      error.code === 'unknown' && issuer !== undefined ? ` It was looked for under the issuer ${issuer}.` : '';
    return new CommandError(error.code === 'invalid' ? error.problems.join('\n') : `${error.message}${where}`);
  }
  // By its name: the program has a copy of the class.
  if (!(error instanceof Error) || error.name !== 'UnavailableError') return error;
  const reason = await store.check().then(
    () => error.cause ?? error,
    (found: unknown) => found,
  );
  return unusable(reason);
};

/**
 * Lets a command work on the clients in a store, and closes it.
 *
 * @throws CommandError when the store cannot be opened or used, or the command is refused.
 */
export const withClients = async <T>(
  values: StoreValues,
  terminal: Terminal,
  use: (clients: StoredClients) => Promise<T>,
): Promise<T> => {
  const { issuer, scopes } = values;
  if (issuer === '')
    throw new UsageError('--issuer is empty. Leave it out, or give what the server gives storedClients.');
  const known = scopes === undefined ? undefined : Object.fromEntries(scopesIn(scopes).map((scope) => [scope, true]));
  const url = addressOf(values, terminal);
  checkFile(url, values);
  const store = await open(url, values, terminal);
  const server = known === undefined ? {} : { scopes: known };
  try {
    if (values.create) await store.migrate().catch((reason: unknown) => Promise.reject(unusable(reason)));
    return await use(storedClients(store, { cacheSeconds: 0, server, ...(issuer !== undefined && { issuer }) }));
  } catch (error) {
    throw await explained(error, store, values);
  } finally {
    await store.close();
  }
};
