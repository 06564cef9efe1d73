import { existsSync } from 'node:fs';
import { StoredClientError, type StoredClients, storedClients } from 'oauth-query/clients';
import type { OpenedStore } from 'oauth-query/stores/open';
import { defined } from '../../core/base/defined.js';
import { CommandError, UsageError } from '../command.js';
import type { Terminal } from '../terminal.js';

/** Options of all commands that use a store. */
export const STORE_OPTIONS = {
  store: { type: 'string' },
  prefix: { type: 'string' },
  table: { type: 'string' },
  issuer: { type: 'string' },
  // Accepted for programs that pass it: there is no other output.
  json: { type: 'boolean' },
} as const;

/** The values of these options. */
interface StoreValues {
  readonly store?: string | undefined;
  readonly prefix?: string | undefined;
  readonly table?: string | undefined;
  readonly issuer?: string | undefined;
  readonly create?: boolean | undefined;
}

/** The environment variable for the store, which keeps its password out of the process list. */
const VARIABLE = 'STORE_URL';

const hasPassword = (url: string): boolean => /^[a-z+]+:\/\/[^/?#@]*:[^/?#@]+@/.test(url);

const addressOf = ({ store, create = false }: StoreValues, terminal: Terminal): string => {
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
  // A wrong path must not create an empty database that no server uses.
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (file !== '' && !create && !existsSync(file))
    throw new CommandError(
      `The file ${file} does not exist. Start the server once, or create the file with client add --create.`,
    );
  return url;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const open = async (url: string, { prefix, table }: StoreValues, terminal: Terminal): Promise<OpenedStore> => {
  const { openStore } = await import('oauth-query/stores/open');
  try {
    return await openStore(url, {
      ...defined({ prefix, table }),
      // The command reports errors.
      onError: () => undefined,
      onWarning: (message) => terminal.tell(message),
    });
  } catch (error) {
    throw new CommandError(`The store cannot be opened: ${messageOf(error).replace(/^\w+Store: /, '')}`);
  }
};

const unusable = (reason: unknown): CommandError => new CommandError(`The store cannot be used: ${messageOf(reason)}`);

/** An error as a message for users. `check` of the store has a more specific message than the failed command. */
const explained = async (error: unknown, store: OpenedStore, { issuer }: StoreValues): Promise<unknown> => {
  if (error instanceof StoredClientError) {
    const where = error.code === 'unknown' && issuer !== undefined ? ` The issuer is ${issuer}.` : '';
    return new CommandError(error.code === 'invalid' ? error.problems.join('\n') : `${error.message}${where}`);
  }
  // By name, because the program has its own copy of the class.
  if (!(error instanceof Error) || error.name !== 'UnavailableError') return error;
  return unusable(
    await store.check().then(
      () => error.cause ?? error,
      (found: unknown) => found,
    ),
  );
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
  const { issuer } = values;
  if (issuer === '')
    throw new UsageError('--issuer is empty. Omit it, or use the issuer that the server passes to storedClients.');
  const store = await open(addressOf(values, terminal), values, terminal);
  try {
    if (values.create) await store.migrate().catch((reason: unknown) => Promise.reject(unusable(reason)));
    return await use(storedClients(store, { cacheSeconds: 0, ...defined({ issuer }) }));
  } catch (error) {
    throw await explained(error, store, values);
  } finally {
    await store.close();
  }
};
