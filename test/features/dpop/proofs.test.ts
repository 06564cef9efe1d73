import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { isSameAddress } from '../../../src/features/dpop/address.js';
import { hostFor } from '../../hosts.js';
import { hashOf, ProofMaker } from './keys.js';
import { type Site, useSite } from './site.js';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Values of every kind, for places where text or a number belongs. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  'x',
  '\u0000',
  'é'.repeat(300),
  [],
  ['POST'],
  {},
  { toString: 'x' },
  { __proto__: null },
];

describe('a proof is checked completely', () => {
  let token: string;
  const key = new ProofMaker();

  const site = useSite(hostFor(import.meta.url)[0], { nonce: 'off', replay: 'none' });
  beforeAll(async () => {
    token = (await site.tokens('native', key)).access_token;
  });

  const atEndpoint = (proof: string | string[]) =>
    site.token('service', { grant_type: 'client_credentials' }, { dpop: proof });
  const atResource = (proof: string | string[]) =>
    site.client.get('/guarded/profile', { authorization: `DPoP ${token}`, dpop: proof });

  /** Refused at both places, in the way of each; never with a 500. */
  const expectRefused = async (name: string, proofs: { readonly endpoint: string; readonly resource: string }) => {
    const [endpoint, resource] = [await atEndpoint(proofs.endpoint), await atResource(proofs.resource)];
    expect({ name, status: endpoint.status, error: endpoint.json['error'] }).toEqual({
      name,
      status: 400,
      error: 'invalid_dpop_proof',
    });
    expect({ name, status: resource.status, error: resource.json['error'] }).toEqual({
      name,
      status: 401,
      error: 'invalid_dpop_proof',
    });
    expect(resource.headers['www-authenticate']).toMatch(/^Bearer realm="oauth", DPoP error="invalid_dpop_proof", /);
  };

  const both = (more: Parameters<Site['tokenProof']>[1], by = key) => ({
    endpoint: site.tokenProof(by, more),
    resource: by.proof({ method: 'GET', url: site.guardedUrl(), iat: site.now, token, ...more }),
  });

  test('DP6 the valid proof passes, and so does one with members nobody asked for', async () => {
    for (const more of [{}, { header: { kid: 'x' } }, { payload: { aud: 'x', nonce: 'of someone else' } }]) {
      const { endpoint, resource } = both(more);
      expect((await atEndpoint(endpoint)).json).toMatchObject({ token_type: 'DPoP' });
      expect((await atResource(resource)).status).toBe(200);
    }
  });

  test('DP6 one broken member at a time is refused, whatever stands in its place', async () => {
    for (const name of ['typ', 'alg', 'jwk'])
      for (const odd of ODD) await expectRefused(`${name} ${JSON.stringify(odd)}`, both({ header: { [name]: odd } }));
    for (const name of ['exp', 'nbf'])
      for (const odd of [null, true, '', String(site.now), [], {}])
        await expectRefused(`${name} ${JSON.stringify(odd)}`, both({ payload: { [name]: odd } }));
    for (const name of ['jti', 'htm', 'htu', 'iat']) {
      for (const odd of ODD) {
        if ((name === 'jti' && (odd === 'x' || odd === ' ' || odd === '\u0000')) || odd === undefined) continue;
        await expectRefused(`${name} ${JSON.stringify(odd)}`, both({ payload: { [name]: odd } }));
      }
    }
    for (const odd of [...ODD, hashOf('another token'), token])
      expect((await atResource(both({ payload: { ath: odd } }).resource)).json['error']).toBe('invalid_dpop_proof');
    await expectRefused('jti of 257 characters', both({ payload: { jti: 'x'.repeat(257) } }));
  });

  test('DP6, DP7 a jwk that is no public key of its alg is refused', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secp = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' });
    const ed448 = generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' });
    const { jwk } = key;
    const keys: Readonly<Record<string, unknown>> = {
      'a private key': privateKey.export({ format: 'jwk' }),
      'the member d': { ...jwk, d: 'AA' },
      'the member k': { ...jwk, k: 'AA' },
      'a symmetric key': { kty: 'oct', k: 'c2VjcmV0' },
      'another curve': secp,
      'an unknown curve': { ...jwk, crv: 'P-257' },
      'the curve of the prototype': { ...jwk, crv: 'constructor' },
      'a point off the curve': { ...jwk, y: Buffer.alloc(32, 1).toString('base64url') },
      'a point of zeros': {
        ...jwk,
        x: Buffer.alloc(32).toString('base64url'),
        y: Buffer.alloc(32).toString('base64url'),
      },
      'a coordinate as a number': { ...jwk, x: 7 },
      'no coordinate': { ...jwk, y: undefined },
      'a key for another alg': new ProofMaker('RS256').jwk,
      Ed448: ed448,
      'an exponent that takes long': { ...new ProofMaker('RS256').jwk, e: 'x'.repeat(300) },
    };
    for (const [name, one] of Object.entries(keys)) await expectRefused(name, both({ header: { jwk: one } }));
    await expectRefused('an RSA key of 1024 bits', both({}, new ProofMaker('RS256', 1024)));
    for (const alg of ['none', 'HS256', 'ES512', 'es256', 'toString'])
      await expectRefused(alg, both({ header: { alg } }));
    await expectRefused('a critical header', both({ header: { crit: ['b64'], b64: false } }));
  });

  test('DP10 exp and nbf count, within five seconds (RFC 7519 §4.1.4, §4.1.5)', async () => {
    const { now } = site;
    for (const payload of [{ exp: now - 5 }, { exp: -1e308 }, { nbf: now + 6 }, { nbf: 1e308 }])
      await expectRefused(JSON.stringify(payload), both({ payload }));
    for (const payload of [
      { exp: now - 4, nbf: now + 5 },
      { exp: 1e308, nbf: 0 },
    ]) {
      const { endpoint, resource } = both({ payload });
      expect([(await atEndpoint(endpoint)).status, (await atResource(resource)).status]).toEqual([200, 200]);
    }
  });

  test('DP6 texts that are no JWT, and changed ones, are refused', async () => {
    const { endpoint } = both({});
    const [header = '', payload = '', signature = ''] = endpoint.split('.');
    const flipped = signature.slice(0, -4) + (signature.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    const texts = [
      'x',
      '..',
      'a.b.c',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}.${signature}.${signature}`,
      `${header}.${encode({})}.${signature}`,
      `${encode([])}.${payload}.${signature}`,
      `${encode(null)}.${encode(null)}.${signature}`,
      `${header}.${Buffer.from('{').toString('base64url')}.${signature}`,
      `${endpoint}=`,
      'x'.repeat(9000),
      new ProofMaker().signed(`${header}.${payload}`),
      `${header}.${payload}.${'A'.repeat(4000)}`,
    ];
    for (const text of texts) await expectRefused(text.slice(0, 60), { endpoint: text, resource: text });
    const two = [site.tokenProof(key), site.tokenProof(key)];
    expect(await atEndpoint(two)).toMatchObject({ status: 400, json: { error: 'invalid_dpop_proof' } });
    expect(await atResource(two)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  test('DP7 each algorithm of the metadata is accepted at both places', async () => {
    const { json } = await site.flows.client.get('/.well-known/oauth-authorization-server');
    const algorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;
    expect(json['dpop_signing_alg_values_supported']).toEqual(algorithms);
    for (const algorithm of algorithms) {
      const own = new ProofMaker(algorithm);
      const tokens = await site.tokens('native', own);
      expect(tokens.token_type).toBe('DPoP');
      expect((await site.ask(tokens.access_token, own)).json).toMatchObject({ auth: { cnf: { jkt: own.jkt } } });
    }
  });

  test('DP10 iat may be 60 s back and 5 s ahead', async () => {
    for (const [seconds, isAccepted] of [
      [-60, true],
      [-61, false],
      [5, true],
      [6, false],
      [3600, false],
    ] as const) {
      const { endpoint, resource } = both({ iat: site.now + seconds });
      expect([seconds, (await atEndpoint(endpoint)).status]).toEqual([seconds, isAccepted ? 200 : 400]);
      expect([seconds, (await atResource(resource)).status]).toEqual([seconds, isAccepted ? 200 : 401]);
    }
  });

  test('DP9, DP38 the address is that of the issuer, whatever Host and X-Forwarded-Host say, and the error names it', async () => {
    const other = site.tokenProof(key, { url: 'https://evil.example/oauth/token' });
    const answer = await site.token(
      'service',
      { grant_type: 'client_credentials' },
      { dpop: other, host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    );
    expect(answer.status).toBe(400);
    expect(answer.json['error_description']).toContain(`Expected: ${site.tokenUrl}`);
    const resource = key.proof({ method: 'GET', url: 'https://evil.example/guarded/profile', iat: site.now, token });
    const refused = await site.client.get('/guarded/profile', {
      authorization: `DPoP ${token}`,
      dpop: resource,
      host: 'evil.example',
    });
    expect(refused.json['error_description']).toContain(`Expected: ${site.guardedUrl()}`);
    expect(site.fixture.events.filter(({ type }) => type === 'dpop.refused').slice(-2)).toMatchObject([
      { reason: 'address', htu: 'https://evil.example/oauth/token' },
      { reason: 'address', htu: 'https://evil.example/guarded/profile' },
    ]);
  });

  test('DP24 events name the reason, and never a proof, a key or a token', () => {
    const told = JSON.stringify(site.fixture.events.filter(({ type }) => type === 'dpop.refused'));
    expect(told).toContain('"reason":"signature"');
    expect(told).not.toContain(token);
    expect(told).not.toContain(key.jkt);
    expect(told).not.toMatch(/eyJ/);
  });
});

test('DP8 addresses are compared in one spelling, without query and fragment', () => {
  const same = [
    ['https://a.example/x', 'HTTPS://A.EXAMPLE:443/x'],
    ['https://a.example', 'https://a.example/'],
    ['https://a.example/x', 'https://a.example/x?y=1#z'],
    ['https://a.example/%7euser/%41', 'https://a.example/~user/A'],
    ['https://a.example/a/../b/./c', 'https://a.example/b/c'],
    ['http://a.example:80/x', 'http://a.example/x'],
    ['https://a.example/%c3%a9', 'https://a.example/%C3%A9'],
  ] as const;
  const different = [
    ['https://a.example/x', 'https://a.example/x/'],
    ['https://a.example/x', 'http://a.example/x'],
    ['https://a.example/x', 'https://a.example:8443/x'],
    ['https://a.example/x', 'https://b.example/x'],
    ['https://a.example/a%2fb', 'https://a.example/a/b'],
    ['https://a.example/X', 'https://a.example/x'],
    ['https://user@a.example/x', 'https://a.example/x'],
    ['javascript:x', 'javascript:x/'],
    ['x', 'y'],
  ] as const;
  for (const [one, other] of same) expect([one, other, isSameAddress(one, other)]).toEqual([one, other, true]);
  for (const [one, other] of different) expect([one, other, isSameAddress(one, other)]).toEqual([one, other, false]);
});
