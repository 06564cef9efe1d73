import { createInterface } from 'node:readline/promises';
import type {
  ClientChanges,
  NewClientRegistration,
  StoredClient,
  StoredClients,
  WithSecret,
} from 'oauth-query/clients';
import { CommandError, EXIT, readArguments, UsageError, wholeNumber } from '../command.js';
import { printable, type Terminal } from '../terminal.js';
import { adviceLines } from './check.js';
import { clientLine, clientLines, describe, instant, judge } from './description.js';
import { type Fields, fieldsOf, REGISTRATION_OPTIONS } from './registration.js';
import { STORE_OPTIONS, withClients } from './store.js';

/** Runs a subcommand of `oauth-query client`. */
export type Run = (args: readonly string[], terminal: Terminal) => Promise<number>;

const DAY = 86_400;
const PAGE = 100;

const clientIdIn = ([client_id]: readonly string[]): string => {
  if (client_id === undefined) throw new UsageError('Specify the client_id.');
  return client_id;
};

const quoted = (client_id: string): string => printable(JSON.stringify(client_id));

/** Prints the result of a command, and a generated secret. */
const tell = (client: WithSecret, isJson: boolean | undefined, sentence: string, terminal: Terminal): void => {
  const { client_secret } = client;
  if (isJson === true) {
    terminal.print(JSON.stringify({ ...describe(client), ...(client_secret !== undefined && { client_secret }) }));
    return;
  }
  terminal.print(sentence);
  if (client_secret === undefined) return;
  terminal.print(`
  client_id      ${printable(client.client_id)}
  client_secret  ${terminal.style('bold', client_secret)}

The secret is for the client only. It is printed this once; the store has its hash.`);
};

/** Prints the warnings about a client. */
const warn = (client: StoredClient, terminal: Terminal): void => {
  for (const line of adviceLines(judge(client).advice, terminal)) terminal.tell(line);
};

/** Whether to generate a secret: clients are confidential by default. */
const needsSecret = (fields: Fields, isPublic: boolean): boolean => {
  const proof = ['client_secret', 'jwks'].find((name) => (fields[name] ?? null) !== null);
  if (isPublic && proof !== undefined)
    throw new UsageError(
      `--public is for clients without a secret or keys, but there is ${proof}. Remove one of them.`,
    );
  return !isPublic && proof === undefined && fields['token_endpoint_auth_method'] !== 'none';
};

const add: Run = async (args, terminal) => {
  const options = {
    ...STORE_OPTIONS,
    ...REGISTRATION_OPTIONS,
    public: { type: 'boolean' },
    create: { type: 'boolean' },
  } as const;
  const { values, positionals } = readArguments(args, options, 1);
  const fields = await fieldsOf(values, terminal);
  const [client_id = fields['client_id']] = positionals;
  if (fields['client_id'] !== undefined && client_id !== fields['client_id'])
    throw new UsageError('The client_id of the command line and of the JSON are different. Remove one of them.');
  const generateSecret = needsSecret(fields, values.public ?? false);
  // The store validates each field.
  const registration = { ...fields, ...(client_id !== undefined && { client_id }) } as NewClientRegistration;
  const client = await withClients(values, terminal, (clients) => clients.add(registration, { generateSecret }));
  tell(client, values.json, `Client ${quoted(client.client_id)} was added: ${judge(client).means}.`, terminal);
  warn(client, terminal);
  return EXIT.fine;
};

const change: Run = async (args, terminal) => {
  const options = { ...STORE_OPTIONS, ...REGISTRATION_OPTIONS, 'if-version': { type: 'string' } } as const;
  const { values, positionals } = readArguments(args, options, 1);
  const client_id = clientIdIn(positionals);
  const version = values['if-version'];
  const only =
    version === undefined ? {} : { version: wholeNumber('--if-version', version, 1, Number.MAX_SAFE_INTEGER) };
  const changes = await fieldsOf(values, terminal);
  if (Object.keys(changes).length === 0)
    throw new UsageError('There is nothing to change. Specify options such as --name, or JSON with --from.');
  // The store validates each field.
  const client = await withClients(values, terminal, (clients) =>
    clients.change(client_id, changes as ClientChanges, only),
  );
  tell(
    client,
    values.json,
    `Client ${quoted(client_id)} was changed; it is at version ${client.version} now.`,
    terminal,
  );
  warn(client, terminal);
  return EXIT.fine;
};

const list: Run = async (args, terminal) => {
  const { values } = readArguments(args, STORE_OPTIONS, 0);
  const found = await withClients(values, terminal, async (clients) => {
    let number = 0;
    let after: string | undefined;
    do {
      const page = await clients.list({ after, limit: PAGE });
      number += page.clients.length;
      for (const client of page.clients)
        terminal.print(values.json ? JSON.stringify(describe(client)) : clientLine(client));
      after = page.next;
    } while (after !== undefined);
    return number;
  });
  if (found === 0)
    terminal.tell(
      `The store has no clients ${values.issuer === undefined ? 'without an issuer' : `of the issuer ${values.issuer}`}.`,
    );
  return EXIT.fine;
};

/** Gets a client that must exist. */
const existing = async (clients: StoredClients, client_id: string): Promise<StoredClient> => {
  const client = await clients.get(client_id);
  if (client === undefined) throw new CommandError(`There is no client ${quoted(client_id)}.`);
  return client;
};

const show: Run = async (args, terminal) => {
  const { values, positionals } = readArguments(args, STORE_OPTIONS, 1);
  const client_id = clientIdIn(positionals);
  const client = await withClients(values, terminal, (clients) => existing(clients, client_id));
  if (values.json) terminal.print(JSON.stringify(describe(client)));
  else for (const line of clientLines(client, terminal)) terminal.print(line);
  return EXIT.fine;
};

/** Describes when the old secrets expire. */
const endOfOlder = (client: StoredClient, overlap: number): string => {
  const [, ...older] = describe(client).secrets;
  const until = Math.max(0, ...older.map(({ expires_at = 0 }) => expires_at));
  return overlap === 0 || until === 0
    ? 'The old secret has expired; servers notice within their cacheSeconds (5).'
    : `The old secret works until ${instant(until)}. To end it immediately, use --overlap 0.`;
};

const rotate: Run = async (args, terminal) => {
  const { values, positionals } = readArguments(args, { ...STORE_OPTIONS, overlap: { type: 'string' } }, 1);
  const client_id = clientIdIn(positionals);
  const overlap = wholeNumber('--overlap', values.overlap ?? String(DAY), 0, 365 * DAY);
  const client = await withClients(values, terminal, (clients) => clients.rotateSecret(client_id, { overlap }));
  const sentence = `Client ${quoted(client_id)} has a new secret. ${endOfOlder(client, overlap)}`;
  tell(client, values.json, sentence, terminal);
  return EXIT.fine;
};

/** Creates a command that updates one client. */
const edit =
  (make: (clients: StoredClients, client_id: string) => Promise<StoredClient>, done: string): Run =>
  async (args, terminal) => {
    const { values, positionals } = readArguments(args, STORE_OPTIONS, 1);
    const client_id = clientIdIn(positionals);
    const client = await withClients(values, terminal, (clients) => make(clients, client_id));
    tell(client, values.json, `Client ${quoted(client_id)} ${done}`, terminal);
    return EXIT.fine;
  };

/** Asks for confirmation at the terminal. */
const confirm = async (question: string, { stdin, tell: say }: Terminal): Promise<void> => {
  if (!stdin.isTTY)
    throw new UsageError('Standard input is not a terminal. Add --yes to remove the client without confirmation.');
  say(question);
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) {
      if (/^y(es)?$/i.test(line.trim())) return;
      break;
    }
  } finally {
    lines.close();
  }
  throw new CommandError('Nothing was removed.');
};

const remove: Run = async (args, terminal) => {
  const { values, positionals } = readArguments(args, { ...STORE_OPTIONS, yes: { type: 'boolean' } }, 1);
  const client_id = clientIdIn(positionals);
  await withClients(values, terminal, async (clients) => {
    const { registration } = await existing(clients, client_id);
    const name = registration.client_name === undefined ? '' : ` (${printable(registration.client_name)})`;
    const question = `Remove client ${quoted(client_id)}${name}? All its tokens and grants become invalid. Type yes to remove it:`;
    if (!values.yes) await confirm(question, terminal);
    await clients.remove(client_id);
  });
  terminal.print(
    values.json ? JSON.stringify({ client_id, removed: true }) : `Client ${quoted(client_id)} was removed.`,
  );
  return EXIT.fine;
};

/** The subcommands that use a store, by name. */
export const STORED_COMMANDS: Readonly<Record<string, Run>> = {
  add,
  list,
  show,
  change,
  rotate,
  disable: edit(
    (clients, client_id) => clients.disable(client_id),
    'is disabled: it is rejected everywhere until it is enabled.',
  ),
  enable: edit((clients, client_id) => clients.enable(client_id), 'is enabled.'),
  'end-tokens': edit(
    (clients, client_id) => clients.endTokens(client_id),
    'has no valid tokens, refresh tokens or codes left.',
  ),
  remove,
};
