import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';

const pairs = new Map<string, KeyPairKeyObjectResult>();

/** An RSA key of 2048 bits, the same for all tests of a process: to make one takes a tenth of a second. @param name - Another name is another key. */
export const rsaPair = (name = ''): KeyPairKeyObjectResult => {
  const pair = pairs.get(name) ?? generateKeyPairSync('rsa', { modulusLength: 2048 });
  pairs.set(name, pair);
  return pair;
};
