import { existsSync } from 'node:fs';
import { checkFile } from '../client/check.js';
import { STORED_COMMANDS } from '../client/stored.js';
import { type Command, UsageError } from '../command.js';

/** A word that is meant as a command; files have an ending or a folder, or are there. */
const looksLikeCommand = (word: string): boolean => /^[a-z][a-z-]*$/.test(word) && !existsSync(word);

export const client: Command = {
  help: `oauth-query client: check registrations of clients, and manage clients in a store

  oauth-query client [--scopes "a b"] [--json] <file>

Checks registrations before a server starts with them. The file, or - for the standard input,
holds one registration or a list of them as JSON, with the names that the option \`clients\` has.
What the server would refuse is an error, all of it at once; what it accepts and is doubtful is
a warning with its remedy. It ends with 1 if there is an error.

  --scopes  The scopes of the server, separated by spaces. Without it every scope counts as known.
  --json    Print JSON for a program.

  oauth-query client add [client_id] [fields] [--public] [--create]
  oauth-query client list
  oauth-query client show <client_id>
  oauth-query client change <client_id> [fields] [--if-version n]
  oauth-query client rotate <client_id> [--overlap seconds]
  oauth-query client disable <client_id>
  oauth-query client enable <client_id>
  oauth-query client end-tokens <client_id>
  oauth-query client remove <client_id> [--yes]

Manages clients that servers read by storedClients(store). Each takes:

  --store   The store of the server: sqlite:<file>, redis://… or postgres://… Otherwise STORE_URL
            in the environment, which hides a password from other users of the machine.
  --issuer  The issuer that the server gives storedClients, if it gives one.
  --prefix  The prefix of keys in Redis, if it is not oauth:
  --table   The table in PostgreSQL, if it is not oauth_records
  --json    Print JSON for a program: one line for each client.

Fields, for add and change:

  --name, --scope, --default-scope
  --redirect-uri, --grant  One each; write them again for more. They replace what was there.
  --from                   A file with fields as JSON, or - for the standard input. In a change
                           null takes a field away.
  --secret-stdin           Read the client's secret from the standard input.
  --scopes                 The scopes of the server: a client may not name others.

  --public      A client without a secret. Otherwise one is made and printed this once, unless
                there are a secret or keys already.
  --create      Create the SQLite file or the PostgreSQL table if it is missing.
  --if-version  Only if the client is still at this version, which show has printed.
  --overlap     How long the old secret still works; a day if absent, 0 ends it at once.
  --yes         Do not ask.

Examples:
  echo '{ "client_id": "spa", "redirect_uris": ["https://app.example/cb"] }' | oauth-query client -
  export STORE_URL=sqlite:oauth.db
  oauth-query client add --name Photos --redirect-uri https://photos.example/cb
`,
  run: async (args, terminal) => {
    const [word = '', ...rest] = args;
    const run = Object.hasOwn(STORED_COMMANDS, word) ? STORED_COMMANDS[word] : undefined;
    if (run !== undefined) return run(rest, terminal);
    if (looksLikeCommand(word)) {
      const known = Object.keys(STORED_COMMANDS).join(', ');
      throw new UsageError(`There is no command and no file ${JSON.stringify(word)}; the commands are ${known}.`);
    }
    return checkFile(args, terminal);
  },
};
