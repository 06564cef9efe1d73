import { hash, randomBytes } from 'node:crypto';
import { hashSecret } from 'oauth-query';
import { type Command, CommandError, EXIT, readArguments, UsageError } from '../command.js';
import { readSecret } from '../input.js';

const FORMS = ['sha256', 'scrypt'] as const;
type Form = (typeof FORMS)[number];

/** base64url characters of 128 bits, the minimum for a fast hash (RFC 6749 §10.10 requires the same of tokens). */
const RANDOM_CHARACTERS = 22;

const HASHES: Readonly<Record<Form, (secret: string) => string>> = {
  sha256: (secret) => hash('sha256', secret, 'base64url'),
  scrypt: hashSecret,
};

const formOf = (text: string): Form => {
  const form = FORMS.find((name) => name === text);
  if (form === undefined) throw new UsageError(`--hash must be ${FORMS.join(' or ')}, not ${JSON.stringify(text)}.`);
  return form;
};

const checkRandomness = (secret: string): void => {
  if (secret.length < RANDOM_CHARACTERS) {
    throw new CommandError(
      `The secret has fewer than ${RANDOM_CHARACTERS} characters, too few for sha256: it could be guessed from the hash. Omit --hash to use scrypt, or generate a new secret.`,
    );
  }
};

export const secret: Command = {
  help: `oauth-query secret: generate a client secret and the hash to register, or the secret of the server

  oauth-query secret [--json]
  oauth-query secret --raw
  oauth-query secret --stdin [--hash scrypt|sha256] [--json]

Without options, generates a secret of 32 random bytes and prints it once.

  --raw     Print only the secret, for options.secret: OAUTH_SECRET="$(oauth-query secret --raw)"
  --stdin   Hash an existing secret, read from standard input. An argument would remain in the
            history of the shell.
  --hash    sha256 for random secrets, scrypt for secrets chosen by a person. Default: sha256 for
            a generated secret, scrypt with --stdin.
  --json    Print JSON.

Example:
  oauth-query secret
  printf %s "$SECRET" | oauth-query secret --stdin
`,
  run: async (args, terminal) => {
    const { values } = readArguments(
      args,
      { raw: { type: 'boolean' }, stdin: { type: 'boolean' }, hash: { type: 'string' }, json: { type: 'boolean' } },
      0,
    );
    if (values.raw) {
      if (values.stdin || values.hash !== undefined || values.json)
        throw new UsageError('--raw prints a new secret and nothing else. Leave out the other options.');
      terminal.print(randomBytes(32).toString('base64url'));
      return EXIT.fine;
    }
    const form = formOf(values.hash ?? (values.stdin ? 'scrypt' : 'sha256'));
    const text = values.stdin ? await readSecret(terminal) : randomBytes(32).toString('base64url');
    if (form === 'sha256') checkRandomness(text);
    const client_secret = { [form]: HASHES[form](text) };
    if (values.json) {
      terminal.print(JSON.stringify(values.stdin ? { client_secret } : { secret: text, client_secret }));
      return EXIT.fine;
    }
    if (!values.stdin) {
      terminal.print(`The secret, for the client only. It is printed once; store it where the client stores its secrets:

  ${terminal.style('bold', text)}
`);
    }
    terminal.print(`The hash, for the client's registration in the server:

  client_secret: { ${form}: '${client_secret[form]}' }`);
    return EXIT.fine;
  },
};
