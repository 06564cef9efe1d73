import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../core/oauth/clients/slow-hash.js';
import { sha256 } from '../../core/base/secrets.js';
import { type Command, CommandError, EXIT, readArguments, UsageError } from '../command.js';
import { readSecret } from '../input.js';

const FORMS = ['sha256', 'scrypt'] as const;
type Form = (typeof FORMS)[number];

/** base64url characters of 128 bits: what a fast hash can protect (RFC 6749 §10.10 asks for as much of a token). */
const RANDOM_CHARACTERS = 22;

const HASHES: Readonly<Record<Form, (secret: string) => string>> = { sha256, scrypt: hashSecret };

const formOf = (text: string): Form => {
  const form = FORMS.find((name) => name === text);
  if (form === undefined) throw new UsageError(`--hash must be ${FORMS.join(' or ')}, not ${JSON.stringify(text)}.`);
  return form;
};

const checkRandomness = (secret: string): void => {
  if (secret.length < RANDOM_CHARACTERS) {
    throw new CommandError(
      `The secret has fewer than ${RANDOM_CHARACTERS} characters, too few for sha256: who has the hash could try them all. Leave --hash away for scrypt, or make a new secret.`,
    );
  }
};

export const secret: Command = {
  help: `oauth-query secret: make a client secret, and the hash of it that the server keeps

  oauth-query secret [--json]
  oauth-query secret --stdin [--hash scrypt|sha256] [--json]

Without options it makes a secret of 32 random bytes and prints it this once.

  --stdin   Hash a secret that exists. It is read from the standard input, never from an
            argument: arguments stay in the history of the shell.
  --hash    What the hash is. sha256 for random secrets, scrypt for what a person chose.
            Without it: sha256 for a new secret, scrypt for one from --stdin.
  --json    Print JSON for a program.

Example:
  oauth-query secret
  printf %s "$SECRET" | oauth-query secret --stdin
`,
  run: async (args, terminal) => {
    const { values } = readArguments(
      args,
      { stdin: { type: 'boolean' }, hash: { type: 'string' }, json: { type: 'boolean' } },
      0,
    );
    const form = formOf(values.hash ?? (values.stdin ? 'scrypt' : 'sha256'));
    const text = values.stdin ? await readSecret(terminal) : randomBytes(32).toString('base64url');
    if (form === 'sha256') checkRandomness(text);
    const client_secret = { [form]: HASHES[form](text) };
    if (values.json) {
      terminal.print(JSON.stringify(values.stdin ? { client_secret } : { secret: text, client_secret }));
      return EXIT.fine;
    }
    if (!values.stdin) {
      terminal.print(`The secret, for the client only. It is printed this once; keep it where the client keeps its secrets:

  ${terminal.style('bold', text)}
`);
    }
    terminal.print(`The hash, for the client's registration at the server, which needs nothing else:

  client_secret: { ${form}: '${client_secret[form]}' }`);
    return EXIT.fine;
  },
};
