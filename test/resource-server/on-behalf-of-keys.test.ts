import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import express from 'express';
import { dpop } from 'oauth-query/dpop';
import { remoteGuard } from 'oauth-query/express';
import { introspectionVerifier, onBehalfOf } from 'oauth-query/guard';
import { afterAll, describe, expect, test } from 'vitest';
import { ProofMaker } from '../features/dpop/keys.js';
import { at, service, useExchange } from '../features/token-exchange/support.js';
import { bearer, Client, hostFor } from '../hosts.js';
import { listen, useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { rsaPair } from '../rsa.js';

const [HOST] = hostFor(import.meta.url);

const KEYS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  EdDSA: generateKeyPairSync('ed25519').privateKey,
  PS256: rsaPair().privateKey,
};
const NAMES = Object.keys(KEYS) as (keyof typeof KEYS)[];
const jwks = {
  keys: NAMES.map((name) => ({ ...createPublicKey(KEYS[name]).export({ format: 'jwk' }), kid: name })),
};

const REACHES = { audience: at('notes'), exchange_resources: [at('search')] } as const;

/** A service without a secret: its keys are registered, and its tokens are bound. */
const { client_secret: _, ...SIGNING } = service('signing', REACHES);

describe.each([
  ['without nonces', {}],
  ['where every proof needs a nonce', { nonce: 'required', secret: 'the secret of nonces has 32 characters or more' }],
] as const)('onBehalfOf with keys, %s', (_title, options) => {
  const site = useExchange(HOST, {
    clients: [
      { ...SIGNING, token_endpoint_auth_method: 'private_key_jwt', jwks },
      service('strict', { ...REACHES, dpop_bound_access_tokens: true }),
    ],
    features: [dpop(options)],
  });
  const made: { close(): void }[] = [];
  const of = (given: object) => {
    const one = onBehalfOf({ issuer: site.running.base, clock: site.fixture.clock, ...given } as never); // Wrong ones too.
    made.push(one);
    return one;
  };
  /** The next service, in a process of its own. */
  const search = useStarted(async () => {
    const app = express();
    const started = await listen(app);
    const verifier = introspectionVerifier({
      issuer: site.running.base,
      audience: at('search'),
      credentials: { client_id: 'api', client_secret: 'api-secret' },
      clock: site.fixture.clock,
      features: [dpop({ ...options, origins: [started.origin] })],
    });
    made.push(verifier);
    app.get('/find', remoteGuard(verifier)('content.read'), (req, res) => {
      res.json({ sub: req.auth.sub, by: req.auth.act?.client_id, jkt: req.auth.cnf?.jkt });
    });
    return started;
  });
  afterAll(() => {
    for (const one of made) one.close();
    expect(site.fixture.errors).toEqual([]);
  });
  const request = async () => ({ token: await site.ofAlice('notes') });

  test('a client with private_key_jwt, by a key of each kind', () =>
    everyRow(NAMES, async (name) => {
      const key = name === 'EdDSA' ? KEYS[name].export({ type: 'pkcs8', format: 'pem' }) : KEYS[name];
      const token = await of({ credentials: { client_id: 'signing', key, kid: name } })(await request(), at('search'));
      expect(await site.introspect(token)).toMatchObject({ active: true, client_id: 'signing', aud: at('search') });
    }));

  test('another key, and the name of another, is an error of this service', async () => {
    for (const kid of ['ES384', 'nobody']) {
      const tokenFor = of({ credentials: { client_id: 'signing', key: KEYS.ES256, kid } });
      await expect(tokenFor(await request(), at('search'))).rejects.toThrow(/401 invalid_client.*options\.credentials/);
    }
  });

  test('a token that is bound to a key of the service, and works with its proofs only', () =>
    everyRow(NAMES, async (name) => {
      const tokenFor = of({
        credentials: { client_id: 'signing', key: KEYS.ES256, kid: 'ES256' },
        dpopKey: KEYS[name],
      });
      const token = await tokenFor(await request(), at('search'));
      const url = `${search.origin}/find`;
      const find = async (proof: { readonly nonce?: string; readonly url?: string } = {}, scheme = 'DPoP') =>
        new Client(search.origin).get('/find', {
          authorization: `${scheme} ${token}`,
          dpop: await tokenFor.proof({ method: 'GET', url, token, ...proof }),
        });
      const first = await find();
      const nonce = String(first.headers['dpop-nonce']);
      expect(first.status).toBe('nonce' in options ? 401 : 200);
      const { status, json } = await find({ nonce, url: `${url}?page=2` });
      const { cnf } = (await site.introspect(token)) as { cnf: object };
      expect([status, json]).toEqual([200, { sub: 'alice', by: 'signing', ...cnf }]);
      expect((await new Client(search.origin).get('/find', bearer(token))).status).toBe(401);
      expect((await find({ nonce, url: `${search.origin}/other` })).status).toBe(401);
      const other = of({ credentials: { client_id: 'strict', client_secret: 'strict-secret' }, dpopKey: KEYS.ES256 });
      const stolen = await other.proof({ method: 'GET', url, token, nonce });
      const headers = { authorization: `DPoP ${token}`, dpop: stolen };
      expect((await new Client(search.origin).get('/find', headers)).status).toBe(name === 'ES256' ? 200 : 401);
    }));

  test('a request that came with a proof of its client: its token is exchanged without that key', async () => {
    const key = new ProofMaker();
    const app = express();
    const { origin } = await listen(app);
    const verifier = introspectionVerifier({
      issuer: site.running.base,
      audience: at('notes'),
      credentials: { client_id: 'api', client_secret: 'api-secret' },
      clock: site.fixture.clock,
      features: [dpop({ ...options, origins: [origin] })],
    });
    made.push(verifier);
    const tokenFor = of({ credentials: { client_id: 'notes', client_secret: 'notes-secret' } });
    app.get('/related', remoteGuard(verifier)('content.read'), (req, res, next) => {
      tokenFor(req, at('search')).then((token) => res.json({ token }), next);
    });
    const iat = Math.floor(site.fixture.clock() / 1000);
    const nonceFrom = async (ask: (nonce?: string) => Promise<{ readonly headers: object }>) =>
      'nonce' in options ? String(Reflect.get((await ask()).headers, 'dpop-nonce')) : undefined;
    const redeem = async (nonce?: string) => {
      const code = await site.flows.code('web', { scope: 'content.read', resource: at('notes') });
      const dpopHeader = key.proof({ method: 'POST', url: `${site.running.base}/oauth/token`, iat, nonce });
      return site.client.post('/oauth/token', site.flows.redemption('web', code), {
        authorization: `Basic ${Buffer.from('web:web-secret').toString('base64')}`,
        dpop: dpopHeader,
      });
    };
    const { json } = await redeem(await nonceFrom(redeem));
    const token = String(json['access_token']);
    const ask = (nonce?: string) =>
      new Client(origin).get('/related', {
        authorization: `DPoP ${token}`,
        dpop: key.proof({ method: 'GET', url: `${origin}/related`, iat, token, nonce }),
      });
    const answer = await ask(await nonceFrom(ask));
    expect(answer.status).toBe(200);
    const next = await site.introspect(String(answer.json['token']));
    expect(next).toMatchObject({ active: true, sub: 'alice', client_id: 'notes', aud: at('search') });
    expect(next).not.toHaveProperty('cnf');
  });

  test('a client whose tokens must be bound gets none without a key, and a proof needs one', async () => {
    const tokenFor = of({ credentials: { client_id: 'strict', client_secret: 'strict-secret' } });
    await expect(tokenFor(await request(), at('search'))).rejects.toThrow(/invalid_dpop_proof|use_dpop_nonce/);
    await expect(tokenFor.proof({ method: 'GET', url: search.origin, token: 'x' })).rejects.toThrow(/options\.dpopKey/);
  });

  test('options that are wrong', () =>
    everyRow(
      [
        [{ client_id: 'a' }, /credentials must have either client_secret or key/],
        [{ client_id: 'a', client_secret: 'b', key: KEYS.ES256 }, /either client_secret or key/],
        [{ client_id: 'a', key: undefined }, /key is undefined/],
        [{ client_id: 'a', key: 'text' }, /key is no private key/],
        [{ client_id: 'a', key: createPublicKey(KEYS.ES256) }, /key must be a private key: an EC key/],
        [{ client_id: 'a', key: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey }, /P-256 or P-384/],
        [{ client_id: 'a', key: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey }, /at least 2048 bits/],
        [{ client_id: 'a', key: 7 }, /key must be a private key: PKCS#8 PEM/],
      ] as const,
      ([credentials, sentence]) => expect(() => of({ credentials })).toThrow(sentence),
    ));
});
