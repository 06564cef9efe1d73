import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Command, EXIT, readArguments, UsageError } from '../command.js';

const GENERATORS: Readonly<Record<string, () => { readonly privateKey: KeyObject }>> = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

export const key: Command = {
  help: `oauth-query key: generate a private key that signs tokens

  oauth-query key [--algorithm RS256|ES256|EdDSA]

Prints a key as PKCS#8 PEM, for openIdConnect({ keys }) or jwt. Only the server may
read it. Without a key of its own, every process would sign with a different one.

  --algorithm  RS256 (RSA with 2048 bits) is the one that every client of OpenID Connect supports,
               and the default.

Example:
  ID_TOKEN_KEY="$(oauth-query key)" node server.js
`,
  run: async (args, terminal) => {
    const { algorithm = 'RS256' } = readArguments(args, { algorithm: { type: 'string' } }, 0).values;
    const generate = Object.hasOwn(GENERATORS, algorithm) ? GENERATORS[algorithm] : undefined;
    if (generate === undefined)
      throw new UsageError(
        `--algorithm must be ${Object.keys(GENERATORS).join(' or ')}, not ${JSON.stringify(algorithm)}.`,
      );
    terminal.print(String(generate().privateKey.export({ type: 'pkcs8', format: 'pem' })).trim());
    return EXIT.fine;
  },
};
