import { randomBytes, scryptSync } from 'node:crypto';

/** A hash with scrypt of this cost, as a PHC string. */
export const phc = (secret: string, ln: number, r: number, p: number): string => {
  const salt = randomBytes(16);
  const hash = scryptSync(secret, salt, 32, { N: 2 ** ln, r, p, maxmem: 256 * 1024 * 1024 });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${ln},r=${r},p=${p}$${text(salt)}$${text(hash)}`;
};

/** The cheapest hash that a server accepts: where its cost is not what is tested. */
export const cheapHash = (secret: string): string => phc(secret, 11, 8, 1);
