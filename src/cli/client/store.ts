import { existsSync } from 'node:fs';
import { StoredClientError, type StoredClients, storedClients } from 'oauth-query/clients';
import type { OpenedStore } from 'oauth-query/stores/open';
import { CommandError, UsageError } from '../command.js';
import type { Terminal } from '../terminal.js';
import { scopesIn } from './check.js';

/** Options of all commands that use a store. */
export const STORE_OPTIONS = {
  store: { type: 'string' },
  prefix: { type: 'string' },
  table: { type: 'string' },
  issuer: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** The values of these options. */
export interface StoreValues {
  readonly store?: string | undefined;
  readonly prefix?: string | undefined;
  readonly table?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scopes?: string | undefined;
  readonly create?: boolean | undefined;
}

/** The environment variable for the store, which keeps its password out of the process list. */
const VARIABLE = 'STORE_URL';

const hasPassword = (url: string): boolean => /^[a-z+]+:\/\/[^/?#@]*:[^/?#@]+@/.test(url);

const addressOf = ({ store }: StoreValues, terminal: Terminal): string => {
  const url = store ?? process.env[VARIABLE] ?? '';
  if (url === '')
    throw new UsageError(
      `Specify the server's store with --store, such as sqlite:oauth.db, or with the environment variable ${VARIABLE}.`,
    );
  if (store !== undefined && hasPassword(store))
    terminal.tell(
      `Other users of this machine can see the password in --store. Use the environment variable ${VARIABLE} instead.`,
    );
  if (/^(memory|sqlite::memory):/.test(url))
    throw new UsageError('The store memory: is not shared with a server. Specify the store of the server.');
  return url;
};

/** Prevents a wrong path from creating an empty database that no server uses. */
const checkFile = (url: string, { create = false }: StoreValues): void => {
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (file === '' || create || existsSync(file)) return;
  throw new CommandError(
    `The file ${file} does not exist. Start the server once, or create the file with client add --create.`,
  );
};

const open = async (url: string, { prefix, table }: StoreValues, terminal: Terminal): Promise<OpenedStore> => {
  const { openStore } = await import('oauth-query/stores/open');
  let store: OpenedStore;
  try {
    store = await openStore(url, {
      ...(prefix !== undefined && { prefix }),
      ...(table !== undefined && { table }),
      // The command reports errors.
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

/**
 * Converts an error to a message for users. `check` of the store has a more specific message than the failed command.
 */
const explained = async (error: unknown, store: OpenedStore, { issuer }: StoreValues): Promise<unknown> => {
  if (error instanceof StoredClientError) {
    const where = error.code === 'unknown' && issuer !== undefined ? ` The issuer is ${issuer}.` : '';
    return new CommandError(error.code === 'invalid' ? error.problems.join('\n') : `${error.message}${where}`);
  }
  // By name, because the program has its own copy of the class.
  if (!(error instanceof Error) || error.name !== 'UnavailableError') return error;
  const reason = await store.check().then(
    () => error.cause ?? error,
    (found: unknown) => found,
  );
  return unusable(reason);
};

/**
 * Runs a command on the clients in a store, and closes the store.
 *
 * @throws CommandError if the store cannot be used, or the command fails.
 */
export const withClients = async <T>(
  values: StoreValues,
  terminal: Terminal,
  use: (clients: StoredClients) => Promise<T>,
): Promise<T> => {
  const { issuer, scopes } = values;
  if (issuer === '')
    throw new UsageError('--issuer is empty. Omit it, or use the issuer that the server passes to storedClients.');
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
