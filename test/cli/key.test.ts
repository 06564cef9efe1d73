import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess } from './program.js';

test('O89: key prints a private key of the named kind, RSA with 2048 bits by default', () =>
  everyRow(
    [
      [[], 'rsa'],
      [['--algorithm', 'ES256'], 'ec'],
      [['--algorithm', 'EdDSA'], 'ed25519'],
    ] as const,
    async ([args, kind]) => {
      const { code, stdout } = await oauthQueryInProcess(['key', ...args]);
      const key = createPrivateKey(stdout);
      expect([code, key.asymmetricKeyType]).toEqual([0, kind]);
      if (kind === 'rsa') expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048);
    },
  ));

test('key refuses another algorithm', async () => {
  expect(await oauthQueryInProcess(['key', '--algorithm', 'HS256'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--algorithm must be RS256 or ES256 or EdDSA'),
  });
});
