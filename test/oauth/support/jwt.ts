import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

type Sign = (data: Buffer) => Buffer;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs as RFC 7518 §3.4 wants it. */
export const es256 =
  (key: KeyObject): Sign =>
  (data) =>
    sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });

export const rs256 =
  (key: KeyObject): Sign =>
  (data) =>
    sign('sha256', data, key);

export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A JWT with these parts, whatever they are. */
export const mint = (header: Claims, claims: Claims, signer: Sign): string => {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signer(Buffer.from(input)).toString('base64url')}`;
};

/** What stands in a JWT, without looking at its signature. */
export const read = (token: string): { readonly header: Claims; readonly claims: Claims } => {
  const [header, claims] = token
    .split('.', 2)
    .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims);
  if (header === undefined || claims === undefined) throw new Error('This is no JWT.');
  return { header, claims };
};

const without = (claims: Claims, name: string): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

/**
 * What somebody may make of a genuine token, and what the server itself would never issue although its key could sign
 * it. Each is the genuine one but for one thing.
 *
 * @param key - The server's own private key.
 */
export const forgeries = (genuine: string, key: KeyObject): Readonly<Record<string, string>> => {
  const { header, claims } = read(genuine);
  const [head = '', body = '', signature = ''] = genuine.split('.');
  const stranger = newKey();
  const strangersJwk = createPublicKey(stranger).export({ format: 'jwk' });
  const publicKey = createPublicKey(key);
  const hmac =
    (secret: string | Buffer): Sign =>
    (data) =>
      createHmac('sha256', secret).update(data).digest();
  const changed = (changes: Claims): string => mint(header, { ...claims, ...changes }, es256(key));
  const headed = (changes: Claims): string => mint({ ...header, ...changes }, claims, es256(key));
  return {
    'with edited claims': `${head}.${part({ ...claims, scope: 'profile content.read content.write', sub: 'bob' })}.${signature}`,
    'with an edited header': `${part({ ...header, more: 1 })}.${body}.${signature}`,
    'with alg none': `${part({ ...header, alg: 'none' })}.${body}.`,
    'with alg none and the signature': `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
    'with alg None': `${part({ ...header, alg: 'None' })}.${body}.`,
    'with an HMAC made from the public key as PEM': mint(
      { ...header, alg: 'HS256' },
      claims,
      hmac(publicKey.export({ type: 'spki', format: 'pem' })),
    ),
    'with an HMAC made from the public key as DER': mint(
      { ...header, alg: 'HS256' },
      claims,
      hmac(publicKey.export({ type: 'spki', format: 'der' })),
    ),
    'with an HMAC made from the public key as JWK': mint(
      { ...header, alg: 'HS256' },
      claims,
      hmac(JSON.stringify(publicKey.export({ format: 'jwk' }))),
    ),
    'with another algorithm in the header': headed({ alg: 'ES384' }),
    'of another key': mint(header, claims, es256(stranger)),
    'of another key that it brings along': mint({ ...header, jwk: strangersJwk }, claims, es256(stranger)),
    'of a key that nobody published': mint({ ...header, kid: 'nobody' }, claims, es256(stranger)),
    'of our key under a kid that nobody published': headed({ kid: 'nobody' }),
    'of typ JWT': headed({ typ: 'JWT' }),
    'of no typ': mint(without(header, 'typ'), claims, es256(key)),
    'of a typ that only begins like ours': headed({ typ: 'at+jwt2' }),
    'with an unknown crit': headed({ crit: ['https://example.org/more'], 'https://example.org/more': true }),
    'with an empty crit': headed({ crit: [] }),
    'with b64 false': headed({ b64: false, crit: ['b64'] }),
    'of another issuer': changed({ iss: 'https://other.example' }),
    'of our issuer with a slash': changed({ iss: `${String(claims['iss'])}/` }),
    'with exp as text': changed({ exp: String(claims['exp']) }),
    'that is not valid yet': changed({ nbf: Number(claims['iat']) + 60 }),
    'with claims that are an array': `${head}.${part([claims])}.${es256(key)(Buffer.from(`${head}.${part([claims])}`)).toString('base64url')}`,
    ...Object.fromEntries(
      ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'].map((name) => [
        `without ${name}`,
        mint(header, without(claims, name), es256(key)),
      ]),
    ),
    'without a signature': `${head}.${body}.`,
    'of two parts': `${head}.${body}`,
    'of four parts': `${genuine}.${signature}`,
    'with broken base64': `${head}.${body}.${signature.slice(0, -2)}==`,
    'with a header that is no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    'of nothing but dots': '..',
  };
};
