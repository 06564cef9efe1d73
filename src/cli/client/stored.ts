import type {
  ClientChanges,
  NewClientRegistration,
  StoredClient,
  StoredClients,
  WithSecret,
} from 'oauth-query/clients';
import { defined } from '../../core/base/defined.js';
import { printable } from '../../core/base/printable.js';
import { CommandError, EXIT, readArguments, UsageError, wholeNumber } from '../command.js';
import { readInput, readJson } from '../input.js';
import type { Terminal } from '../terminal.js';
import { STORE_OPTIONS, withClients } from './store.js';

const DAY = 86_400;
const PAGE = 100;

const OPTIONS = {
  ...STORE_OPTIONS,
  name: { type: 'string' },
  'redirect-uri': { type: 'string', multiple: true },
  grant: { type: 'string', multiple: true },
  scope: { type: 'string' },
  from: { type: 'string' },
  public: { type: 'boolean' },
  create: { type: 'boolean' },
  'if-version': { type: 'string' },
  overlap: { type: 'string' },
  yes: { type: 'boolean' },
} as const;

type OptionName = keyof typeof OPTIONS;
type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values'];

/** Fields of a registration by name. */
type Fields = Readonly<Record<string, unknown>>;

const FIELDS: readonly OptionName[] = ['name', 'redirect-uri', 'grant', 'scope', 'from'];

/** The fields of a command line: those of the JSON, overridden by options. */
const fieldsOf = async (values: Values, terminal: Terminal): Promise<Fields> => {
  const { from } = values;
  const source = from === '-' ? 'The standard input' : from;
  const json = from === undefined ? {} : readJson(await readInput(from, terminal), `${source}`);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new CommandError(
      `${source} must contain one object with fields of a registration, such as { "client_name": "Photos" }.`,
    );
  const options = {
    client_name: values.name,
    redirect_uris: values['redirect-uri'],
    grant_types: values.grant,
    scope: values.scope,
  };
  return { ...json, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
};

/** Whether to generate a secret: clients are confidential unless they are said to be public, or prove themselves in another way. */
const needsSecret = (fields: Fields, isPublic = false): boolean => {
  const proof = ['client_secret', 'jwks', 'jwks_uri'].find((name) => (fields[name] ?? null) !== null);
  if (isPublic && proof !== undefined)
    throw new UsageError(
      `--public is for clients without a secret or keys, but there is ${proof}. Remove one of them.`,
    );
  const method = fields['token_endpoint_auth_method'];
  return !isPublic && proof === undefined && method !== 'none' && method !== 'private_key_jwt';
};

type Hash = { readonly [name: string]: unknown; readonly expiresAt?: number };

/** A client as it is printed: of its stored secrets, only the hash function and the expiry. */
const printed = ({ client_id, version, changedAt, registration, client_secret }: WithSecret): object => {
  const { client_id: _, client_secret: hashes = [], ...fields } = registration;
  return {
    client_id,
    version,
    changed_at: changedAt,
    registration: fields,
    // The store keeps a list of hashes.
    secrets: (hashes as readonly Hash[]).map(({ expiresAt, ...hash }) => ({
      hash: Object.keys(hash)[0],
      ...defined({ expires_at: expiresAt }),
    })),
    ...defined({ client_secret }),
  };
};

/** What a command is given. */
interface Call {
  readonly clients: StoredClients;
  /** Empty only where the command does not need it. */
  readonly client_id: string;
  readonly values: Values;
  readonly terminal: Terminal;
}

/** A command over a store. Whatever it returns is printed as a line of JSON. */
interface StoredCommand {
  readonly options?: readonly OptionName[];
  /** Whether it names one client; `optional` if a name can be generated. */
  readonly names: boolean | 'optional';
  readonly run: (call: Call) => AsyncIterable<object> | Promise<object>;
}

const add = async ({ clients, client_id, values, terminal }: Call): Promise<object> => {
  const fields = await fieldsOf(values, terminal);
  if (client_id !== '' && fields['client_id'] !== undefined && client_id !== fields['client_id'])
    throw new UsageError('The client_id of the command line and of the JSON are different. Remove one of them.');
  const generateSecret = needsSecret(fields, values.public);
  // The store validates each field.
  const registration = { ...fields, ...(client_id !== '' && { client_id }) } as NewClientRegistration;
  return printed(await clients.add(registration, { generateSecret }));
};

const change = async ({ clients, client_id, values, terminal }: Call): Promise<object> => {
  const wanted = values['if-version'];
  const only = wanted === undefined ? {} : { version: wholeNumber('--if-version', wanted, 1, Number.MAX_SAFE_INTEGER) };
  const changes = (await fieldsOf(values, terminal)) as ClientChanges; // The store validates each field.
  if (Object.keys(changes).length === 0)
    throw new UsageError('There is nothing to change. Specify options such as --name, or JSON with --from.');
  return printed(await clients.change(client_id, changes, only));
};

const list = async function* ({ clients }: Call): AsyncIterable<object> {
  let after: string | undefined;
  do {
    const page = await clients.list({ after, limit: PAGE });
    yield* page.clients.map(printed);
    after = page.next;
  } while (after !== undefined);
};

/** A client that must exist. */
const existing = async ({ clients, client_id }: Call): Promise<StoredClient> => {
  const client = await clients.get(client_id);
  if (client === undefined) throw new CommandError(`There is no client ${JSON.stringify(client_id)}.`);
  return client;
};

const rotate = async ({ clients, client_id, values: { overlap = String(DAY) } }: Call): Promise<object> =>
  printed(await clients.rotateSecret(client_id, { overlap: wholeNumber('--overlap', overlap, 0, 365 * DAY) }));

const remove = async (call: Call): Promise<object> => {
  const { clients, client_id, values } = call;
  if (!values.yes) throw new UsageError('All tokens and grants of the client become invalid. Add --yes to remove it.');
  await existing(call);
  await clients.remove(client_id);
  return { client_id, removed: true };
};

/** The commands that use a store, by name. */
export const STORED_COMMANDS: Readonly<Record<string, StoredCommand>> = {
  add: { options: [...FIELDS, 'public', 'create'], names: 'optional', run: add },
  list: { names: false, run: list },
  show: { names: true, run: async (call) => printed(await existing(call)) },
  change: { options: [...FIELDS, 'if-version'], names: true, run: change },
  rotate: { options: ['overlap'], names: true, run: rotate },
  disable: { names: true, run: async ({ clients, client_id }) => printed(await clients.disable(client_id)) },
  enable: { names: true, run: async ({ clients, client_id }) => printed(await clients.enable(client_id)) },
  'end-tokens': { names: true, run: async ({ clients, client_id }) => printed(await clients.endTokens(client_id)) },
  remove: { options: ['yes'], names: true, run: remove },
};

/** Runs such a command. */
export const runStored = async (
  { options = [], names, run }: StoredCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const taken: readonly string[] = [...Object.keys(STORE_OPTIONS), ...options];
  // Every value is optional, so those of a part of the options have the same type.
  const known = Object.fromEntries(Object.entries(OPTIONS).filter(([name]) => taken.includes(name))) as typeof OPTIONS;
  const { values, positionals } = readArguments(args, known, names === false ? 0 : 1);
  const [client_id = ''] = positionals;
  if (names === true && client_id === '') throw new UsageError('Specify the client_id.');
  await withClients(values, terminal, async (clients) => {
    const print = (value: object): void => terminal.print(printable(JSON.stringify(value)));
    const result = run({ clients, client_id, values, terminal });
    if (result instanceof Promise) print(await result);
    else for await (const client of result) print(client);
  });
  return EXIT.fine;
};
