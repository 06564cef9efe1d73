import { existsSync } from 'node:fs';
import { checkFile } from '../client/check.js';
import { runStored, STORED_COMMANDS } from '../client/stored.js';
import { type Command, UsageError } from '../command.js';

/** Whether a word is meant as a command: file names have an extension or a folder, or exist. */
const looksLikeCommand = (word: string): boolean => /^[a-z][a-z-]*$/.test(word) && !existsSync(word);

export const client: Command = {
  help: `oauth-query client: check registrations of clients, and manage clients in a store

  oauth-query client [--scopes "a b"] [--json] <file>

Checks registrations without starting a server. The file, or - for standard input, contains one
registration or a list of them as JSON, with the fields of the option \`clients\`. Everything that
the server would reject is reported. The exit code is 1 if there is an error.

  --scopes  The scopes of the server, separated by spaces. Default: all scopes are known.
  --json    Print JSON.

  oauth-query client add [client_id] [fields] [--public] [--create]
  oauth-query client list
  oauth-query client show <client_id>
  oauth-query client change <client_id> [fields] [--if-version n]
  oauth-query client rotate <client_id> [--overlap seconds]
  oauth-query client disable <client_id>
  oauth-query client enable <client_id>
  oauth-query client end-tokens <client_id>
  oauth-query client remove <client_id> --yes

Manages clients that servers read with storedClients(store), and prints each as a line of JSON.

  --store   The store of the server: sqlite:<file>, redis://…, postgres://… or mariadb://…
            Default: the environment variable STORE_URL, which hides a password from other users.
  --issuer  The issuer that the server passes to storedClients, if any.
  --prefix  The prefix of keys in Redis. Default: oauth:
  --table   The table of a SQL server. Default: oauth_records

Fields for add and change:

  --name, --scope
  --redirect-uri, --grant  One value each; can be repeated. They replace the previous values.
  --from                   A file with fields as JSON, or - for standard input. In a change, null
                           removes a field.

  --public      Add a client without a secret. Otherwise, unless there is a secret or key, a
                secret is generated and printed once, as client_secret.
  --create      Create the SQLite file or the tables if they are missing.
  --if-version  Fail unless the client is at this version.
  --overlap     How many seconds the old secret still works. Default: one day; 0 ends it now.
  --yes         Remove the client, and end all its tokens and grants.

Examples:
  echo '{ "client_id": "spa", "redirect_uris": ["https://app.example/cb"] }' | oauth-query client -
  export STORE_URL=sqlite:oauth.db
  oauth-query client add --name Photos --redirect-uri https://photos.example/cb
`,
  run: async (args, terminal) => {
    const [word = '', ...rest] = args;
    const command = Object.hasOwn(STORED_COMMANDS, word) ? STORED_COMMANDS[word] : undefined;
    if (command !== undefined) return runStored(command, rest, terminal);
    if (looksLikeCommand(word)) {
      const known = Object.keys(STORED_COMMANDS).join(', ');
      throw new UsageError(`${JSON.stringify(word)} is neither a command nor a file. Commands: ${known}.`);
    }
    return checkFile(args, terminal);
  },
};
