import type { KeyObject } from 'node:crypto';
import { generateKey, type SigningAlgorithm } from '../../core/oauth/keys/signing-keys.js';
import { type Command, EXIT, readArguments, UsageError } from '../command.js';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const satisfies readonly SigningAlgorithm[];

const algorithmOf = (text: string): SigningAlgorithm => {
  const algorithm = ALGORITHMS.find((name) => name === text);
  if (algorithm === undefined)
    throw new UsageError(`--algorithm must be ${ALGORITHMS.join(' or ')}, not ${JSON.stringify(text)}.`);
  return algorithm;
};

const pemOf = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' })).trim();

export const key: Command = {
  help: `oauth-query key: generate a private key that signs tokens

  oauth-query key [--algorithm RS256|ES256|EdDSA]

Prints a key as PKCS#8 PEM, for openIdConnect({ keys }) or accessTokens.keys. Only the server may
read it. Without a key of its own, every process would sign with a different one.

  --algorithm  RS256 (RSA with 2048 bits) is the one that every client of OpenID Connect supports,
               and the default.

Example:
  ID_TOKEN_KEY="$(oauth-query key)" node server.js
`,
  run: async (args, terminal) => {
    const { values } = readArguments(args, { algorithm: { type: 'string' } }, 0);
    terminal.print(pemOf(generateKey(algorithmOf(values.algorithm ?? 'RS256'))));
    return EXIT.fine;
  },
};
